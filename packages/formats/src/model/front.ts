import { type Bounds, boundsOf, unionBounds } from './bounds.ts';
import { transformPoints } from './matrix.ts';
import type { Front, Instance } from './scene.ts';

/** An instance of a model, and how it can move. */
export interface MovableInstance {
  readonly instance: Instance;
  /** The same for all instances that move together; 0 for those that cannot move. */
  readonly part: number;
  /** How many joints are between it and the part that cannot move. */
  readonly joints: number;
}

/** The front of robots and vehicles in ROS (REP 103) and MuJoCo. */
const FORWARD: Front = 'x';
/** How far the moving parts of furniture can protrude, as a share of the furniture's size. */
const MAX_OVERHANG = 0.35;
/** Smaller overhangs, as a share of the furniture's size, are ignored. */
const MIN_OVERHANG = 0.004;

/**
 * Returns the side on which a piece of furniture has its doors, drawers, handles and knobs, judged by where these
 * protrude from the body that carries them. A model counts as furniture if it has a fixed body and moving parts on one
 * joint each, none far outside of that body; any other model faces forward.
 */
export function frontOf(model: readonly MovableInstance[]): Front {
  const standing = model.filter(({ part }) => part === 0);
  const moving = Map.groupBy(
    model.filter(({ part }) => part !== 0),
    ({ part }) => part,
  );
  if (standing.length === 0 || moving.size === 0) return FORWARD;
  if (model.some(({ joints }) => joints > 1)) return FORWARD;
  const body = standing.map(({ instance }) => boundsOfInstance(instance));
  const parts = [...moving.values()].map((all) =>
    unionBounds(all.map(({ instance }) => boundsOfInstance(instance))),
  );
  const whole = unionBounds(body);
  if (!parts.every((part) => isWithin(part, whole))) return FORWARD;
  return clearest(
    parts.map((part) => overhang(part, bodyBoundsAtHeightOf(part, body))),
    whole,
  );
}

function boundsOfInstance({ geometry, transform }: Instance): Bounds {
  return boundsOf([transformPoints(transform, geometry.positions)]);
}

function isWithin(part: Bounds, whole: Bounds): boolean {
  const [x, y, z] = [
    MAX_OVERHANG * (whole.maxX - whole.minX),
    MAX_OVERHANG * (whole.maxY - whole.minY),
    MAX_OVERHANG * (whole.maxZ - whole.minZ),
  ];
  return (
    part.minX >= whole.minX - x &&
    part.maxX <= whole.maxX + x &&
    part.minY >= whole.minY - y &&
    part.maxY <= whole.maxY + y &&
    part.minZ >= whole.minZ - z &&
    part.maxZ <= whole.maxZ + z
  );
}

/** The bounds of the body at the height of a part. */
function bodyBoundsAtHeightOf(part: Bounds, body: readonly Bounds[]): Bounds {
  return unionBounds(body.filter(({ minZ, maxZ }) => minZ < part.maxZ && maxZ > part.minZ));
}

type Overhang = Record<Front, number>;

function overhang(part: Bounds, body: Bounds): Overhang {
  const out = (distance: number) => (Number.isFinite(distance) ? Math.max(0, distance) : 0);
  return {
    x: out(part.maxX - body.maxX),
    '-x': out(body.minX - part.minX),
    y: out(part.maxY - body.maxY),
    '-y': out(body.minY - part.minY),
  };
}

/** The side with more than twice the overhang of any other; forward if there is none. */
function clearest(overhangs: readonly Overhang[], whole: Bounds): Front {
  const sums = (['x', '-x', 'y', '-y'] as const).map((side) => ({
    side,
    sum: overhangs.reduce((total, one) => total + one[side], 0),
  }));
  const [first, second] = sums.sort((a, b) => b.sum - a.sum);
  const least = MIN_OVERHANG * Math.max(whole.maxX - whole.minX, whole.maxY - whole.minY);
  if (first === undefined || second === undefined) return FORWARD;
  return first.sum > least && first.sum > 2 * second.sum ? first.side : FORWARD;
}
