import { seeded } from '../random.ts';
import { motorsOf, pacedControl } from './drives.ts';
import { at, tuple } from './memory.ts';
import type { Breakdown, Simulator } from './simulator.ts';

/** How long a trial is, and how often a model is looked at meanwhile, in simulated seconds. */
const TRIAL_SECONDS = 10;
export const LOOK_SECONDS = 0.02;
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
  /** The most by which the energy grew beyond what actuators and gravity compensation put in; what they took out counts if nothing controls them. */
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
  /** Called at each look at the model. */
  readonly onLook?: (() => void) | undefined;
}

/** Runs a model from a keyframe, or its reference pose for −1. */
export function runTrial(
  simulator: Simulator,
  keyframe: number,
  { control, duration = TRIAL_SECONDS, onMoment, moments = 0, onLook }: TrialOptions,
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
    const power = simulator.suppliedPower();
    // Where controls jump, the brakes of stiff servos are reckoned as taking out more than there is.
    work += (control === undefined ? power : Math.max(0, power)) * timestep;
    if (step % every !== 0) continue;
    const { total, kinetic } = simulator.energy();
    energies.push(kinetic);
    onLook?.();
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

/**
 * Holds random controls within the actuators' ranges, the same for every run of a model. A converted model has motors
 * where its format says how strong and how fast a joint is at most: such motors, and those without a range, push less
 * where their strength would throw what hangs on the joint.
 */
export function randomControl(simulator: Simulator): (time: number) => void {
  const { model } = simulator;
  const random = seeded(1);
  const parts = new Float64Array(model.nu).fill(1);
  const gentle = motorsOf(simulator).filter(({ range }) => simulator.isConverted || range === undefined);
  for (const { control, joint, degree, range, gear, gain } of gentle) {
    const strength = Math.abs(gear * gain) * (range === undefined ? 1 : Math.max(...range.map(Math.abs)));
    const speed = Math.min(MAX_SPEED, simulator.speedLimitOf(joint));
    parts[control] = Math.min(1, ((speed / HOLD_SECONDS) * at(model.dof_M0, degree)) / strength);
  }
  const held = new Float64Array(model.nu);
  const pace = pacedControl(simulator);
  let until = 0;
  return (time) => {
    const isNew = time >= until;
    if (isNew) {
      until = time + HOLD_SECONDS;
      for (const [control, part] of parts.entries()) {
        const [lower = 0, upper = 0] = tuple(model.actuator_ctrlrange, control, 2);
        held[control] = part * (upper > lower ? lower + random() * (upper - lower) : 2 * random() - 1);
      }
    }
    pace(held, isNew);
  };
}

function resampled(values: readonly number[], count: number): number[] {
  if (values.length <= count) return [...values];
  return Array.from(
    { length: count },
    (_, at) => values[Math.round((at * (values.length - 1)) / (count - 1))] ?? 0,
  );
}
