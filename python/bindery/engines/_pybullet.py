"""PyBullet: Bullet's multibodies in reduced coordinates."""

import numpy as np
import pybullet

from ._trials import Bodies, CannotRun, Numbers, Request

_NO_SPEED_LIMIT = 1e6
_FAR_BELOW = -1e6
_SINGLE = (pybullet.JOINT_REVOLUTE, pybullet.JOINT_PRISMATIC)


class Engine:
    def __init__(self, request: Request) -> None:
        pybullet.connect(pybullet.DIRECT)
        pybullet.setGravity(*request["gravity"])
        pybullet.setTimeStep(request["timestep"])
        self._body = pybullet.loadURDF(
            request["model"], useFixedBase=not request["floats"], flags=pybullet.URDF_USE_INERTIA_FROM_FILE
        )
        infos = [pybullet.getJointInfo(self._body, joint) for joint in range(pybullet.getNumJoints(self._body))]
        joints = {info[1].decode(): info[0] for info in infos if info[2] in _SINGLE}
        links = {info[12].decode(): info[0] for info in infos}
        links[pybullet.getBodyInfo(self._body)[0].decode()] = -1
        wanted = [joint["name"] for joint in request["joints"]]
        fixed = {info[1].decode() for info in infos if info[2] == pybullet.JOINT_FIXED}
        for name in wanted:
            if name not in joints:
                raise CannotRun(f'joint "{name}" cannot move')
        for name in request["floating"]:
            if name in fixed:
                raise CannotRun(f'joint "{name}" is fixed')
        self._joints = [joints[name] for name in wanted]
        self._links = [links[name] for name in request["bodies"]]
        self._speeds = [0.0] * len(wanted)
        self.losses = ["coupled joint"] if any(joint["follows"] for joint in request["joints"]) else []
        for link in links.values():
            pybullet.changeDynamics(
                self._body, link, linearDamping=0, angularDamping=0, lateralFriction=1, maxJointVelocity=_NO_SPEED_LIMIT
            )
        for index, joint in zip(self._joints, request["joints"]):
            pybullet.resetJointState(self._body, index, joint["start"], 0)
            # Else a motor holds it.
            pybullet.setJointMotorControl2(self._body, index, pybullet.VELOCITY_CONTROL, force=0)
        self._floor = request["floor"]
        if self._floor is not None:
            plane = pybullet.createCollisionShape(pybullet.GEOM_PLANE)
            self._plane = pybullet.createMultiBody(0, plane)
            pybullet.changeDynamics(self._plane, -1, lateralFriction=1)
        self._dynamics = [pybullet.getDynamicsInfo(self._body, link) for link in self._links]
        self._start = pybullet.saveState()

    def reset(self, has_contacts: bool) -> None:
        pybullet.restoreState(self._start)
        if self._floor is not None:
            height = self._floor if has_contacts else _FAR_BELOW
            pybullet.resetBasePositionAndOrientation(self._plane, (0, 0, height), (0, 0, 0, 1))

    def joints(self) -> tuple[Numbers, Numbers]:
        states = pybullet.getJointStates(self._body, self._joints) if self._joints else ()
        return np.array([state[0] for state in states]), np.array([state[1] for state in states])

    def step(self, forces: Numbers) -> None:
        if self._joints:
            pybullet.setJointMotorControlArray(
                self._body, self._joints, pybullet.TORQUE_CONTROL, forces=forces.tolist()
            )
        pybullet.stepSimulation()

    def bodies(self) -> Bodies:
        states = [self._state(link) for link in self._links]
        turns = [np.array(pybullet.getMatrixFromQuaternion(turn)).reshape(3, 3) for _, turn, _, _ in states]
        return Bodies(
            np.array([info[0] for info in self._dynamics]),
            np.array([centre for centre, _, _, _ in states]),
            np.array([velocity for _, _, velocity, _ in states]),
            np.array([spin for _, _, _, spin in states]),
            np.array([turn @ np.diag(info[2]) @ turn.T for turn, info in zip(turns, self._dynamics)]),
        )

    def _state(self, link: int) -> tuple[tuple[float, ...], ...]:
        """The centre of mass of a link, its turn, and how fast they change."""
        if link < 0:
            return (
                *pybullet.getBasePositionAndOrientation(self._body),
                *pybullet.getBaseVelocity(self._body),
            )
        state = pybullet.getLinkState(self._body, link, computeLinkVelocity=1, computeForwardKinematics=1)
        return state[0], state[1], state[6], state[7]
