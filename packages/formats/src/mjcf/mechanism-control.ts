import type { MjModel } from '@mujoco/mujoco';
import type { Actuator, Joint } from '../model/mechanism.ts';
import type { Loss } from '../verdicts.ts';
import { nameOf } from './lookups.ts';
import { integer, pair, row } from './mechanism-tables.ts';

/** `mjEQ_JOINT`. */
const JOINT_EQUALITY = 2;
/** The values of `mjtJoint` that have one coordinate. */
const SINGLE = [2, 3];

/** What couples joints to each other: equalities between the values of two of them, if they are linear. */
export function couplingsOf(
  model: MjModel,
  jointNames: readonly string[],
): { of(joint: number): Pick<Joint, 'mimics'>; losses: readonly Loss[] } {
  const mimics = new Map<number, NonNullable<Joint['mimics']>>();
  const lost: string[] = [];
  const width = (model.eq_data as Float64Array).length / (model.neq || 1);
  for (let equality = 0; equality < model.neq; equality++) {
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
      lost.push(nameOf(model, model.name_eqadr, equality));
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
  const why = 'of constraints only the linear ones between two joints are kept';
  return {
    of: (joint) => (mimics.has(joint) ? { mimics: mimics.get(joint) } : {}),
    losses: lost.length === 0 ? [] : [{ what: 'equality', names: named(lost), why }],
  };
}

function isActive(model: MjModel, equality: number): boolean {
  const accessor = model.eq(equality);
  const active = Boolean(accessor.active0);
  accessor.delete();
  return active;
}

/** Values of `mjtTrn`, `mjtDyn`, `mjtGain` and `mjtBias`. */
const JOINT = 0;
const NO_DYNAMICS = 0;
const FILTERS = [2, 3];
const FIXED_GAIN = 0;
const NO_BIAS = 0;
const AFFINE_BIAS = 1;

/** The actuators of a model that are motors or servos of a joint. */
export class ModelActuators {
  readonly driving: Actuator[] = [];
  readonly losses: Loss[] = [];

  constructor(model: MjModel, jointNames: readonly string[]) {
    const [lost, unfiltered]: [string[], string[]] = [[], []];
    for (let actuator = 0; actuator < model.nactuator; actuator++) {
      const name = nameOf(model, model.name_actuatoradr, actuator);
      const drive = driveOf(model, actuator);
      const joint = integer(model.actuator_trnid, actuator * 2);
      if (drive === undefined || !SINGLE.includes(integer(model.jnt_type, joint))) {
        lost.push(name);
        continue;
      }
      if (integer(model.actuator_dyntype, actuator) !== NO_DYNAMICS) unfiltered.push(name);
      const accessor = model.actuator(actuator);
      const isLimited = { control: Boolean(accessor.ctrllimited), force: Boolean(accessor.forcelimited) };
      accessor.delete();
      this.driving.push({
        name: name || `actuator_${actuator}`,
        joint: jointNames[joint] ?? '',
        range: isLimited.control
          ? pair(model.actuator_ctrlrange, integer(model.actuator_ctrladr, actuator))
          : undefined,
        forceRange: isLimited.force
          ? pair(model.actuator_forcerange, integer(model.actuator_outadr, actuator))
          : undefined,
        ...drive,
      });
    }
    const [kept, filter] = ['only motors and servos of single joints are kept', 'kept without its filter'];
    if (lost.length > 0) this.losses.push({ what: 'actuator', names: named(lost), why: kept });
    if (unfiltered.length > 0) this.losses.push({ what: 'actuator', names: named(unfiltered), why: filter });
  }
}

/** How an actuator drives a joint; undefined if not as a motor or servo with gains of its own. */
function driveOf(
  model: MjModel,
  actuator: number,
): Pick<Actuator, 'type' | 'gear' | 'kp' | 'kv'> | undefined {
  const width = (values: unknown) => (values as Float64Array).length / model.nactuator;
  const of = (values: unknown) => row(values, actuator, width(values));
  const dynamics = integer(model.actuator_dyntype, actuator);
  if (
    integer(model.actuator_trntype, actuator) !== JOINT ||
    (dynamics !== NO_DYNAMICS && !FILTERS.includes(dynamics)) ||
    integer(model.actuator_gaintype, actuator) !== FIXED_GAIN
  )
    return undefined;
  const [gear = 1] = of(model.actuator_gear);
  const [gain = 0] = of(model.actuator_gainprm);
  const bias = integer(model.actuator_biastype, actuator);
  if (bias === NO_BIAS) return { type: 'motor', gear: gear * gain, kp: 0, kv: 0 };
  const [constant = 0, stiffness = 0, damping = 0] = of(model.actuator_biasprm);
  if (bias !== AFFINE_BIAS || constant !== 0) return undefined;
  if (stiffness === -gain && gain > 0) return { type: 'position', gear, kp: gain, kv: -damping || 0 };
  if (stiffness === 0 && damping === -gain) return { type: 'velocity', gear, kp: 0, kv: gain };
  return undefined;
}

function named(names: readonly string[]): string[] {
  return names.filter((name) => name !== '');
}
