import type { Course, Simulation, SimulationProblem } from '@bindery/formats';
import { mujocoMessage } from '@bindery/formats/mjcf/compile';
import type { MainModule, MjModel } from '@mujoco/mujoco';
import {
  fallProblems,
  heightsOf,
  holdProblems,
  limitProblems,
  massProblems,
  outsideLimits,
  servoProblems,
  startProblems,
  trialProblems,
  unusualProblems,
} from './findings.ts';
import { Simulator } from './simulator.ts';
import { randomControl, runTrial } from './trials.ts';
import { twinProblems } from './twins.ts';

type Courses = { -readonly [of in 'rest' | 'control']?: Course };

/** How long keyframes other than the first are tried, in simulated seconds. */
const KEYFRAME_SECONDS = 1;
const MAX_KEYFRAMES = 16;

/** How many moments of a run are pictured. */
const MOMENTS = 24;

interface SimulationOptions {
  /** Whether the model was written in another format than MJCF. */
  readonly isConverted?: boolean;
  /** Called with poses of its rest and of its movement. */
  readonly onMoment?: (pose: Float64Array) => void;
}

/** Lets a compiled model rest, moves it at random, drives its joints against their limits, and judges what happens. */
export function simulateModel(
  mujoco: MainModule,
  model: MjModel,
  options: SimulationOptions = {},
): Simulation {
  const simulator = new Simulator(mujoco, model);
  const problems: SimulationProblem[] = [];
  const courses: Courses = {};
  let speed: Simulation['speed'];
  try {
    speed = examine(simulator, problems, courses, options);
  } catch (error) {
    // As for a model that asks for too little memory.
    const message = mujocoMessage(error);
    if (!message.startsWith('MuJoCo Error')) throw error;
    problems.push({ code: 'simulation-unstable', message: `the simulation stops: ${message}` });
  } finally {
    simulator.delete();
  }
  return {
    mujoco: mujoco.mj_versionString(),
    timestep: model.opt.timestep,
    problems,
    ...courses,
    ...(speed && { speed }),
  };
}

function examine(
  simulator: Simulator,
  problems: SimulationProblem[],
  courses: Courses,
  { isConverted = false, onMoment }: SimulationOptions,
): Simulation['speed'] {
  const { model } = simulator;
  problems.push(...massProblems(simulator), ...unusualProblems(simulator));
  const first = model.nkey > 0 ? 0 : -1;
  problems.push(...startProblems(simulator, first));
  const moments = model.nu > 0 ? MOMENTS / 2 : MOMENTS;
  const start = performance.now();
  courses.rest = attempt(simulator, problems, { when: 'at rest', keyframe: first, onMoment, moments });
  const { seconds } = courses.rest;
  const milliseconds = performance.now() - start;
  const speed = {
    realTimeFactor: rounded((seconds * 1_000) / milliseconds),
    millisecondsPerStep: rounded((milliseconds * model.opt.timestep) / seconds),
  };
  if (model.nu > 0) {
    const control = randomControl(simulator, isConverted);
    courses.control = attempt(simulator, problems, {
      when: 'under random control',
      keyframe: first,
      control,
      onMoment,
      moments,
    });
  }
  if (first >= 0) problems.push(...holdProblems(simulator, first));
  for (let keyframe = 1; keyframe < Math.min(model.nkey, MAX_KEYFRAMES); keyframe++) {
    problems.push(...startProblems(simulator, keyframe));
    const when = `from keyframe ${simulator.nameOf('key', keyframe)}`;
    attempt(simulator, problems, { when, keyframe, duration: KEYFRAME_SECONDS });
    problems.push(...holdProblems(simulator, keyframe));
  }
  if (model.nv === 0) return speed;
  problems.push(...limitProblems(simulator), ...servoProblems(simulator), ...twinProblems(simulator));
  return speed;
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

type Attempt = Parameters<typeof runTrial>[2] & {
  readonly when: string;
  readonly keyframe: number;
};

function attempt(simulator: Simulator, problems: SimulationProblem[], attempted: Attempt): Course {
  const { when, keyframe, control } = attempted;
  simulator.reset(keyframe);
  const heights = heightsOf(simulator);
  const trial = runTrial(simulator, keyframe, attempted);
  problems.push(...trialProblems(trial, when, simulator));
  if (trial.breakdown === undefined) {
    problems.push(...fallProblems(simulator, heights, when, control === undefined));
    if (control !== undefined) problems.push(...outsideLimits(simulator, when, 'joint-passes-limit'));
  }
  const { seconds, course, contacts } = trial;
  return { seconds, energy: course, contacts };
}
