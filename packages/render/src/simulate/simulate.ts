import type { MainModule, MjModel } from '@mujoco/mujoco';
import { mujocoMessage } from '../load/mjcf/compile.ts';
import {
  fallProblems,
  heightsOf,
  limitProblems,
  massProblems,
  outsideLimits,
  type SimulationProblem,
  servoProblems,
  startProblems,
  trialProblems,
  unusualProblems,
} from './findings.ts';
import { Simulator } from './simulator.ts';
import { randomControl, runTrial } from './trials.ts';
import { twinProblems } from './twins.ts';

/** How a model behaves in MuJoCo: the same on every machine for the same bytes and version. */
export interface Simulation extends Courses {
  readonly mujoco: string;
  /** In seconds. */
  readonly timestep: number;
  readonly problems: readonly SimulationProblem[];
}

interface Courses {
  /** Absent if MuJoCo gave up. */
  rest?: Course;
  /** Absent for a model without actuators, too. */
  control?: Course;
}

export interface Course {
  /** Simulated. */
  readonly seconds: number;
  /** Kinetic energy in joules, at equal distances in time. */
  readonly energy: readonly number[];
  /** When it ends. */
  readonly contacts: number;
}

/** How long keyframes other than the first are tried, in simulated seconds. */
const KEYFRAME_SECONDS = 1;
const MAX_KEYFRAMES = 16;

/** Lets a compiled model rest, moves it at random, drives its joints against their limits, and judges what happens. */
export function simulateModel(mujoco: MainModule, model: MjModel): Simulation {
  const simulator = new Simulator(mujoco, model);
  const problems: SimulationProblem[] = [];
  const courses: Courses = {};
  try {
    examine(simulator, problems, courses);
  } catch (error) {
    // As for a model that asks for too little memory.
    const message = mujocoMessage(error);
    if (!message.startsWith('MuJoCo Error')) throw error;
    problems.push({ code: 'simulation-unstable', message: `the simulation stops: ${message}` });
  } finally {
    simulator.delete();
  }
  return { mujoco: mujoco.mj_versionString(), timestep: model.opt.timestep, problems, ...courses };
}

function examine(simulator: Simulator, problems: SimulationProblem[], courses: Courses): void {
  const { model } = simulator;
  problems.push(...massProblems(simulator), ...unusualProblems(simulator));
  const first = model.nkey > 0 ? 0 : -1;
  problems.push(...startProblems(simulator, first));
  courses.rest = attempt(simulator, problems, { when: 'at rest', keyframe: first });
  if (model.nu > 0) {
    const control = randomControl(simulator);
    courses.control = attempt(simulator, problems, {
      when: 'under random control',
      keyframe: first,
      control,
    });
  }
  for (let keyframe = 1; keyframe < Math.min(model.nkey, MAX_KEYFRAMES); keyframe++) {
    problems.push(...startProblems(simulator, keyframe));
    const when = `from keyframe ${simulator.nameOf('key', keyframe)}`;
    attempt(simulator, problems, { when, keyframe, seconds: KEYFRAME_SECONDS });
  }
  if (model.nv === 0) return;
  problems.push(...limitProblems(simulator), ...servoProblems(simulator), ...twinProblems(simulator));
}

interface Attempt {
  readonly when: string;
  readonly keyframe: number;
  readonly control?: (time: number) => void;
  readonly seconds?: number;
}

function attempt(simulator: Simulator, problems: SimulationProblem[], attempted: Attempt): Course {
  const { when, keyframe, control, seconds: duration } = attempted;
  simulator.reset(keyframe);
  const heights = heightsOf(simulator);
  const trial = runTrial(simulator, keyframe, control, duration);
  problems.push(...trialProblems(trial, when, simulator));
  if (trial.breakdown === undefined) {
    problems.push(...fallProblems(simulator, heights, when, control === undefined));
    if (control !== undefined) problems.push(...outsideLimits(simulator, when, 'joint-passes-limit'));
  }
  const { seconds, course, contacts } = trial;
  return { seconds, energy: course, contacts };
}
