import type { SimulationProblem } from '@bindery/formats';
import type { Simulator } from './simulator.ts';

/** The words of names that tell a left part from its right twin. */
const SIDES = /(^|[^a-z])(?:left|right|l|r|fl|fr|rl|rr|hl|hr|bl|br|lf|rf|lh|rh|lr)(?=$|[^a-z])/i;
/** How well two directions have to agree to count as the same. */
const SAME = 0.9;
/** How far the ends of two ranges may be apart, as a part of the range. */
const ALIKE = 0.05;

/** The value of mjtJoint. */
const HINGE = 3;

interface Hinge {
  readonly name: string;
  readonly axis: readonly number[];
  /** Its anchor, which may be anywhere along its axis, and the centre of mass of what it turns. */
  readonly places: readonly (readonly number[])[];
  readonly frame: readonly number[];
  readonly lower: number;
  readonly upper: number;
}

/**
 * Finds joints that turn against their twins. Of a left and a right joint, one is the other's mirror image or its copy:
 * the same values bend both alike, or opposite values do and their ranges are opposite too. A symmetric range tells
 * nothing.
 */
export function twinProblems(simulator: Simulator): SimulationProblem[] {
  simulator.reset(-1);
  const groups = Map.groupBy(hingesOf(simulator), ({ name }) => name.toLowerCase().replace(SIDES, '$1*'));
  return [...groups.values()].flatMap((alike) => {
    const unlike = alike.filter(
      (one) => alike.filter((other) => other !== one && isUnlike(one, other)).length > (alike.length - 1) / 2,
    );
    return unlike.slice(0, 1).map(({ name }): SimulationProblem => {
      const others = alike.flatMap((other) => (other.name === name ? [] : [other.name])).join(', ');
      const message = `${name} has the range of ${others}, but does not turn like them: its axis or its range is wrong`;
      return { code: 'joint-unlike-twin', message };
    });
  });
}

function hingesOf(simulator: Simulator): Hinge[] {
  const { model, data } = simulator;
  const of = (values: unknown, index: number, size: number) =>
    Array.from((values as Float64Array).subarray(index * size, (index + 1) * size));
  return Array.from({ length: model.njnt }, (_, joint) => joint)
    .filter((joint) => (model.jnt_type as number[])[joint] === HINGE)
    .flatMap((joint) => {
      const limits = simulator.limitsOf(joint);
      if (limits === undefined) return [];
      const [lower, upper] = limits;
      const body = (model.jnt_bodyid as number[])[joint] ?? 0;
      return {
        name: simulator.nameOf('joint', joint),
        axis: of(data.xaxis, joint, 3),
        places: [of(data.xanchor, joint, 3), of(data.subtree_com, body, 3)],
        frame: of(data.xmat, body, 9),
        lower,
        upper,
      };
    })
    .filter(({ name }) => SIDES.test(name));
}

function isUnlike(one: Hinge, other: Hinge): boolean {
  if (dot(one.frame, other.frame) < 3 * SAME) return false;
  return one.places.every((place, at) => {
    const across = place.map((value, axis) => value - (other.places[at]?.[axis] ?? 0));
    return isUnlikeAcross(one, other, across);
  });
}

/** @param across From the one to the other, which is where a mirror between them faces. */
function isUnlikeAcross(one: Hinge, other: Hinge, across: readonly number[]): boolean {
  const distance = Math.hypot(...across);
  if (distance === 0) return false;
  const normal = across.map((value) => value / distance);
  // An axis of rotation keeps its part across a mirror, and the rest of it turns round.
  const along = 2 * dot(one.axis, normal);
  const mirrored = one.axis.map((value, axis) => along * (normal[axis] ?? 0) - value);
  const [same, opposite] = [hasRange(other, one.lower, one.upper), hasRange(other, -one.upper, -one.lower)];
  if (same === opposite) return false;
  const [copied, reflected] = [dot(one.axis, other.axis), dot(mirrored, other.axis)];
  return same ? copied < SAME && reflected < SAME : copied > -SAME && reflected > -SAME;
}

function hasRange({ lower, upper }: Hinge, low: number, high: number): boolean {
  const apart = ALIKE * (upper - lower);
  return Math.abs(lower - low) <= apart && Math.abs(upper - high) <= apart;
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, axis) => sum + value * (b[axis] ?? 0), 0);
}
