import {
  areNear,
  type Bounds,
  boundsOf,
  longestSide,
  transformBounds,
  unionBounds,
} from '../../geometry/bounds.ts';
import type { Geometry, Instance } from '../../scene.ts';
import type { ModelBodies } from './bodies.ts';

/** Something to show, and the body that carries it. */
export interface BodyInstance {
  readonly instance: Instance;
  readonly body: number;
}

/** A mechanism this many times smaller than its scene would hardly be seen in it. */
const LOST_IN_SCENE = 2.5;
/** Things this close to a mechanism, as a share of its size, belong to it. */
const TOUCH = 0.01;

/**
 * Returns what to show of a scene: all of it or, if its mechanisms (robots, pendulums, doors) would be lost in it,
 * these and what touches them. Things that cannot move are then left out if all mechanisms float freely.
 */
export function withoutScenery(scene: readonly BodyInstance[], bodies: ModelBodies): readonly BodyInstance[] {
  const isSubject = scene.map(({ body }) => bodies.isMechanism(body));
  if (!isSubject.includes(true) || !isSubject.includes(false)) return scene;
  const bounds = boundsOfEach(scene);
  const size = longestSide(unionBounds(bounds.filter((_, index) => isSubject[index])));
  if (longestSide(unionBounds(bounds)) <= LOST_IN_SCENE * size) return scene;
  const isHeld = scene.some(({ body }, index) => isSubject[index] && !bodies.isFloating(body));
  const mayJoin = scene.map(({ body }) => isHeld || bodies.part(body) !== 0);
  const kept = grow(isSubject, mayJoin, bounds, size * TOUCH);
  return scene.filter((_, index) => kept[index]);
}

function boundsOfEach(scene: readonly BodyInstance[]): Bounds[] {
  const own = new Map<Geometry, Bounds>();
  return scene.map(({ instance: { geometry, transform } }) => {
    const bounds = own.get(geometry) ?? boundsOf([geometry.positions]);
    own.set(geometry, bounds);
    return transformBounds(bounds, transform);
  });
}

/** Adds what touches the start, directly or through others. */
function grow(
  start: readonly boolean[],
  mayJoin: readonly boolean[],
  bounds: readonly Bounds[],
  distance: number,
): boolean[] {
  const kept = [...start];
  const waiting = kept.flatMap((isKept, index) => (isKept ? [index] : []));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [index, other] of bounds.entries()) {
      if (kept[index] || !mayJoin[index] || !areNear(bounds[next] as Bounds, other, distance)) continue;
      kept[index] = true;
      waiting.push(index);
    }
  }
  return kept;
}
