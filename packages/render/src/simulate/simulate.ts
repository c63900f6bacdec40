import type { Course, Simulation, SimulationProblem } from '@bindery/formats';
import { mujocoMessage } from '@bindery/formats/mjcf/compile';
import type { MainModule, MjModel } from '@mujoco/mujoco';
import { Falls } from './falls.ts';
import { jointsOutside, outsideLimits } from './joints.ts';
import { at, rounded } from './memory.ts';
import { modelProblems } from './model-findings.ts';
import { limitProblems, startProblems, trialProblems } from './run-findings.ts';
import { holdProblems, servoProblems, weakDriveProblems } from './servo-findings.ts';
import { Simulator, type SpeedLimits } from './simulator.ts';
import { randomControl, runTrial } from './trials.ts';
import { twinProblems } from './twins.ts';

type Courses = { -readonly [of in 'rest' | 'control']?: Course };

/** How long keyframes other than the first are tried, in simulated seconds. */
const KEYFRAME_SECONDS = 1;
const MAX_KEYFRAMES = 16;

/** A joint that is thrown against its limit bounces back in this time, in simulated seconds. */
const BOUNCE_SECONDS = 0.1;

/** How many moments of a run are pictured. */
const MOMENTS = 24;

export interface SimulationOptions {
  /** Of a model that was written in another format than MJCF. */
  readonly speeds?: SpeedLimits | undefined;
  /** Called with poses of its rest and of its movement. */
  readonly onMoment?: (pose: Float64Array) => void;
}

/** Lets a compiled model rest, moves it at random, drives its joints against their limits, and judges what happens. */
export function simulateModel(
  mujoco: MainModule,
  model: MjModel,
  options: SimulationOptions = {},
): Simulation {
  const simulator = new Simulator(mujoco, model, options.speeds);
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
  { onMoment }: SimulationOptions,
): Simulation['speed'] {
  const { model } = simulator;
  problems.push(...modelProblems(simulator), ...weakDriveProblems(simulator));
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
    const control = randomControl(simulator);
    courses.control = attempt(simulator, problems, {
      when: 'under random control',
      keyframe: first,
      control,
      onMoment,
      moments,
    });
  }
  if (first >= 0) problems.push(...holdProblems(simulator, first));
  for (let keyframe = 1; keyframe < model.nkey; keyframe++) {
    problems.push(...startProblems(simulator, keyframe));
    if (keyframe >= MAX_KEYFRAMES) continue;
    const when = `from keyframe ${simulator.nameOf('key', keyframe)}`;
    attempt(simulator, problems, { when, keyframe, duration: KEYFRAME_SECONDS });
    problems.push(...holdProblems(simulator, keyframe));
  }
  if (model.nv === 0) return speed;
  if (!simulator.isMassless) problems.push(...limitProblems(simulator), ...servoProblems(simulator));
  problems.push(...twinProblems(simulator));
  return speed;
}

type Attempt = Parameters<typeof runTrial>[2] & {
  readonly when: string;
  readonly keyframe: number;
};

function attempt(simulator: Simulator, problems: SimulationProblem[], attempted: Attempt): Course {
  const { when, keyframe, control, duration } = attempted;
  simulator.reset(keyframe);
  const falls = new Falls(simulator);
  const trial = runTrial(simulator, keyframe, { ...attempted, onLook: () => falls.look() });
  const holdsDamped = () =>
    withDampedJoints(simulator.model, () => runTrial(simulator, keyframe, { control, duration }))
      .breakdown === undefined;
  problems.push(...trialProblems(trial, when, simulator, holdsDamped));
  if (trial.breakdown === undefined) {
    problems.push(...falls.problems(when, control === undefined));
    if (control !== undefined) {
      const passing = jointsOutside(simulator, 'joint-passes-limit');
      if (passing.length > 0) simulator.run(BOUNCE_SECONDS);
      problems.push(...outsideLimits(simulator, when, 'joint-passes-limit', passing));
    }
  }
  const { seconds, course, contacts } = trial;
  return { seconds, energy: course, contacts };
}

/** Runs something with much damping and armature in the joints that have neither. */
function withDampedJoints<T>({ dof_damping, dof_armature, dof_M0, nv }: MjModel, run: () => T): T {
  const bare = Array.from({ length: nv }, (_, degree) => degree).filter(
    (degree) => at(dof_damping, degree) === 0 && at(dof_armature, degree) === 0,
  );
  const set = (factor: number) => {
    for (const table of [dof_damping as number[], dof_armature as number[]])
      for (const degree of bare) table[degree] = factor * at(dof_M0, degree);
  };
  set(MUCH);
  try {
    return run();
  } finally {
    set(0);
  }
}

/** Of the inertia of a joint. */
const MUCH = 10;
