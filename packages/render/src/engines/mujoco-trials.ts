import { namesOf } from '@bindery/formats/mjcf/lookups';
import { reachOf } from '@bindery/formats/model/kinematics';
import type { Joint } from '@bindery/formats/model/mechanism';
import type { MainModule, MjModel } from '@mujoco/mujoco';
import { boxAround, collides } from '../simulate/geoms.ts';
import { TOLERANCES } from '../simulate/joints.ts';
import { at, GEOM, vector } from '../simulate/memory.ts';
import { MAX_GAIN } from '../simulate/run-findings.ts';
import { TOLD } from '../simulate/servo-findings.ts';
import { Simulator } from '../simulate/simulator.ts';
import { LOOK_SECONDS } from '../simulate/trials.ts';
import type { DrivenJoint, EngineRequest, EngineTrial, Measured } from './protocol.ts';

/** What engines are asked, what MuJoCo did, and what a sound model stays within. */
export interface MujocoTrials {
  readonly request: EngineRequest;
  readonly reference: readonly Measured[];
  readonly bounds: EngineBounds;
}

export interface EngineBounds {
  /** The part of its energy that a model may gain from nowhere. */
  readonly gain: number;
  /** The energy that lifts the model by its own size, in joules. */
  readonly energy: number;
  /** In metres. */
  readonly size: number;
  /** By the joints of the request: how far they may get, in radians or metres; `null` without limits. */
  readonly limits: readonly (readonly [least: number, most: number] | null)[];
  readonly areHinges: readonly boolean[];
}

/** What is known of a model before it is compiled. */
export interface TriedModel extends Pick<EngineRequest, 'floats' | 'bodies' | 'floating'> {
  /** Its hinges and slides. */
  readonly joints: readonly Joint[];
  /** The body of the floor, if something can fall. */
  readonly floor: string | undefined;
}

/** How long a trial is, and the shortest step, in simulated seconds, so that none takes forever. */
const [SECONDS, MIN_STEP] = [2, 1e-3];
/** How fast a joint that is held would swing, in radians a second, and in radians a step: stiffer ones are unstable. */
const [STIFFNESS, MAX_STIFFNESS] = [30, 0.06];
/** How high what floats begins above the floor, as a part of its size. */
const DROP = 0.02;
/** Where MuJoCo gives up. */
const HUGE = 1e10;

export function tryInMujoco(
  mujoco: MainModule,
  model: MjModel,
  { joints, floor, ...rest }: TriedModel,
): MujocoTrials {
  const { opt } = model;
  opt.timestep = Math.max(MIN_STEP, opt.timestep);
  const simulator = new Simulator(mujoco, model);
  try {
    const names = { joints: namesOf(model, 'joint'), bodies: namesOf(model, 'body') };
    simulator.reset(model.nkey > 0 ? 0 : -1);
    const ground = placeFloor(simulator, floor === undefined ? -1 : names.bodies.indexOf(floor));
    const ids = joints.map(({ name }) => names.joints.indexOf(name));
    const trials: EngineTrial[] = [
      { isDriven: false, hasContacts: floor !== undefined, seconds: SECONDS },
      ...(joints.length > 0 ? [{ isDriven: true, hasContacts: false, seconds: SECONDS }] : []),
    ];
    const request: EngineRequest = {
      ...rest,
      joints: joints.map((joint, index) => drivenJoint(simulator, joint, ids[index] ?? 0, targetsOf(joints))),
      gravity: vector(opt.gravity, 0),
      floor: floor === undefined ? null : ground.height,
      timestep: opt.timestep,
      lookSeconds: LOOK_SECONDS,
      hugeValue: HUGE,
      trials,
    };
    const places = {
      joints: ids.map((joint) => at(model.jnt_qposadr, joint)),
      degrees: ids.map((joint) => at(model.jnt_dofadr, joint)),
      bodies: rest.bodies.map((body) => names.bodies.indexOf(body)),
    };
    const reference = trials.map((trial) => measure(mujoco, simulator, { request, trial, places }));
    const [part, least] = TOLERANCES['joint-passes-limit'];
    const bounds: EngineBounds = {
      gain: MAX_GAIN,
      energy: simulator.energyScale,
      size: ground.size,
      limits: ids.map((joint) => {
        const [lower, upper] = simulator.limitsOf(joint) ?? [0, Number.POSITIVE_INFINITY];
        const slack = part * (upper - lower) + least;
        return Number.isFinite(slack) ? [lower - slack, upper + slack] : null;
      }),
      areHinges: joints.map(({ type }) => type === 'hinge'),
    };
    return { request, reference, bounds };
  } finally {
    simulator.delete();
  }
}

