"""Reads models with the libraries of their formats, at the reference of the first, and prints what each weighs and where.

URDF is read by Pinocchio, MJCF by MuJoCo, USD by OpenUSD. Places are relative to a body that all of them know, in metres.
"""

import json
import sys

import mujoco
import numpy as np
import pinocchio
from pxr import Usd, UsdGeom, UsdPhysics


def read_mjcf(path):
    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    values = {}
    for joint in range(model.njnt):
        if model.jnt_type[joint] in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            values[model.joint(joint).name] = float(data.qpos[model.jnt_qposadr[joint]])
    frames = {
        model.body(body).name: (data.xpos[body].copy(), data.xmat[body].reshape(3, 3).copy())
        for body in range(1, model.nbody)
    }
    masses = model.body_mass[1:]
    return masses.sum(), masses @ data.xipos[1:], frames, values


def read_urdf(path, values):
    model = pinocchio.buildModelFromUrdf(path)
    data = model.createData()
    configuration = pinocchio.neutral(model)
    for name, value in values.items():
        if model.existJointName(name):
            joint = model.joints[model.getJointId(name)]
            numbers = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
            configuration[joint.idx_q : joint.idx_q + joint.nq] = numbers
    pinocchio.framesForwardKinematics(model, data, configuration)
    frames = {
        frame.name: (placed.translation.copy(), placed.rotation.copy())
        for frame, placed in zip(model.frames, data.oMf)
        if frame.type == pinocchio.FrameType.BODY
    }
    mass, moment = 0.0, np.zeros(3)
    # What cannot move is in the inertia of the universe.
    for joint, inertia in enumerate(model.inertias):
        mass += inertia.mass
        moment += inertia.mass * (data.oMi[joint] * inertia.lever)
    return mass, moment, frames, {}


def read_usd(path):
    stage = Usd.Stage.Open(path)
    cache = UsdGeom.XformCache()
    mass, moment, frames = 0.0, np.zeros(3), {}
    for prim in stage.Traverse():
        if prim.GetTypeName() != "Xform":
            continue
        placed = np.array(cache.GetLocalToWorldTransform(prim)).T
        frames[prim.GetDisplayName() or prim.GetName()] = (placed[:3, 3], placed[:3, :3])
        if prim.HasAPI(UsdPhysics.RigidBodyAPI):
            body = UsdPhysics.MassAPI(prim)
            own = float(body.GetMassAttr().Get())
            mass += own
            moment += own * (placed[:3, :3] @ np.array(body.GetCenterOfMassAttr().Get()) + placed[:3, 3])
    return mass, moment, frames, {}


found, values = [], {}
for path in sys.argv[1:]:
    if path.lower().endswith(".urdf"):
        read = read_urdf(path, values)
    else:
        read = read_usd(path) if path.endswith(".usdz") else read_mjcf(path)
    found.append(read[:3])
    values = values or read[3]

common = [name for name in found[0][2] if all(name in frames for _, _, frames in found)]
results = []
for mass, moment, frames in found:
    origin, turn = frames[common[0]] if common else (np.zeros(3), np.eye(3))
    center = turn.T @ (moment / mass - origin) if mass > 0 else np.zeros(3)
    places = [(turn.T @ (frames[name][0] - origin)).tolist() for name in common]
    results.append({"mass": float(mass), "center": center.tolist(), "bodies": len(frames), "places": places})
print(json.dumps(results))
