import type { SimulationProblem } from '@bindery/formats';
import type { Simulator } from './simulator.ts';
import type { Trial } from './trials.ts';

/** Values of mjtJoint and mjtGeom. */
const FREE = 0;
const SLIDE = 2;
const HINGE = 3;
const PLANE = 0;

/** Energies are judged as parts of the one that lifts the whole model by its own size; sound models stay below 0.01. */
const MAX_GAIN = 0.1;
const SOLVER = {
  'singular-inertia': 'the inertia matrix is singular',
  'too-many-contacts': 'more contacts than its memory holds',
  'too-many-constraints': 'more constraints than its memory holds',
} as const;

/** What a trial shows; `when` begins the sentences: "at rest". */
export function trialProblems(trial: Trial, when: string, simulator: Simulator): SimulationProblem[] {
  const { breakdown, gain, gainedAt, course, solverWarnings } = trial;
  if (breakdown !== undefined) {
    const joint = at(simulator.model.dof_jntid, breakdown.degree);
    const what = `the ${breakdown.what} of ${simulator.nameOf('joint', joint)}`;
    const message = `${when}, ${what} is huge or not a number after ${rounded(breakdown.time)} s`;
    return [{ code: 'simulation-unstable', message }];
  }
  const problems: SimulationProblem[] = solverWarnings.map((warning) => ({
    code: 'simulation-solver',
    message: `${when}, MuJoCo warns: ${SOLVER[warning]}`,
  }));
  const part = gain / simulator.energyScale;
  // Integration drifts by a part of the energy that there is.
  if (gain > MAX_GAIN * (simulator.energyScale + Math.max(...course))) {
    const message =
      `${when}, it gains ${rounded(gain)} J by ${rounded(gainedAt)} s that no actuator put in: ` +
      `${rounded(part)} times what lifts it by its own size`;
    problems.push({ code: 'simulation-gains-energy', message });
  }
  return problems;
}

/** How deep two geoms may overlap at the start, as a part of half the thickness of the thinner one. */
const MAX_OVERLAP = 0.5;

/** What is wrong with a keyframe, or with the reference pose for −1. */
export function startProblems(simulator: Simulator, keyframe: number): SimulationProblem[] {
  const { model } = simulator;
  simulator.reset(keyframe);
  const where = keyframe < 0 ? 'at the start' : `in keyframe ${simulator.nameOf('key', keyframe)}`;
  const problems: SimulationProblem[] = [];
  let deepest = { part: MAX_OVERLAP, message: '' };
  for (const { geoms, distance } of simulator.contacts()) {
    const part = -distance / Math.min(...geoms.map((geom) => halfThickness(model, geom)));
    if (!(part > deepest.part)) continue;
    const [a, b] = geoms
      .map((geom) => at(model.geom_bodyid, geom))
      .sort((one, other) => other - one)
      .map((body) => simulator.nameOf('body', body));
    deepest = { part, message: `${where}, ${a} is ${rounded(-distance * 1_000)} mm deep in ${b}` };
  }
  if (deepest.message !== '') problems.push({ code: 'starts-in-collision', message: deepest.message });
  problems.push(...outsideLimits(simulator, where, 'starts-outside-limits'));
  return problems;
}

/** Finds joints that are beyond their limits at this moment. */
export function outsideLimits(
  simulator: Simulator,
  when: string,
  code: 'starts-outside-limits' | 'joint-passes-limit',
): SimulationProblem[] {
  return limitedJoints(simulator).flatMap((joint): SimulationProblem[] => {
    const value = at(simulator.data.qpos, joint.address);
    const outside = Math.max(joint.lower - value, value - joint.upper);
    if (outside <= tolerance(joint)) return [];
    return [{ code, message: `${when}, ${joint.name} is at ${rounded(value)}, outside of ${range(joint)}` }];
  });
}

/** A plane ends nowhere. */
function halfThickness({ geom_type, geom_aabb }: Simulator['model'], geom: number): number {
  if (at(geom_type, geom) === PLANE) return Number.POSITIVE_INFINITY;
  return Math.min(...halfSizes(geom_aabb, geom));
}