/** Puts the floor below the model, and lets nothing touch but these two. */
function placeFloor(simulator: Simulator, floor: number): { height: number; size: number } {
  const { model } = simulator;
  const [low, high] = [Array(3).fill(0), Array(3).fill(0)];
  for (let geom = 0; geom < model.ngeom; geom++) {
    if (at(model.geom_type, geom) === GEOM.plane || !collides(model, geom)) continue;
    const box = boxAround(simulator, geom);
    for (const axis of [0, 1, 2]) {
      low[axis] = Math.min(low[axis], at(box[0], axis));
      high[axis] = Math.max(high[axis], at(box[1], axis));
    }
    (model.geom_conaffinity as number[])[geom] = 0;
  }
  const size = Math.hypot(...high.map((end, axis) => end - low[axis])) || model.stat.extent;
  const height = low[2] - DROP * size;
  if (floor >= 0) (model.body_pos as number[])[floor * 3 + 2] = height;
  return { height, size };
}

function drivenJoint(
  { model, data }: Simulator,
  { name, mimics }: Joint,
  id: number,
  targets: ReadonlyMap<string, number>,
): DrivenJoint {
  const swing = Math.min(STIFFNESS, MAX_STIFFNESS / model.opt.timestep);
  const inertia = 1 / at(model.dof_invweight0, at(model.jnt_dofadr, id));
  const target = targets.get(name) ?? 0;
  return {
    name,
    start: at(data.qpos, at(model.jnt_qposadr, id)),
    target:
      mimics === undefined ? target : mimics.multiplier * (targets.get(mimics.joint) ?? 0) + mimics.offset,
    stiffness: swing ** 2 * inertia,
    damping: 2 * swing * inertia,
    follows: mimics !== undefined,
  };
}

/** Four fifths of the way from the lower limit of a joint to its upper one. */
function targetsOf(joints: readonly Joint[]): Map<string, number> {
  return new Map(
    joints.map(({ name, type, limits }) => {
      const [lower, upper] = reachOf(type === 'slide' ? 'slide' : 'hinge', limits);
      return [name, lower + (TOLD[1] ?? 1) * (upper - lower)];
    }),
  );
}

interface Places {
  readonly joints: readonly number[];
  readonly degrees: readonly number[];
  readonly bodies: readonly number[];
}

/** As `_trials.py` has engines do it. */
function measure(
  mujoco: MainModule,
  simulator: Simulator,
  { request, trial, places }: { request: EngineRequest; trial: EngineTrial; places: Places },
): Measured {
  const { model, data } = simulator;
  const { timestep, lookSeconds, joints } = request;
  const steps = Math.max(1, Math.round(trial.seconds / timestep));
  const every = Math.max(1, Math.round(lookSeconds / timestep));
  const values = (of: unknown, addresses: readonly number[]) => addresses.map((address) => at(of, address));
  const withoutContacts = mujoco.mjtDisableBit.mjDSBL_CONTACT.value;
  model.opt.disableflags = trial.hasContacts ? 0 : withoutContacts;
  simulator.reset(model.nkey > 0 ? 0 : -1);
  const { total: first, kinetic } = simulator.energy();
  let [work, gain, peak, broken] = [0, 0, kinetic, null as number | null];
  const course: number[][] = [];
  for (let step = 1; step <= steps && broken === null; step++) {
    const part = trial.isDriven ? Math.min(1, (2 * step) / steps) : 0;
    const [before, speeds] = [values(data.qpos, places.joints), values(data.qvel, places.degrees)];
    const forces = joints.map(({ start, target, stiffness, damping }, index) => {
      const wanted = start + part * (target - start);
      return stiffness * (wanted - at(before, index)) - damping * at(speeds, index);
    });
    const applied = data.qfrc_applied as number[];
    for (const [index, degree] of places.degrees.entries()) applied[degree] = at(forces, index);
    simulator.step();
    const after = values(data.qvel, places.degrees);
    work += forces.reduce((sum, force, index) => sum + force * at(after, index), 0) * timestep;
    if (step % every !== 0) continue;
    if (simulator.breakdown(step) !== undefined) broken = step * timestep;
    mujoco.mj_forward(model, data);
    const energy = simulator.energy();
    [gain, peak] = [Math.max(gain, energy.total - first - work), Math.max(peak, energy.kinetic)];
    course.push(values(data.qpos, places.joints));
  }
  mujoco.mj_forward(model, data);
  const centres = places.bodies.map((body) => [...vector(data.xipos, body)]);
  return { broken, gain, peak, course, centres: broken === null ? centres : [] };
}
