"""What each library makes of an asset, with the library itself."""

import struct
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from machine import WithMachine  # noqa: E402

import bindery  # noqa: E402

_INERTIA = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"


def link(name, mesh):
    shape = f"<geometry><mesh filename='{mesh}'/></geometry>"
    return f"<link name='{name}'>{_INERTIA}<visual>{shape}</visual><collision>{shape}</collision></link>"


def box(size):
    """A box as a mesh in STL."""
    corners = [(x, y, z) for x in (0, size) for y in (0, size) for z in (0, size)]
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    facets = [struct.pack("<12fH", 0, 0, 0, *(at for corner in face for at in corners[corner]), 0) for face in faces]
    return bytes(80) + struct.pack("<I", len(facets)) + b"".join(facets)


# Two meshes of the same name, one by a package whose folder has another name, one by a model of Gazebo.
URDF = (
    "<robot name='arm'>"
    + link("base", "package://arm_description/meshes/base/link.stl")
    + link("tip", "model://arm/meshes/tip/link.stl")
    + "<joint name='elbow' type='revolute'><parent link='base'/><child link='tip'/><axis xyz='0 0 1'/>"
    + "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>"
).encode()
MJCF = b"""<mujoco><compiler meshdir='assets'/><asset><mesh name='m' file='m.stl'/></asset>
<worldbody><body name='wheel'><joint name='hinge'/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"""
CONTENTS = {
    "arm/urdf/arm.urdf": URDF,
    "arm/meshes/base/link.stl": box(1),
    "arm/meshes/tip/link.stl": box(2),
    "cart/cart.xml": MJCF,
    "cart/assets/m.stl": box(3),
    "crate/crate.stl": box(4),
    "glass/glass.glb": b"glTF",
    "hand/hand.urdf.xacro": b"<robot/>",
    "lone/lone.urdf": ("<robot name='lone'>" + link("base", "package://lone/meshes/base.stl") + "</robot>").encode(),
    "notes/notes.txt": b"some",
    "odd/odd.xml": b"<mujoco><worldbody><geom type='teapot'/></worldbody></mujoco>",
    "shelf/model.sdf": b"<sdf/>",
    "torn/torn.xml": b"<mujoco",
    "room/room.usda": b'#usda 1.0\n(\n    defaultPrim = "Room"\n)\ndef Xform "Room"\n{\n    def "Table" (references = @table.usda@</Table>) {}\n}\n',
    "room/table.usda": b'#usda 1.0\ndef Cube "Table" {\n    double size = 7\n}\n',
}


