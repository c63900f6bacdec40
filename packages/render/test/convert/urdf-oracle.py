"""Poses a robot in URDF at random in yourdfpy, Pinocchio and PyBullet, and the model that it was made of in MuJoCo.

Prints for each of the three by how much its links are elsewhere, in metres, and the mass of the robot in each of the
four.
"""

import json
import sys

import mujoco
import numpy as np
import pinocchio
import pybullet
import yourdfpy

urdf, mjcf = sys.argv[1:3]
model = mujoco.MjModel.from_xml_path(mjcf)
data = mujoco.MjData(model)
robot = yourdfpy.URDF.load(urdf)
pin = pinocchio.buildModelFromUrdf(urdf)
pin_data = pin.createData()
pybullet.connect(pybullet.DIRECT)
bullet = pybullet.loadURDF(urdf, useFixedBase=True)
bullet_joints = {}
bullet_links = {}
for index in range(pybullet.getNumJoints(bullet)):
    info = pybullet.getJointInfo(bullet, index)
    bullet_joints[info[1].decode()] = index
    bullet_links[info[12].decode()] = index


def name_of(kind, index):
    return mujoco.mj_id2name(model, kind, index)


def turned(axis, angle):
    quaternion = np.zeros(4)
    mujoco.mju_axisAngle2Quat(quaternion, np.eye(3)[axis], angle)
    return quaternion


def put(values):
    """Puts the same values in MuJoCo, where a ball takes the place of three hinges."""
    for joint in range(model.njnt):
        name = name_of(mujoco.mjtObj.mjOBJ_JOINT, joint)
        start = model.jnt_qposadr[joint]
        if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL:
            whole = np.array([1.0, 0, 0, 0])
            for axis, letter in enumerate("xyz"):
                product = np.zeros(4)
                mujoco.mju_mulQuat(product, whole, turned(axis, values[f"{name}_{letter}"]))
                whole = product
            data.qpos[start : start + 4] = whole
        else:
            data.qpos[start] = values[name]
    mujoco.mj_kinematics(model, data)


def apart(frame, body):
    position, rotation = frame
    return max(
        abs(np.array(position) - data.xpos[body]).max(),
        abs(np.array(rotation).reshape(3, 3) - data.xmat[body].reshape(3, 3)).max(),
    )


offsets = {"yourdfpy": 0.0, "pinocchio": 0.0, "pybullet": 0.0}
random = np.random.default_rng(1)
for _ in range(100):
    values = {}
    for joint in robot.actuated_joints:
        limit = joint.limit
        bounded = joint.type != "continuous" and limit is not None and abs(limit.lower) < 1e6
        low, high = (limit.lower, limit.upper) if bounded else (-3, 3)
        values[joint.name] = random.uniform(low, high)
    robot.update_cfg(values)
    for name, joint in robot.joint_map.items():
        if joint.mimic is not None:
            values[name] = joint.mimic.multiplier * values[joint.mimic.joint] + joint.mimic.offset
    put(values)
    configuration = pinocchio.neutral(pin)
    for name, value in values.items():
        joint = pin.joints[pin.getJointId(name)]
        numbers = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
        configuration[joint.idx_q : joint.idx_q + joint.nq] = numbers
        pybullet.resetJointState(bullet, bullet_joints[name], value)
    pinocchio.framesForwardKinematics(pin, pin_data, configuration)
    for body in range(1, model.nbody):
        link = name_of(mujoco.mjtObj.mjOBJ_BODY, body)
        frame = robot.get_transform(link, robot.base_link)
        placed = pin_data.oMf[pin.getFrameId(link, pinocchio.FrameType.BODY)]
        state = pybullet.getLinkState(bullet, bullet_links[link], computeForwardKinematics=True)
        frames = {
            "yourdfpy": (frame[:3, 3], frame[:3, :3]),
            "pinocchio": (placed.translation, placed.rotation),
            "pybullet": (state[4], pybullet.getMatrixFromQuaternion(state[5])),
        }
        for reader, found in frames.items():
            offsets[reader] = max(offsets[reader], float(apart(found, body)))

masses = {
    "mujoco": float(model.body_mass.sum()),
    "yourdfpy": sum(link.inertial.mass for link in robot.robot.links if link.inertial is not None),
    "pinocchio": sum(float(inertia.mass) for inertia in pin.inertias),
    "pybullet": sum(
        pybullet.getDynamicsInfo(bullet, link)[0] for link in bullet_links.values() if link >= 0
    ),
}
print(json.dumps({"offsets": offsets, "masses": masses}))
