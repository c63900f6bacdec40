import { type Bounds, boundsOf, joinBounds } from '../geometry/bounds.ts';
import { transformPoints } from '../matrix.ts';
import type { Front, Instance } from '../scene.ts';

/** Something of a model, and what moves it. */
export interface Jointed {
  readonly instance: Instance;
  /** The same for all that moves as one; 0 for what stands still. */
  readonly part: number;
  /** How many joints lie between it and what stands still. */
  readonly joints: number;
}

/** The front of robots and vehicles in ROS (REP 103) and MuJoCo. */
const FORWARD: Front = 'x';
/** How far the moving parts of furniture may stand out, as a share of the furniture. */
const MAX_OVERHANG = 0.35;
/** What stands out less than this, as a share of the furniture, says nothing. */
const MIN_OVERHANG = 0.004;

/**
 * The side on which a piece of furniture has its doors, drawers, handles and knobs, told by where these stand out from the
 * body that carries them. Furniture is what mostly stands still and has parts on one joint each, none far outside of it;
 * all else looks forward.
 */
export function frontOf(model: readonly Jointed[]): Front {
  const standing = model.filter(({ part }) => part === 0);
  const moving = Map.groupBy(
    model.filter(({ part }) => part !== 0),
    ({ part }) => part,
  );
  if (standing.length === 0 || moving.size === 0) return FORWARD;
  if (model.some(({ joints }) => joints > 1)) return FORWARD;
  const body = standing.map(({ instance }) => boundsOfInstance(instance));
  const parts = [...moving.values()].map((all) =>
    joinBounds(all.map(({ instance }) => boundsOfInstance(instance))),
  );
  const whole = joinBounds(body);
  if (!parts.every((part) => isWithin(part, whole))) return FORWARD;
  return clearest(
    parts.map((part) => overhang(part, beside(part, body))),
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

/** What of the body lies at the height of a part. */
function beside(part: Bounds, body: readonly Bounds[]): Bounds {
  return joinBounds(body.filter(({ minZ, maxZ }) => minZ < part.maxZ && maxZ > part.minZ));
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

/** The side with more than twice the overhang of any other; forward where there is none. */
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
