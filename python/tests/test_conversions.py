"""`bindery.path(…, as_=…)`: an asset in another format, made by the service and cached."""

import base64
import hashlib
import io
import os
import unittest
import zipfile

from machine import WithMachine

import bindery

CONTENTS = {"arm/arm.xml": b"<mujoco/>", "arm/meshes/link.stl": b"mesh"}


def archive(files, compression=zipfile.ZIP_STORED):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", compression) as packed:
        for path, data in files.items():
            packed.writestr(path, data)
    return content.getvalue()


URDF = archive({"arm.urdf": b"<robot/>", "meshes/link.stl": b"converted"})


class Conversions(WithMachine):
    def served(self, content=URDF, digest=None):
        service = self.serve(CONTENTS)
        service.entries = {"arm": "arm/arm.xml"}
        service.conversion = content, digest or base64.b64encode(hashlib.sha256(content).digest()).decode()
        os.environ["BINDERY_API_URL"] = service.url
        return service

    def test_are_fetched_once_with_all_their_files(self):
        service = self.served()
        entry = bindery.path("acme/arms@v1/arm", as_="urdf")
        self.assertEqual((entry.name, entry.read_bytes()), ("arm.urdf", b"<robot/>"))
        self.assertEqual((entry.parent / "meshes/link.stl").read_bytes(), b"converted")
        self.assertEqual(len(service.asked("/raw/acme/arms@v1/arm?as=urdf")), 1)
        before = len(service.requests)
        self.assertEqual(bindery.path("acme/arms@v1/arm", as_="urdf"), entry)
        self.assertEqual(len(service.requests), before)
        self.assertEqual(bindery.path("acme/arms@v1/arm").read_bytes(), b"<mujoco/>")

    def test_of_one_file_have_the_name_of_the_asset(self):
        self.served(b"PK of USD")
        self.assertEqual(bindery.path("acme/arms/arm", as_="usd").name, "arm.usdz")

    def test_are_made_of_the_revision_that_a_lock_names(self):
        service = self.served()
        self.lock(service, {"arm": "arm"})
        self.assertEqual(bindery.path("arm", as_="urdf").read_bytes(), b"<robot/>")
        service.publish({**CONTENTS, "arm/arm.xml": b"<mujoco model='new'/>"})
        self.assertEqual(bindery.path("arm", as_="urdf").read_bytes(), b"<robot/>")
        with self.assertRaisesRegex(bindery.LockError, "revision 1 no longer exists"):
            bindery.path("arm", as_="sdf")

    def test_of_meshes_ask_for_what_makes_them_rigid_bodies_and_are_cached_apart(self):
        service = self.served()
        wooden = bindery.path("acme/arms@v1/arm", as_="urdf", sim_ready={"unit": "mm", "material": "wood"})
        self.assertEqual(len(service.asked("/raw/acme/arms@v1/arm?as=urdf&sim-ready=true&material=wood&unit=mm")), 1)
        before = len(service.requests)
        again = bindery.path("acme/arms@v1/arm", as_="urdf", sim_ready={"material": "wood", "unit": "mm"})
        self.assertEqual((again, len(service.requests)), (wooden, before))
        others = [bindery.path("acme/arms@v1/arm", as_="urdf", sim_ready={"mass": 0.5}), bindery.path("acme/arms@v1/arm", as_="urdf")]
        self.assertEqual(len({wooden, *others}), 3)
        with self.assertRaisesRegex(ValueError, "sim_ready needs as_"):
            bindery.path("acme/arms@v1/arm", sim_ready={"mass": 1})

    def test_are_not_needed_for_an_asset_that_has_the_format(self):
        service = self.served()
        service.kinds = {"arm": "mjcf"}
        self.assertEqual(bindery.path("acme/arms/arm", as_="mjcf").read_bytes(), b"<mujoco/>")
        self.assertEqual(service.asked("/raw/"), [])

    def test_that_arrive_damaged_or_dangerous_are_discarded(self):
        other = base64.b64encode(hashlib.sha256(b"other").digest()).decode()
        dangerous = {
            "does not match its digest": (URDF, other),
            "does not match its digest and": (URDF, "no digest"),
            r"'\.\./arm\.urdf' has an empty": (archive({"../arm.urdf": b""}), None),
            "it is compressed": (archive({"arm.urdf": bytes(10**6)}, zipfile.ZIP_DEFLATED), None),
            r"it has no \.urdf file": (archive({"arm.xml": b""}), None),
            "collide on a case-insensitive": (archive({"arm.urdf": b"", "ARM.urdf": b"1"}), None),
        }
        for message, (content, digest) in dangerous.items():
            with self.subTest(message):
                self.served(content, digest)
                with self.assertRaisesRegex(bindery.IntegrityError, message):
                    bindery.path("acme/arms/arm", as_="urdf")
                self.assertEqual(list(self.cache.glob("assets/*/*.urdf")), [])

    def test_of_unknown_formats_are_refused(self):
        with self.assertRaisesRegex(ValueError, "unknown format 'obj': expected 'mjcf', 'urdf', 'sdf', 'glb', 'usd'"):
            bindery.path("acme/arms/arm", as_="obj")

    def test_come_from_no_mirror(self):
        service = self.served()
        with self.assertRaisesRegex(bindery.MirrorError, "A mirror converts nothing"):
            self.lock(service, {"arm": "arm"})
            bindery.path("arm", as_="urdf", mirror=str(self.mirror(service)))


if __name__ == "__main__":
    unittest.main()
