import type { SimulationProblem } from '@bindery/formats';
import { at, rounded } from '../simulate/memory.ts';
import type { EngineBounds, MujocoTrials } from './mujoco-trials.ts';
import type { EngineTask } from './prepare.ts';
import type { EngineAnswer, EngineRequest, Measured, Refused } from './protocol.ts';

/** What another engine makes of a model. */
export type EngineFinding = {
  /** The kinds of things that it was not given, or leaves out. */
  readonly losses: readonly string[];
} & (
  | {
      readonly problems: readonly SimulationProblem[];
      /** How far its run is from MuJoCo's, unless one of the two explodes. */
      readonly drift?: Drift;
    }
  | Refused
);

export type EngineRun = { readonly name: string; readonly version: string } & EngineFinding;

export interface Drift {
  /** The largest distance of a body where it has come to rest, or difference of a slide that is driven, at any moment. */
  readonly metres: number;
  /** The largest difference of a hinge that is driven, at any moment. */
  readonly radians: number;
}

/** Judges an engine's run by the bounds of MuJoCo's runs, and compares the two. */
export function judgeEngine(
  answer: EngineAnswer,
  { request, reference, bounds, losses }: EngineTask,
): EngineFinding {
  if ('refused' in answer) return { ...answer, losses };
  const { trials } = answer;
  const problemsIn = (run: readonly Measured[]) =>
    run.flatMap((measured, index) =>
      problemsOf(measured, request.trials[index]?.isDriven === true, request, bounds),
    );
  const problems = problemsIn(trials);
  const areComparable = ![...problems, ...problemsIn(reference)].some(({ code }) => EXPLOSIONS.has(code));
  return {
    problems,
    losses: [...new Set([...losses, ...answer.losses])],
    ...(areComparable && { drift: driftOf(trials, { request, reference, bounds }) }),
  };
}

const EXPLOSIONS: ReadonlySet<string> = new Set(['simulation-unstable', 'simulation-gains-energy']);

function problemsOf(
  { broken, gain, peak, course, centres }: Measured,
  isDriven: boolean,
  { floor, joints, bodies }: EngineRequest,
  { gain: most, energy, size, limits }: EngineBounds,
): SimulationProblem[] {
  const when = isDriven ? 'driven' : 'at rest';
  if (broken !== null) {
    const message = `${when}, a place or a speed is huge or not a number after ${rounded(broken)} s`;
    return [{ code: 'simulation-unstable', message }];
  }
  if (gain > most * (energy + peak)) {
    const message = `${when}, it gains ${rounded(gain)} J that nothing put in: ${rounded(gain / energy)} times what lifts it by its own size`;
    return [{ code: 'simulation-gains-energy', message }];
  }
  const problems: SimulationProblem[] = [];
  const fallen = isDriven || floor === null ? -1 : centres.findIndex(([, , z = 0]) => z < floor - size);
  if (fallen >= 0)
    problems.push({
      code: 'falls-through-floor',
      message: `${when}, ${bodies[fallen]} falls through the floor`,
    });
  const last = course.at(-1) ?? [];
  for (const [index, { name }] of joints.entries()) {
    const limit = limits[index] ?? null;
    const value = at(last, index);
    if (limit === null || (value >= limit[0] && value <= limit[1])) continue;
    const message = `${when}, ${name} is at ${rounded(value)}, outside of its limits`;
    problems.push({ code: 'joint-passes-limit', message });
  }
  return problems;
}

function driftOf(trials: readonly Measured[], { request, reference, bounds }: MujocoTrials): Drift {
  let [metres, radians] = [0, 0];
  for (const [number, { centres, course }] of trials.entries()) {
    const own = reference[number];
    // What falls touches the floor at other moments, and what is driven falls freely.
    if (request.trials[number]?.isDriven)
      for (const [look, values] of course.entries())
        for (const [joint, value] of values.entries()) {
          const difference = Math.abs(value - at(own?.course[look], joint));
          if (bounds.areHinges[joint]) radians = Math.max(radians, difference);
          else metres = Math.max(metres, difference);
        }
    else
      for (const [body, centre] of centres.entries())
        metres = Math.max(
          metres,
          Math.hypot(...centre.map((part, axis) => part - at(own?.centres[body], axis))),
        );
  }
  return { metres: rounded(metres), radians: rounded(radians) };
}
