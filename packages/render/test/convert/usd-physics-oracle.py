"""Opens a stage with OpenUSD, and prints what it has of physics, and what its validators find, as JSON."""

import json
import math
import sys

from pxr import Gf, Usd, UsdGeom, UsdPhysics, UsdValidation

stage = Usd.Stage.Open(sys.argv[1])
validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
findings = [f"{one.GetName()}: {one.GetMessage()}" for one in UsdValidation.ValidationContext(validators).Validate(stage)]
cache = UsdGeom.XformCache()


def place(joint, side):
    """The frame of a joint in the world, as one of its sides says."""
    targets = (joint.GetBody0Rel, joint.GetBody1Rel)[side]().GetTargets()
    position = (joint.GetLocalPos0Attr, joint.GetLocalPos1Attr)[side]().Get()
    turn = (joint.GetLocalRot0Attr, joint.GetLocalRot1Attr)[side]().Get()
    local = Gf.Matrix4d(Gf.Rotation(Gf.Quatd(turn)), Gf.Vec3d(position))
    return local * cache.GetLocalToWorldTransform(stage.GetPrimAtPath(targets[0]))


bodies, joints, apart, triangles = [], [], 0, 0
for prim in stage.Traverse():
    if prim.HasAPI(UsdPhysics.RigidBodyAPI):
        mass = UsdPhysics.MassAPI(prim)
        world = cache.GetLocalToWorldTransform(prim).ExtractTranslation()
        name = prim.GetDisplayName() or prim.GetName()
        bodies.append([name, mass.GetMassAttr().Get(), *mass.GetCenterOfMassAttr().Get(), *world])
    if prim.IsA(UsdPhysics.Joint):
        joint = UsdPhysics.Joint(prim)
        limits = [prim.GetAttribute(f"physics:{end}Limit").Get() for end in ("lower", "upper")]
        joints.append([prim.GetTypeName(), prim.GetName(), *(one for one in limits if one is not None and math.isfinite(one))])
        first, second = place(joint, 0), place(joint, 1)
        apart = max(apart, (first.ExtractTranslation() - second.ExtractTranslation()).GetLength())
    if prim.IsA(UsdGeom.Mesh) and not prim.HasAPI(UsdPhysics.CollisionAPI):
        triangles += len(UsdGeom.Mesh(prim).GetFaceVertexCountsAttr().Get())
print(json.dumps({"findings": findings, "bodies": bodies, "joints": joints, "apart": apart, "triangles": triangles}))