/** Half the sides of a geom's bounding box. */
function halfSizes(boxes: unknown, geom: number): number[] {
  return [3, 4, 5].map((axis) => at(boxes, geom * 6 + axis));
}

interface LimitedJoint {
  readonly name: string;
  readonly isHinge: boolean;
  readonly address: number;
  readonly degree: number;
  /** Radians or metres. */
  readonly lower: number;
  readonly upper: number;
}

function limitedJoints(simulator: Simulator): LimitedJoint[] {
  const { model } = simulator;
  return Array.from({ length: model.njnt }, (_, joint) => joint)
    .filter((joint) => [SLIDE, HINGE].includes(at(model.jnt_type, joint)))
    .flatMap((joint) => {
      const limits = simulator.limitsOf(joint);
      if (limits === undefined) return [];
      const [lower, upper] = limits;
      return {
        name: simulator.nameOf('joint', joint),
        isHinge: at(model.jnt_type, joint) === HINGE,
        address: at(model.jnt_qposadr, joint),
        degree: at(model.jnt_dofadr, joint),
        lower,
        upper,
      };
    });
}

/** Limits give way a little. */
function tolerance({ lower, upper }: LimitedJoint): number {
  return 0.1 * (upper - lower) + 0.02;
}

function range({ lower, upper }: LimitedJoint): string {
  return `${rounded(lower)} to ${rounded(upper)}`;
}

/** More than two turns in radians, and less than what people write for "without limit". */
const MANY_TURNS = 4 * Math.PI;
const NO_LIMIT = 1_000;
const MIN_GRAVITY = 1;
const MAX_GRAVITY = 30;

/** What is unusual about the world and the limits of joints: degrees that are read as radians, weight that points up. */
export function unusualProblems(simulator: Simulator): SimulationProblem[] {
  const problems: SimulationProblem[] = limitedJoints(simulator)
    .filter(({ isHinge, lower, upper }) => {
      const most = Math.max(Math.abs(lower), Math.abs(upper));
      return isHinge && most > MANY_TURNS && most < NO_LIMIT;
    })
    .map((joint) => ({
      code: 'limits-implausible',
      message: `${joint.name} turns from ${range(joint)} rad: are these degrees?`,
    }));
  const [x = 0, y = 0, z = 0] = simulator.model.opt.gravity as number[];
  const strength = Math.hypot(x, y, z);
  const isDown = -z > strength / 2;
  if (strength > 0 && !(isDown && strength > MIN_GRAVITY && strength < MAX_GRAVITY)) {
    const message = `gravity is ${[x, y, z].map(rounded).join(' ')} m/s²; Z points up`;
    problems.push({ code: 'gravity-unusual', message });
  }
  return problems;
}

/** Metres or radians per second squared, and seconds, with which joints are driven against their limits. */
const PUSH = 20;
const PUSH_SECONDS = 1.5;

/** Finds joints that do not stop at their limits when all are driven there. */
export function limitProblems(simulator: Simulator): SimulationProblem[] {
  const joints = limitedJoints(simulator);
  if (joints.length === 0) return [];
  const { model, data } = simulator;
  const problems: SimulationProblem[] = [];
  simulator.inEmptySpace(false, () => {
    for (const direction of [-1, 1]) {
      simulator.reset(-1);
      for (let step = 0; step < PUSH_SECONDS / model.opt.timestep; step++) {
        const applied = data.qfrc_applied as number[];
        for (const { degree } of joints) applied[degree] = direction * PUSH * at(model.dof_M0, degree);
        simulator.step();
      }
      const when = direction < 0 ? 'driven down' : 'driven up';
      problems.push(...outsideLimits(simulator, when, 'joint-passes-limit'));
    }
  });
  return problems;
}

/** Values of mjtGain, mjtBias and mjtTrn for a servo on a joint, and how many numbers each has. */
const FIXED_GAIN = 0;
const AFFINE_BIAS = 1;
const ON_JOINT = 0;
const PARAMETERS = 10;
const SERVO_SECONDS = 3;
/** How far a servo may be from its target at last, and how fast in a second, as a part of its range. */
const MAX_MISS = 0.25;

