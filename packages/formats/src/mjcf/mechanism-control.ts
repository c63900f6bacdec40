import type { MjModel } from '@mujoco/mujoco';
import { LossList } from '../model/losses.ts';
import type { Actuator, Joint } from '../model/mechanism.ts';
import type { Loss } from '../verdicts.ts';
import { scaledRange } from '../writing/control.ts';
import { integer, namesOf, pair, row } from './lookups.ts';

/** `mjEQ_JOINT`. */
const JOINT_EQUALITY = 2;
/** The values of `mjtJoint` that have one coordinate. */
const SINGLE = [2, 3];

/** What couples joints to each other: equalities between the values of two of them, if they are linear. */
export function couplingsOf(
  model: MjModel,
  jointNames: readonly string[],
): {
  of(joint: number): Pick<Joint, 'mimics'>;
  /** Equalities that are not kept. */
  lost: readonly number[];
  losses: readonly Loss[];
} {
  const mimics = new Map<number, NonNullable<Joint['mimics']>>();
  const lost: number[] = [];
  const losses = new LossList();
  const width = (model.eq_data as Float64Array).length / (model.neq || 1);
  for (const [equality, name] of namesOf(model, 'equality').entries()) {
    const [follower, leader] = [integer(model.eq_obj1id, equality), integer(model.eq_obj2id, equality)];
    const [offset = 0, multiplier = 0, ...higher] = row(model.eq_data, equality, width).slice(0, 5);
    const isCoupling =
      integer(model.eq_type, equality) === JOINT_EQUALITY &&
      leader >= 0 &&
      [follower, leader].every((joint) => SINGLE.includes(integer(model.jnt_type, joint))) &&
      higher.every((coefficient) => coefficient === 0) &&
      isActive(model, equality) &&
      !mimics.has(follower);
    if (!isCoupling) {
      lost.push(equality);
      losses.add('equality', name, 'of constraints only the linear ones between two joints are kept');
      continue;
    }
    // MuJoCo couples how far the joints are from their references.
    const reference = (joint: number) =>
      (model.qpos0 as Float64Array)[integer(model.jnt_qposadr, joint)] ?? 0;
    mimics.set(follower, {
      joint: jointNames[leader] ?? '',
      multiplier,
      offset: reference(follower) + offset - multiplier * reference(leader),
    });
  }
  return {
    of: (joint) => (mimics.has(joint) ? { mimics: mimics.get(joint) } : {}),
    lost,
    losses: losses.all,
  };
}

function isActive(model: MjModel, equality: number): boolean {
  const accessor = model.eq(equality);
  const active = Boolean(accessor.active0);
  accessor.delete();
  return active;
}

/** Values of `mjtTrn`, `mjtDyn`, `mjtGain` and `mjtBias`. In the frame of its parent, a joint with one coordinate is the same. */
const JOINT = [0, 1];
const NO_DYNAMICS = 0;
const FILTERS = [2, 3];
const FIXED_GAIN = 0;
const NO_BIAS = 0;
const AFFINE_BIAS = 1;

/** The actuators of a model that are motors or servos of a joint. */
export class ModelActuators {
  readonly driving: Actuator[] = [];
  /** Actuators that are not kept. */
  readonly lost: number[] = [];
  readonly #losses = new LossList();

  constructor(model: MjModel, jointNames: readonly string[]) {
    for (const [actuator, name] of namesOf(model, 'actuator').entries()) {
      const drive = driveOf(model, actuator);
      const joint = integer(model.actuator_trnid, actuator * 2);
      if (drive === undefined || !SINGLE.includes(integer(model.jnt_type, joint))) {
        this.lost.push(actuator);
        this.#losses.add('actuator', name, 'only motors and servos of single joints are kept');
        continue;
      }
      const { scale, forceScale, ...gains } = drive;
      if (integer(model.actuator_dyntype, actuator) !== NO_DYNAMICS)
        this.#losses.add('actuator', name, 'kept without its filter');
      if (scale !== 1)
        this.#losses.add('actuator', name, 'kept as a servo whose control is the position that it goes to');
      const accessor = model.actuator(actuator);
      const isLimited = { control: Boolean(accessor.ctrllimited), force: Boolean(accessor.forcelimited) };
      accessor.delete();
      const controls = pair(model.actuator_ctrlrange, integer(model.actuator_ctrladr, actuator));
      const forces = pair(model.actuator_forcerange, integer(model.actuator_outadr, actuator));
      this.driving.push({
        name,
        joint: jointNames[joint] ?? '',
        range: isLimited.control ? scaledRange(controls, scale) : undefined,
        forceRange: isLimited.force ? scaledRange(forces, forceScale) : undefined,
        ...gains,
      });
    }
  }

  get losses(): Loss[] {
    return this.#losses.all;
  }
}

/** What an actuator does to a joint; its control and its force are these times those of MuJoCo. */
type Drive = Pick<Actuator, 'type' | 'gear' | 'kp' | 'kv'> & {
  readonly scale: number;
  readonly forceScale: number;
};

/** How an actuator drives a joint; undefined if not as a motor or servo with gains of its own. */
function driveOf(model: MjModel, actuator: number): Drive | undefined {
  const width = (values: unknown) => (values as Float64Array).length / model.nactuator;
  const of = (values: unknown) => row(values, actuator, width(values));
  const dynamics = integer(model.actuator_dyntype, actuator);
  if (
    !JOINT.includes(integer(model.actuator_trntype, actuator)) ||
    (dynamics !== NO_DYNAMICS && !FILTERS.includes(dynamics)) ||
    integer(model.actuator_gaintype, actuator) !== FIXED_GAIN
  )
    return undefined;
  const [gear = 1] = of(model.actuator_gear);
  const [gain = 0] = of(model.actuator_gainprm);
  if (gear === 0) return undefined;
  const bias = integer(model.actuator_biastype, actuator);
  if (bias === NO_BIAS)
    return gain === 0
      ? undefined
      : { type: 'motor', gear: gear * gain, kp: 0, kv: 0, scale: 1, forceScale: 1 / gain };
  const [constant = 0, minusKp = 0, minusKv = 0] = of(model.actuator_biasprm);
  const [kp, kv] = [-minusKp, -minusKv || 0];
  if (bias !== AFFINE_BIAS || constant !== 0 || gain <= 0 || kv < 0) return undefined;
  if (kp > 0) return { type: 'position', gear, kp, kv, scale: gain / kp, forceScale: 1 };
  return kp === 0 && kv === gain ? { type: 'velocity', gear, kp: 0, kv, scale: 1, forceScale: 1 } : undefined;
}
