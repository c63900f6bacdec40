import type { MainModule, MjModel } from '@mujoco/mujoco';
import { namesOf, pair } from './lookups.ts';
import { isLimitedBall, LOST_TABLES, type LostTable } from './lost-tables.ts';
import { couplingsOf, ModelActuators } from './mechanism-control.ts';
import { resetOptions } from './options.ts';

/** Numbers with which tendons do nothing to joints. */
const SLACK = {
  tendon_stiffness: [0],
  tendon_stiffnesspoly: [0],
  tendon_damping: [0],
  tendon_dampingpoly: [0],
  tendon_frictionloss: [0],
  tendon_armature: [0],
  tendon_range: [-1e9, 1e9],
} as const satisfies Partial<Record<keyof MjModel, readonly number[]>>;
/** A rotation that no ball reaches, in radians. */
const UNREACHED = 1e3;
/** `mjGAIN_FIXED`, `mjBIAS_NONE` and `mjDYN_NONE`. */
const [FIXED_GAIN, NO_BIAS, NO_DYNAMICS] = [0, 0, 0];

/**
 * Takes out of a compiled model what a mechanism does not hold, so that it moves as the mechanism that was read of it.
 * Returns false for a model with parts that cannot be taken out.
 */
export function leaveHeld(mujoco: MainModule, model: MjModel): boolean {
  if (model.nflex > 0 || model.nplugin > 0) return false;
  const joints = namesOf(model, 'joint');
  const { lost: equalities } = couplingsOf(model, joints);
  const { lost: actuators } = new ModelActuators(model, joints);
  resetOptions(mujoco, model);
  for (const [table, harmless] of Object.entries(SLACK) as [keyof MjModel, readonly number[]][])
    overwrite(model[table], harmless);
  // Numbers below zero are those of things that are not there.
  for (const { table, harmless } of (Object.values(LOST_TABLES) as LostTable[][]).flat())
    if (table !== 'jnt_range' && harmless[0] !== -1) overwrite(model[table], harmless);
  for (const joint of joints.keys()) {
    if (isLimitedBall(model, joint)) (model.jnt_range as Float64Array)[joint * 2 + 1] = UNREACHED;
    const most = Math.max(...pair(model.jnt_actfrcrange, joint).map(Math.abs));
    (model.jnt_actfrcrange as Float64Array).set([-most, most], joint * 2);
  }
  for (const equality of equalities) {
    const accessor = model.eq(equality);
    accessor.active0 = false;
    accessor.delete();
  }
  overwrite(model.actuator_dyntype, [NO_DYNAMICS]);
  for (const actuator of actuators) {
    (model.actuator_gaintype as Int32Array)[actuator] = FIXED_GAIN;
    (model.actuator_biastype as Int32Array)[actuator] = NO_BIAS;
    const gains = model.actuator_gainprm as Float64Array;
    const width = gains.length / model.nactuator;
    gains.fill(0, actuator * width, (actuator + 1) * width);
  }
  return true;
}

/** Fills a table with values that repeat; where they are undefined it stays as it is. */
function overwrite(table: unknown, values: readonly (number | undefined)[]): void {
  const numbers = table as Float64Array;
  for (let at = 0; at < numbers.length; at++)
    numbers[at] = values[at % values.length] ?? (numbers[at] as number);
}