interface Servo {
  readonly actuator: number;
  readonly joint: number;
  /** Of its control. */
  readonly lower: number;
  readonly upper: number;
  /** How far its joint moves: by its limits, or by the control. */
  readonly reach: number;
}

/** The servos on joints whose controls have a range. */
function servosOf(simulator: Simulator): Servo[] {
  const { model } = simulator;
  return Array.from({ length: model.nu }, (_, actuator) => actuator)
    .filter(
      (actuator) =>
        at(model.actuator_trntype, actuator) === ON_JOINT &&
        at(model.actuator_gaintype, actuator) === FIXED_GAIN &&
        at(model.actuator_biastype, actuator) === AFFINE_BIAS &&
        at(model.actuator_biasprm, actuator * PARAMETERS + 1) !== 0,
    )
    .map((actuator) => {
      const lower = at(model.actuator_ctrlrange, actuator * 2);
      const upper = at(model.actuator_ctrlrange, actuator * 2 + 1);
      const joint = at(model.actuator_trnid, actuator * 2);
      const [lowest, highest] = simulator.limitsOf(joint) ?? [lower, upper];
      const reach = Math.min(upper - lower, highest - lowest);
      return { actuator, joint, lower, upper, reach };
    })
    .filter(({ lower, upper }) => upper > lower);
}

const HOLD_SECONDS = 1;

/** Finds joints with servos that leave the pose of a keyframe; sound models keep within a tenth of their reach. */
export function holdProblems(simulator: Simulator, keyframe: number): SimulationProblem[] {
  const { model, data } = simulator;
  const joints = new Map(
    servosOf(simulator)
      .filter(({ joint }) => [SLIDE, HINGE].includes(at(model.jnt_type, joint)))
      .map(({ joint, reach }) => [joint, { address: at(model.jnt_qposadr, joint), reach }]),
  );
  if (joints.size === 0) return [];
  simulator.reset(keyframe);
  const start = Float64Array.from(data.qpos as ArrayLike<number>);
  for (let step = 0; step < HOLD_SECONDS / model.opt.timestep; step++) simulator.step();
  return [...joints].flatMap(([joint, { address, reach }]): SimulationProblem[] => {
    const [from, to] = [at(start, address), at(data.qpos, address)];
    if (!(Math.abs(to - from) > MAX_MISS * reach)) return [];
    const message =
      `keyframe ${simulator.nameOf('key', keyframe)} has ${simulator.nameOf('joint', joint)} at ${rounded(from)}, ` +
      `but its servo takes it to ${rounded(to)} in ${HOLD_SECONDS} s: do the controls of the keyframe (ctrl) fit it?`;
    return [{ code: 'keyframe-not-held', message }];
  });
}

/** Finds servos that do not take their joints where they are told. */
export function servoProblems(simulator: Simulator): SimulationProblem[] {
  const { model, data } = simulator;
  const servos = servosOf(simulator);
  if (servos.length === 0) return [];
  const missed = new Map<number, string>();
  simulator.inEmptySpace(true, () => {
    for (const part of [0.3, 0.7]) {
      simulator.reset(-1);
      for (let step = 0; step < SERVO_SECONDS / model.opt.timestep; step++) {
        const controls = data.ctrl as number[];
        for (const { actuator, lower, upper } of servos) controls[actuator] = lower + part * (upper - lower);
        simulator.step();
      }
      for (const { actuator, reach } of servos) {
        const [target, reached] = [at(data.ctrl, actuator), at(data.actuator_length, actuator)];
        const missedBy = Math.max(Math.abs(reached - target), Math.abs(at(data.actuator_velocity, actuator)));
        if (missedBy <= MAX_MISS * reach) continue;
        missed.set(
          actuator,
          `told ${rounded(target)}, ${simulator.nameOf('actuator', actuator)} is at ${rounded(reached)} after ${SERVO_SECONDS} s`,
        );
      }
    }
  });
  return [...missed.values()].map((message) => ({ code: 'actuator-misses-target', message }));
}

/**
 * The radius of gyration of a body is at most the distance to its farthest point, and not much smaller in any shape that
 * carries its mass.
 */
const MAX_SPREAD = 1.2;
const MIN_SPREAD = 0.02;

