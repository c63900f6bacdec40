"""Newton on the processor: its solver in reduced coordinates, compiled by Warp when it first runs."""

import newton
import numpy as np
import warp

from ._trials import Bodies, CannotRun, Numbers, Request

# It says which devices there are.
warp.init()
_MAX_CONSTRAINTS = 256
_SINGLE = (newton.JointType.REVOLUTE, newton.JointType.PRISMATIC)


class Engine:
    def __init__(self, request: Request) -> None:
        builder = newton.ModelBuilder()
        builder.default_joint_cfg.armature = 0
        builder.default_shape_cfg.mu = 1
        builder.add_urdf(
            request["model"], floating=request["floats"], hide_visuals=True, enable_self_collisions=False
        )
        self._has_floor = request["floor"] is not None
        if self._has_floor:
            # As other engines have it; triangles would touch one by one.
            builder.approximate_meshes("convex_hull")
            builder.add_ground_plane(height=request["floor"])
        self._model = model = builder.finalize(device="cpu")
        model.set_gravity(request["gravity"])
        types, degrees, coordinates = model.joint_type.numpy(), model.joint_qd_start.numpy(), model.joint_q_start.numpy()
        joints = {_name(label): index for index, label in enumerate(model.joint_label)}
        bodies = {_name(label): index for index, label in enumerate(model.body_label)}
        for joint in request["joints"]:
            if types[joints[joint["name"]]] not in _SINGLE:
                raise CannotRun(f'joint "{joint["name"]}" cannot move')
        indices = [joints[joint["name"]] for joint in request["joints"]]
        self._degrees, self._coordinates = degrees[indices], coordinates[indices]
        self._bodies = [bodies[name] for name in request["bodies"]]
        self._timestep = request["timestep"]
        self._solver = newton.solvers.SolverSteel(
            model, enable_joint_limits=True, articulation_constraint_max=_MAX_CONSTRAINTS
        )
        self.losses: list[str] = []
        self._start = model.joint_q.numpy().copy()
        self._start[self._coordinates] = [joint["start"] for joint in request["joints"]]
        self._states = model.state(), model.state()
        self._control = model.control()
        self._pipeline = newton.CollisionPipeline(model) if self._has_floor else None
        self._contacts = self._pipeline and self._pipeline.contacts()
        self._mass, self._inertia = model.body_mass.numpy(), model.body_inertia.numpy()
        self._centre = model.body_com.numpy()

    def reset(self, has_contacts: bool) -> None:
        self._touches = has_contacts and self._has_floor
        state = self._states[0]
        state.joint_q.assign(self._start)
        state.joint_qd.zero_()
        newton.eval_fk(self._model, state.joint_q, state.joint_qd, state)

    def joints(self) -> tuple[Numbers, Numbers]:
        state = self._states[0]
        return (
            state.joint_q.numpy()[self._coordinates].astype(float),
            state.joint_qd.numpy()[self._degrees].astype(float),
        )

    def step(self, forces: Numbers) -> None:
        state, after = self._states
        state.clear_forces()
        self._control.joint_f.numpy()[self._degrees] = forces
        if self._touches:
            self._pipeline.collide(state, self._contacts)
        self._solver.step(state, after, self._control, self._contacts if self._touches else None, self._timestep)
        self._states = after, state

    def bodies(self) -> Bodies:
        places = self._states[0].body_q.numpy()[self._bodies].astype(float)
        speeds = self._states[0].body_qd.numpy()[self._bodies].astype(float)
        turns = np.array([_turn(place[3:]) for place in places])
        return Bodies(
            self._mass[self._bodies].astype(float),
            places[:, :3] + np.einsum("nij,nj->ni", turns, self._centre[self._bodies]),
            speeds[:, :3],
            speeds[:, 3:],
            np.einsum("nij,njk,nlk->nil", turns, self._inertia[self._bodies], turns),
        )


def _name(label: str) -> str:
    """A label begins with the name of the robot."""
    return label.split("/", 1)[-1]


def _turn(quaternion: Numbers) -> Numbers:
    return np.array(warp.quat_to_matrix(warp.quat(*quaternion))).reshape(3, 3)