class Load(WithMachine):
    def setUp(self):
        super().setUp()
        self.service = self.serve(CONTENTS)
        self.service.entries = {"arm": "arm/urdf/arm.urdf", "cart": "cart/cart.xml", "room": "room/room.usda"}

    def load(self, asset, library, **options):
        return bindery.load(f"acme/arms/{asset}", library, endpoint=self.service.url, **options)

    def test_mujoco_gets_models_of_mjcf_and_urdf_with_all_of_their_meshes(self):
        cart = self.load("cart", "mujoco")
        self.assertEqual((cart.nq, cart.nmesh, cart.mesh_vert.max().round(1)), (1, 1, 1.5))
        arm = self.load("arm", "mujoco")
        self.assertEqual((arm.nq, arm.nmesh), (1, 2))

    def test_mujoco_gets_specs_that_can_be_edited(self):
        for asset in ["cart", "arm"]:
            spec = self.load(asset, "mujoco-spec")
            self.assertEqual(spec.compile().nq, 1)
            added = spec.worldbody.add_body(name="added")
            added.add_geom(size=[1, 1, 1])
            added.add_freejoint()
            self.assertEqual(spec.compile().nq, 8)

    def test_yourdfpy_gets_a_robot_with_its_scene(self):
        robot = self.load("arm", "yourdfpy")
        self.assertEqual(robot.actuated_joint_names, ["elbow"])
        self.assertEqual(sorted(mesh.extents[0] for mesh in robot.scene.geometry.values()), [1, 2])

    def test_pinocchio_gets_a_robot_with_its_geometries(self):
        robot = self.load("arm", "pinocchio")
        self.assertEqual((robot.model.nq, len(robot.visual_model.geometryObjects)), (1, 2))
        self.assertEqual(self.load("cart", "pinocchio").model.nq, 1)

    def test_pybullet_gets_a_body_in_the_server_that_the_script_connected_to(self):
        import pybullet

        client = pybullet.connect(pybullet.DIRECT)
        self.addCleanup(pybullet.disconnect, client)
        body = self.load("arm", "pybullet", basePosition=[0, 0, 3], useFixedBase=True, physicsClientId=client)
        self.assertEqual(pybullet.getBasePositionAndOrientation(body, client)[0], (0, 0, 3))
        self.assertEqual([len(pybullet.getCollisionShapeData(body, at, client)) for at in (-1, 0)], [1, 1])

    def test_trimesh_gets_a_scene(self):
        self.assertEqual(self.load("crate", "trimesh").extents.tolist(), [4, 4, 4])
        self.assertEqual(self.load("arm", "trimesh", file="arm/meshes/tip/link.stl").extents.tolist(), [2, 2, 2])

    def test_openusd_gets_a_stage_with_what_it_refers_to(self):
        stage = self.load("room", "usd")
        self.assertEqual(stage.GetPrimAtPath("/Room/Table").GetAttribute("size").Get(), 7)

    def test_says_what_an_asset_is_and_which_libraries_load_it(self):
        for asset, library, message in [
            ("arm", "trimesh", r"acme/arms/arm \(arm/urdf/arm.urdf\) is URDF, which trimesh cannot load. Load it with 'mujoco' or .*'yourdfpy' or .*'pybullet'. With as_='glb' the service converts it."),
            ("cart", "yourdfpy", "is MJCF, which yourdfpy cannot load. Load it with 'mujoco' or .* With as_='urdf' the service converts it."),
            ("glass", "mujoco", "is a mesh, which mujoco cannot load. Load it with 'trimesh'."),
            ("room", "mujoco-spec", "is USD, .* Load it with 'usd'."),
            ("hand", "pinocchio", "is xacro, which pinocchio cannot load. With as_='urdf' the service converts it."),
            ("shelf", "usd", r"is SDF, which usd cannot load. With as_='usd' the service converts it."),
            ("notes", "mujoco", "has an unknown format"),
            ("torn", "mujoco", "has an unknown format"),
        ]:
            with self.subTest(asset):
                self.assertRaisesRegex(bindery.BinderyError, message, self.load, asset, library)

    def test_what_a_library_cannot_read_is_told_with_what_to_do(self):
        with self.assertRaisesRegex(bindery.BinderyError, r"mujoco cannot open acme/arms/odd \(odd/odd.xml\): .*teapot.*Try another release") as told:
            self.load("odd", "mujoco")
        self.assertIsInstance(told.exception.__cause__, ValueError)

    def test_a_robot_that_lacks_files_is_said_to_be_incomplete(self):
        message = r"acme/arms/lone is incomplete: lone/lone.urdf refers to 'package://lone/meshes/base.stl', which the library does not have"
        self.assertRaisesRegex(bindery.BinderyError, message, self.load, "lone", "mujoco")
        self.assertWarnsRegex(UserWarning, message, self.load, "lone", "yourdfpy", load_meshes=False, load_collision_meshes=False)

    def test_files_in_the_cache_stay_as_they_were_pushed(self):
        entry = bindery.path("acme/arms/arm", endpoint=self.service.url)
        for library in ["mujoco", "yourdfpy", "pinocchio"]:
            self.load("arm", library)
        self.assertEqual(entry.read_bytes(), URDF)


if __name__ == "__main__":
    unittest.main()
