"""The trials of an engine: a model is held by its joints, on a floor if it floats, and then driven by them."""

from typing import Any, NamedTuple, Protocol, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.float64]


class Joint(TypedDict):
    """A hinge or slide; radians or metres, and newton metres or newtons for each of them."""

    name: str
    start: float
    target: float
    stiffness: float
    damping: float
    follows: bool


class Trial(TypedDict):
    isDriven: bool
    hasContacts: bool
    seconds: float


class Request(TypedDict):
    """What is asked of an engine; all of it is chosen by whoever asks. Metres, kilograms, seconds."""

    model: str
    """The URDF to open."""
    floats: bool
    """Whether its root is free."""
    bodies: list[str]
    joints: list[Joint]
    floating: list[str]
    """Free joints other than that of the root."""
    gravity: list[float]
    floor: float | None
    timestep: float
    lookSeconds: float
    hugeValue: float
    trials: list[Trial]
    memoryBytes: int
    processorSeconds: int


class Bodies(NamedTuple):
    """The bodies of a request in their order: centres of mass, and how these move, in the world."""

    mass: Numbers
    centre: Numbers
    velocity: Numbers
    spin: Numbers
    inertia: Numbers


class Engine(Protocol):
    losses: list[str]
    """What it leaves out of this model."""

    def reset(self, has_contacts: bool) -> None: ...

    def joints(self) -> tuple[Numbers, Numbers]:
        """Values and speeds of the joints of the request in their order."""

    def step(self, forces: Numbers) -> None: ...

    def bodies(self) -> Bodies: ...


class CannotRun(Exception):
    """The engine does not hold the model."""


def measure(engine: Engine, request: Request) -> dict[str, Any]:
    return {"losses": engine.losses, "trials": [_measure(engine, request, trial) for trial in request["trials"]]}


def _measure(engine: Engine, request: Request, trial: Trial) -> dict[str, Any]:
    joints, timestep, gravity = request["joints"], request["timestep"], np.array(request["gravity"])
    held = [[joint["start"], joint["target"], joint["stiffness"], joint["damping"]] for joint in joints]
    start, target, stiffness, damping = np.array(held, dtype=np.float64).reshape(-1, 4).T
    steps = max(1, round(trial["seconds"] / timestep))
    every = max(1, round(request["lookSeconds"] / timestep))
    engine.reset(trial["hasContacts"])
    values, speeds = engine.joints()
    bodies = engine.bodies()
    kinetic, first = _energies(bodies, gravity)
    work, gain, peak, broken = 0.0, 0.0, kinetic, None
    course: list[list[float]] = []
    for step in range(1, steps + 1):
        # They arrive half-way, so that the end shows where they stay.
        part = min(1.0, 2 * step / steps) if trial["isDriven"] else 0.0
        forces = stiffness * (start + part * (target - start) - values) - damping * speeds
        engine.step(forces)
        values, speeds = engine.joints()
        work += float(forces @ speeds) * timestep
        if step % every:
            continue
        bodies = engine.bodies()
        numbers = np.concatenate([values, speeds, *(part.ravel() for part in bodies[1:4])])
        if not np.all(np.abs(numbers) < request["hugeValue"]):
            broken = step * timestep
            break
        kinetic, total = _energies(bodies, gravity)
        gain, peak = max(gain, total - first - work), max(peak, kinetic)
        course.append(values.tolist())
    return {
        "broken": broken,
        "gain": gain,
        "peak": peak,
        "course": course,
        "centres": [] if broken is not None else bodies.centre.tolist(),
    }


def _energies(bodies: Bodies, gravity: Numbers) -> tuple[float, float]:
    """The kinetic energy, and the sum of it and the potential one, in joules."""
    mass, centre, velocity, spin, inertia = bodies
    kinetic = 0.5 * float(mass @ (velocity**2).sum(1) + np.einsum("ni,nij,nj->", spin, inertia, spin))
    return kinetic, kinetic - float(mass @ (centre @ gravity))
