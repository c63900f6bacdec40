"""Simulates models in MuJoCo for a second, without contacts and actuators, from their reference.

The first is in MJCF; the others, which can be in URDF, take how it is calculated from it. Prints for each its mass in
kilograms and the values of its joints.
"""

import json
import sys

import mujoco

results = []
first = None
for path in sys.argv[1:]:
    model = mujoco.MjModel.from_xml_path(path)
    first = first or model
    model.opt.timestep = first.opt.timestep
    model.opt.integrator = first.opt.integrator
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    data = mujoco.MjData(model)
    while data.time < 1 - model.opt.timestep / 2:
        mujoco.mj_step(model, data)
    joints = {
        mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, joint): float(data.qpos[model.jnt_qposadr[joint]])
        for joint in range(model.njnt)
    }
    results.append({"mass": float(model.body_mass.sum()), "joints": joints})
print(json.dumps(results))
