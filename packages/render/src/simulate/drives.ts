import { singleJoints } from './joints.ts';
import { at, tuple } from './memory.ts';
import type { Simulator } from './simulator.ts';

/** Values of mjtTrn, mjtDyn, mjtGain and mjtBias, and how many numbers a gear, gains and biases have. */
const ON_JOINT = [0, 1];
const NO_DYNAMICS = 0;
const FILTERS = [2, 3];
const FIXED_GAIN = 0;
const NO_BIAS = 0;
const AFFINE_BIAS = 1;
const GEAR = 6;
const PARAMETERS = 10;

/** What pushes a joint with one degree of freedom, and is told to by one number. */
interface Drive {
  readonly actuator: number;
  readonly joint: number;
  readonly degree: number;
  /** Of its control among all. */
  readonly control: number;
  /** Of its control; undefined for any. */
  readonly range: readonly [lower: number, upper: number] | undefined;
  readonly gear: number;
  /** Force by control. */
  readonly gain: number;
}

/** Holds a position that it is told: `gain * control + constant - stiffness * length` is its force. */
export interface Servo extends Drive {
  readonly constant: number;
  readonly stiffness: number;
  /** Of the filter of its control; undefined for none. */
  readonly activation: number | undefined;
}

export function drivesOf(simulator: Simulator): Drive[] {
  const { model } = simulator;
  const single = new Set(singleJoints(simulator));
  return Array.from({ length: model.nactuator }, (_, actuator) => actuator)
    .filter(
      (actuator) =>
        ON_JOINT.includes(at(model.actuator_trntype, actuator)) &&
        single.has(at(model.actuator_trnid, actuator * 2)) &&
        at(model.actuator_gear, actuator * GEAR) !== 0 &&
        at(model.actuator_gainprm, actuator * PARAMETERS) !== 0 &&
        at(model.actuator_gaintype, actuator) === FIXED_GAIN,
    )
    .map((actuator) => {
      const joint = at(model.actuator_trnid, actuator * 2);
      const control = at(model.actuator_ctrladr, actuator);
      const [lower = 0, upper = 0] = tuple(model.actuator_ctrlrange, control, 2);
      return {
        actuator,
        joint,
        degree: at(model.jnt_dofadr, joint),
        control,
        range: upper > lower ? [lower, upper] : undefined,
        gear: at(model.actuator_gear, actuator * GEAR),
        gain: at(model.actuator_gainprm, actuator * PARAMETERS),
      };
    });
}

/** Motors, whose control is a force. */
export function motorsOf(simulator: Simulator): Drive[] {
  const { model } = simulator;
  return drivesOf(simulator).filter(
    ({ actuator }) =>
      at(model.actuator_biastype, actuator) === NO_BIAS &&
      at(model.actuator_dyntype, actuator) === NO_DYNAMICS,
  );
}

/** What integrates its control, or is a spring beside a cylinder, is told no position. */
export function servosOf(simulator: Simulator): Servo[] {
  const { model } = simulator;
  return drivesOf(simulator).flatMap((drive) => {
    const { actuator } = drive;
    const [constant = 0, toLength = 0] = tuple(model.actuator_biasprm, actuator, PARAMETERS);
    const dynamics = at(model.actuator_dyntype, actuator);
    const isFiltered = FILTERS.includes(dynamics);
    const holds = at(model.actuator_biastype, actuator) === AFFINE_BIAS && toLength !== 0;
    if (!holds || !(isFiltered || dynamics === NO_DYNAMICS)) return [];
    const activation = isFiltered ? at(model.actuator_actadr, actuator) : undefined;
    return { ...drive, constant, stiffness: -toLength, activation };
  });
}

/**
 * Tells actuators at each step what to do, no faster than their joints may move: servos go to their targets at that speed,
 * and motors do not push what has it, and slow down what is faster.
 */
export function pacedControl(simulator: Simulator): (controls: Float64Array, areNew: boolean) => void {
  const { model, data } = simulator;
  const { timestep } = model.opt;
  const isPaced = ({ joint }: Drive) => Number.isFinite(simulator.speedLimitOf(joint));
  const servos = servosOf(simulator)
    .filter(isPaced)
    .map(({ joint, control, gear, gain, stiffness }) => {
      const most = Math.abs((simulator.speedLimitOf(joint) * timestep * gear * stiffness) / gain);
      return { control, most };
    });
  const motors = motorsOf(simulator)
    .filter(isPaced)
    .map((motor) => ({ ...motor, limit: simulator.speedLimitOf(motor.joint) }));
  if (servos.length + motors.length === 0)
    return (wanted, areNew) => {
      if (areNew) (data.ctrl as Float64Array).set(wanted);
    };
  return (wanted) => {
    const controls = data.ctrl as Float64Array;
    const next = wanted.slice();
    for (const { control, most } of servos) {
      const now = at(controls, control);
      next[control] = now + Math.max(-most, Math.min(most, at(wanted, control) - now));
    }
    const velocities = data.qvel as Float64Array;
    for (const { control, degree, gear, gain, range, limit } of motors) {
      const strength = gear * gain;
      const speed = at(velocities, degree) * Math.sign(strength);
      const brake =
        (BRAKE * at(model.dof_M0, degree) * (Math.abs(speed) - limit)) / timestep / Math.abs(strength);
      if (brake > 0) next[control] = -Math.sign(speed) * Math.min(brake, Math.max(...(range ?? [brake])));
      else if (speed * Math.sign(at(wanted, control)) >= limit) next[control] = 0;
    }
    controls.set(next);
  };
}

/** The part of a joint's excess speed that a motor takes in one step. */
const BRAKE = 0.1;
