import { seeded } from '../random.ts';
import type { Breakdown, Simulator } from './simulator.ts';

/** How long a trial is, and how often a model is looked at meanwhile, in simulated seconds. */
const TRIAL_SECONDS = 10;
const LOOK_SECONDS = 0.02;
/** How long one random control is held, in simulated seconds. */
const HOLD_SECONDS = 0.2;
/** The time between two moments of a run that are pictured, in simulated seconds. */
const MOMENT_SECONDS = 0.2;
/** Kinetic energies of a trial, for a picture of its course. */
const COURSE_POINTS = 64;

/** What happened in one run of a model. Energies are in joules. */
export interface Trial {
  /** Simulated; shorter than asked for after a breakdown. */
  readonly seconds: number;
  readonly breakdown: Breakdown | undefined;
  readonly solverWarnings: ReturnType<Simulator['solverWarnings']>;
  /** The most by which the energy grew beyond what the actuators put in; what they took out counts if nothing controls them. */
  readonly gain: number;
  readonly gainedAt: number;
  /** The kinetic energy, at equal distances in time. */
  readonly course: readonly number[];
  /** How many there are when it ends. */
  readonly contacts: number;
}

interface TrialOptions {
  /** Sets the controls as time goes on. */
  readonly control?: ((time: number) => void) | undefined;
  /** In simulated seconds; ten by default. */
  readonly duration?: number | undefined;
  /** Called with `qpos` at the beginning, one moment after the other, for pictures of the run. */
  readonly onMoment?: ((pose: Float64Array) => void) | undefined;
  readonly moments?: number | undefined;
}

/** Runs a model from a keyframe, or its reference pose for −1. */
export function runTrial(
  simulator: Simulator,
  keyframe: number,
  { control, duration = TRIAL_SECONDS, onMoment, moments = 0 }: TrialOptions,
): Trial {
  const { timestep } = simulator.model.opt;
  simulator.reset(keyframe);
  const steps = Math.max(1, Math.round(duration / timestep));
  const every = Math.max(1, Math.round(LOOK_SECONDS / timestep));
  const first = simulator.energy().total;
  const energies: number[] = [simulator.energy().kinetic];
  let [work, gain, gainedAt, step, seen] = [0, 0, 0, 0, 0];
  let breakdown: Breakdown | undefined;
  while (step < steps && breakdown === undefined) {
    const time = step * timestep;
    if (seen < moments && time >= seen * MOMENT_SECONDS) {
      onMoment?.(Float64Array.from(simulator.data.qpos as ArrayLike<number>));
      seen++;
    }
    control?.(time);
    simulator.step();
    step++;
    const power = simulator.actuatorPower();
    // Where controls jump, the brakes of stiff servos are reckoned as taking out more than there is.
    work += (control === undefined ? power : Math.max(0, power)) * timestep;
    if (step % every !== 0) continue;
    const { total, kinetic } = simulator.energy();
    energies.push(kinetic);
    if (total - first - work > gain) [gain, gainedAt] = [total - first - work, time];
    breakdown = simulator.breakdown(time);
  }
  return {
    seconds: step * timestep,
    breakdown,
    solverWarnings: simulator.solverWarnings(),
    gain,
    gainedAt,
    course: resampled(energies, COURSE_POINTS),
    contacts: simulator.data.ncon,
  };
}

/** The most radians or metres a second that a motor gives a joint while one control is held, if the model does not say. */
const MAX_SPEED = 10;
/** Values of mjtTrn and mjtBias for a motor on a joint, and how many numbers a gear has. */
const ON_JOINT = 0;
const NO_BIAS = 0;
const GEAR = 6;

/**
 * Holds random controls within the actuators' ranges, the same for every run of a model. A converted model has motors
 * where its format says how strong a joint is at most, and does not keep how fast: such motors, and those without a
 * range, push less where their strength would throw what hangs on the joint.
 */
export function randomControl({ model, data }: Simulator, isConverted: boolean): (time: number) => void {
  const random = seeded(1);
  const parts = Array.from({ length: model.nu }, (_, actuator) =>
    isConverted || !hasRange(model, actuator) ? gentlePart(model, actuator) : 1,
  );
  let until = 0;
  return (time) => {
    if (time < until) return;
    until = time + HOLD_SECONDS;
    const ranges = model.actuator_ctrlrange as ArrayLike<number>;
    const controls = data.ctrl as number[];
    for (const [actuator, part] of parts.entries()) {
      const [lower, upper] = [ranges[actuator * 2] ?? 0, ranges[actuator * 2 + 1] ?? 0];
      const control = hasRange(model, actuator) ? lower + random() * (upper - lower) : 2 * random() - 1;
      controls[actuator] = part * control;
    }
  };
}

function hasRange({ actuator_ctrlrange: ranges }: Simulator['model'], actuator: number): boolean {
  const [lower, upper] = [0, 1].map((end) => (ranges as ArrayLike<number>)[actuator * 2 + end] ?? 0);
  return (upper ?? 0) > (lower ?? 0);
}

/** The part of its strength with which a motor does not give its joint more than `MAX_SPEED`. */
function gentlePart(model: Simulator['model'], actuator: number): number {
  const at = (values: unknown, index: number) => (values as ArrayLike<number>)[index] ?? 0;
  const isMotor =
    at(model.actuator_trntype, actuator) === ON_JOINT && at(model.actuator_biastype, actuator) === NO_BIAS;
  const range = [0, 1].map((end) => Math.abs(at(model.actuator_ctrlrange, actuator * 2 + end)));
  const strongest = hasRange(model, actuator) ? Math.max(...range) : 1;
  const strength = Math.abs(at(model.actuator_gear, actuator * GEAR)) * strongest;
  if (!isMotor || strength === 0) return 1;
  const degree = at(model.jnt_dofadr, at(model.actuator_trnid, actuator * 2));
  return Math.min(1, ((MAX_SPEED / HOLD_SECONDS) * at(model.dof_M0, degree)) / strength);
}

function resampled(values: readonly number[], count: number): number[] {
  if (values.length <= count) return [...values];
  return Array.from(
    { length: count },
    (_, at) => values[Math.round((at * (values.length - 1)) / (count - 1))] ?? 0,
  );
}
