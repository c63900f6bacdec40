import type { SimulationProblem } from '@bindery/formats';
import { limitedJoints, outsideLimits } from './joints.ts';
import { at, GEOM, rounded, vector } from './memory.ts';
import type { Simulator } from './simulator.ts';
import type { Trial } from './trials.ts';

/** Energies are judged as parts of the one that lifts the whole model by its own size; sound models stay below 0.01. */
export const MAX_GAIN = 0.1;
const SOLVER = {
  'singular-inertia': 'the inertia matrix is singular',
  'too-many-contacts': 'more contacts than its memory holds',
  'too-many-constraints': 'more constraints than its memory holds',
} as const;

/**
 * What a trial shows; `when` begins the sentences: "at rest". `holdsDamped` says whether the model does not break down
 * with damping and armature in joints that have neither.
 */
export function trialProblems(
  trial: Trial,
  when: string,
  simulator: Simulator,
  holdsDamped: () => boolean,
): SimulationProblem[] {
  const { breakdown, gain, gainedAt, course, solverWarnings } = trial;
  if (breakdown !== undefined) {
    const joint = at(simulator.model.dof_jntid, breakdown.degree);
    const what = `the ${breakdown.what} of ${simulator.nameOf('joint', joint)}`;
    const cause = simulator.isMassless
      ? ': none of its bodies has a mass'
      : holdsDamped()
        ? ': it holds if its joints without damping and armature have some'
        : '';
    const message = `${when}, ${what} is huge or not a number after ${rounded(breakdown.time)} s${cause}`;
    return [{ code: simulator.isMassless ? 'mass-implausible' : 'simulation-unstable', message }];
  }
  const problems: SimulationProblem[] = solverWarnings.map((warning) => ({
    code: 'simulation-solver',
    message: `${when}, MuJoCo warns: ${SOLVER[warning]}`,
  }));
  const part = gain / simulator.energyScale;
  // Integration drifts by a part of the energy that there is.
  if (gain > MAX_GAIN * (simulator.energyScale + Math.max(...course))) {
    const message =
      `${when}, it gains ${rounded(gain)} J by ${rounded(gainedAt)} s that no actuator put in: ` +
      `${rounded(part)} times what lifts it by its own size`;
    problems.push({ code: 'simulation-gains-energy', message });
  }
  return problems;
}

/** How deep two geoms may overlap at the start, as a part of half the thickness of the thinner one. */
const MAX_OVERLAP = 0.5;

/** What is wrong with a keyframe, or with the reference pose for −1. */
export function startProblems(simulator: Simulator, keyframe: number): SimulationProblem[] {
  const { model } = simulator;
  simulator.reset(keyframe);
  const where = keyframe < 0 ? 'at the start' : `in keyframe ${simulator.nameOf('key', keyframe)}`;
  const problems: SimulationProblem[] = [];
  let deepest = { part: MAX_OVERLAP, message: '' };
  for (const { geoms, distance } of simulator.contacts()) {
    const part = -distance / Math.min(...geoms.map((geom) => halfThickness(model, geom)));
    if (!(part > deepest.part)) continue;
    const [a, b] = geoms
      .map((geom) => at(model.geom_bodyid, geom))
      .sort((one, other) => other - one)
      .map((body) => simulator.nameOf('body', body));
    deepest = { part, message: `${where}, ${a} is ${rounded(-distance * 1_000)} mm deep in ${b}` };
  }
  if (deepest.message !== '') problems.push({ code: 'starts-in-collision', message: deepest.message });
  problems.push(...outsideLimits(simulator, where, 'starts-outside-limits'));
  return problems;
}

/** A plane ends nowhere. */
function halfThickness({ geom_type, geom_aabb }: Simulator['model'], geom: number): number {
  if (at(geom_type, geom) === GEOM.plane) return Number.POSITIVE_INFINITY;
  return Math.min(...vector(geom_aabb, geom * 2 + 1));
}

/** Metres or radians per second squared, and seconds, with which joints are driven against their limits. */
const PUSH = 20;
const PUSH_SECONDS = 1.5;

/** Finds joints that do not stop at their limits when all are driven there, as fast and as hard as they may be. */
export function limitProblems(simulator: Simulator): SimulationProblem[] {
  const joints = limitedJoints(simulator);
  if (joints.length === 0) return [];
  const { model, data } = simulator;
  const pushed = joints.map(({ joint, degree }) => ({
    degree,
    force: Math.min(PUSH * at(model.dof_M0, degree), simulator.effortLimitOf(joint)),
    speed: simulator.speedLimitOf(joint),
  }));
  const isPaced = pushed.some(({ speed }) => Number.isFinite(speed));
  const push = (direction: number) => {
    const [applied, velocities] = [data.qfrc_applied as number[], data.qvel as number[]];
    for (const { degree, force, speed } of pushed)
      applied[degree] = direction * at(velocities, degree) < speed ? direction * force : 0;
  };
  const problems: SimulationProblem[] = [];
  simulator.inEmptySpace(false, () => {
    for (const direction of [-1, 1]) {
      simulator.reset(-1);
      for (let step = 0; step < PUSH_SECONDS / model.opt.timestep; step++) {
        if (step === 0 || isPaced) push(direction);
        simulator.step();
      }
      const when = direction < 0 ? 'driven down' : 'driven up';
      problems.push(...outsideLimits(simulator, when, 'joint-passes-limit'));
    }
  });
  return problems;
}
