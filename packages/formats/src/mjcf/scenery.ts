import type { MjModel } from '@mujoco/mujoco';
import { memoised } from '../memoised.ts';
import {
  areNear,
  type Bounds,
  boundsOf,
  longestSide,
  transformBounds,
  unionBounds,
} from '../model/bounds.ts';
import type { Geometry, Instance } from '../model/scene.ts';

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
export function withoutScenery<T extends BodyInstance>(
  scene: readonly T[],
  bodies: ModelBodies,
): readonly T[] {
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
  const ownBounds = memoised(({ positions }: Geometry) => boundsOf([positions]));
  return scene.map(({ instance: { geometry, transform } }) =>
    transformBounds(ownBounds(geometry), transform),
  );
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

/** Values of mjtJoint. */
const FREE = 0;
const BALL = 1;

/** How the bodies of a model are connected. */
export class ModelBodies {
  /** By body: the first body that it is welded to; 0 for bodies that cannot move. */
  readonly #welded: Int32Array;
  /** By body: the kinematic tree that it belongs to; −1 for bodies that cannot move. */
  readonly #tree: Int32Array;
  /** By body: the number of hinges and slides between it and the world; Infinity if a joint is free or a ball. */
  readonly #joints: number[] = [];
  readonly #jointed = new Set<number>();
  readonly #floating = new Set<number>();

  constructor(model: MjModel) {
    this.#welded = Int32Array.from(model.body_weldid as ArrayLike<number>);
    this.#tree = Int32Array.from(model.body_treeid as ArrayLike<number>);
    const parents = Int32Array.from(model.body_parentid as ArrayLike<number>);
    const counts = Int32Array.from(model.body_jntnum as ArrayLike<number>);
    const firsts = Int32Array.from(model.body_jntadr as ArrayLike<number>);
    const types = Int32Array.from(model.jnt_type as ArrayLike<number>);
    for (const [body, parent] of parents.entries()) {
      const first = firsts[body] as number;
      const own = types.subarray(first, first + (counts[body] as number));
      const isFree = own.includes(FREE) || own.includes(BALL);
      this.#joints.push((this.#joints[parent] ?? 0) + (isFree ? Infinity : own.length));
      if (own.includes(FREE)) this.#floating.add(this.tree(body));
      if (own.some((type) => type !== FREE)) this.#jointed.add(this.tree(body));
    }
  }

  /** The part that a body belongs to: bodies of the same part never move relative to each other. Part 0 cannot move. */
  part(body: number): number {
    return this.#welded[body] as number;
  }

  /** The number of hinges and slides between a body and the world; Infinity if a joint is free or a ball. */
  joints(body: number): number {
    return this.#joints[body] as number;
  }

  /** Whether a body belongs to a mechanism: something with joints, fixed to the world or floating. */
  isMechanism(body: number): boolean {
    return this.#jointed.has(this.tree(body));
  }

  /** Whether a body belongs to something that floats freely. */
  isFloating(body: number): boolean {
    return this.#floating.has(this.tree(body));
  }

  /** The number of the kinematic tree that a body belongs to; −1 if it cannot move. */
  tree(body: number): number {
    return this.#tree[body] as number;
  }
}
