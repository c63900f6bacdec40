import type { MjModel } from '@mujoco/mujoco';

/** Values of mjtJoint. */
const FREE = 0;
const BALL = 1;

/** How the bodies of a model hang together. */
export class ModelBodies {
  /** By body: the first of those that it is welded to, 0 for all that cannot move. */
  readonly #welded: Int32Array;
  /** By body: the kinematic tree that it belongs to, −1 for all that cannot move. */
  readonly #tree: Int32Array;
  /** By body: hinges and slides between it and the world; more than any where a joint is freer than these. */
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

  /** What a body moves with: bodies of the same part never move against each other. 0 is what stands still. */
  part(body: number): number {
    return this.#welded[body] as number;
  }

  /** Hinges and slides between a body and the world; infinite where there is a joint that is freer. */
  joints(body: number): number {
    return this.#joints[body] as number;
  }

  /** A body of a mechanism: of something with joints, on the ground or loose. */
  isMechanism(body: number): boolean {
    return this.#jointed.has(this.tree(body));
  }

  /** A body of something that nothing holds. */
  isLoose(body: number): boolean {
    return this.#floating.has(this.tree(body));
  }

  /** The number of the kinematic tree that a body belongs to, −1 where it stands still. */
  tree(body: number): number {
    return this.#tree[body] as number;
  }
}