/** Kilograms in a cubic metre: a little more than osmium has. */
const MAX_DENSITY = 25_000;

/** Finds bodies whose inertia does not belong to their mass in the size that their geoms show, or whose mass does not. */
export function massProblems(simulator: Simulator): SimulationProblem[] {
  const { model } = simulator;
  const reach = new Float64Array(model.nbody);
  const volume = new Float64Array(model.nbody);
  for (let geom = 0; geom < model.ngeom; geom++) {
    const body = at(model.geom_bodyid, geom);
    const offset = [0, 1, 2].map(
      (axis) => at(model.geom_pos, geom * 3 + axis) - at(model.body_ipos, body * 3 + axis),
    );
    reach[body] = Math.max(reach[body] ?? 0, Math.hypot(...offset) + at(model.geom_rbound, geom));
    volume[body] = (volume[body] ?? 0) + 8 * halfSizes(model.geom_aabb, geom).reduce((a, b) => a * b, 1);
  }
  const problems: SimulationProblem[] = [];
  for (let body = 1; body < model.nbody; body++) {
    const [mass, radius] = [at(model.body_mass, body), reach[body] ?? 0];
    const isFixed = at(model.body_weldid, body) === 0;
    if (isFixed || !(mass > 0) || !(radius > 0)) continue;
    const name = simulator.nameOf('body', body);
    const density = mass / (volume[body] ?? 0);
    if (density > MAX_DENSITY && density < Number.POSITIVE_INFINITY) {
      const message = `${name} weighs ${rounded(mass)} kg, which is ${rounded(density)} kg/m³ in its size: more than any metal`;
      problems.push({ code: 'mass-implausible', message });
    }
    const largest = Math.max(...[0, 1, 2].map((axis) => at(model.body_inertia, body * 3 + axis)));
    const spread = Math.sqrt(largest / mass);
    if (spread <= MAX_SPREAD * radius && spread >= MIN_SPREAD * radius) continue;
    const message = `${name} turns as if its mass were ${rounded(spread * 1_000)} mm from its centre, but it reaches ${rounded(radius * 1_000)} mm`;
    problems.push({ code: 'inertia-implausible', message });
  }
  return problems;
}

/** How far something must have fallen to count as lost: this many times the model's size. */
const LOST = 3;

/** Finds what has fallen out of the world since its start. */
export function fallProblems(
  simulator: Simulator,
  startHeights: readonly number[],
  when: string,
  isAtRest: boolean,
): SimulationProblem[] {
  const { model, data } = simulator;
  const floors = Array.from({ length: model.ngeom }, (_, geom) => geom).filter(
    (geom) => at(model.geom_type, geom) === PLANE && at(model.body_weldid, at(model.geom_bodyid, geom)) === 0,
  );
  return freeTrees(simulator).flatMap((root, index): SimulationProblem[] => {
    const height = at(data.subtree_com, root * 3 + 2);
    const start = startHeights[index] ?? height;
    if (start - height < LOST * model.stat.extent) return [];
    const name = simulator.nameOf('body', root);
    const fallen = `${when}, ${name} falls ${rounded(start - height)} m`;
    const passed = floors.find((floor) => {
      const z = at(data.geom_xpos, floor * 3 + 2);
      return start >= z && height < z;
    });
    if (passed !== undefined)
      return [
        { code: 'falls-through-floor', message: `${fallen}, through ${simulator.nameOf('geom', passed)}` },
      ];
    // What moves can fall off the edge of what it stood on.
    return isAtRest ? [{ code: 'nothing-below', message: `${fallen}: nothing holds it` }] : [];
  });
}

/** The bodies that float freely in the world. */
export function freeTrees({ model }: Simulator): number[] {
  return Array.from({ length: model.njnt }, (_, joint) => joint)
    .filter((joint) => at(model.jnt_type, joint) === FREE)
    .map((joint) => at(model.jnt_bodyid, joint));
}

export function heightsOf(simulator: Simulator): number[] {
  return freeTrees(simulator).map((root) => at(simulator.data.subtree_com, root * 3 + 2));
}

/** A number of a view of MuJoCo's memory. */
function at(values: unknown, index: number): number {
  return (values as ArrayLike<number>)[index] ?? 0;
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
