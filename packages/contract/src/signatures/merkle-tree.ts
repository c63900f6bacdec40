import { hash } from 'node:crypto';

/** Computes the root of a list that grows, as RFC 9162 defines it. */
export class MerkleTree {
  #size = 0;
  /** The roots of the perfect subtrees that the list splits into, the largest first. */
  readonly #subtrees: { size: number; root: Buffer }[] = [];

  get size(): number {
    return this.#size;
  }

  append(leaf: Uint8Array): void {
    let added = { size: 1, root: digest(0, leaf) };
    for (let last = this.#subtrees.at(-1); last?.size === added.size; last = this.#subtrees.at(-1)) {
      this.#subtrees.pop();
      added = { size: 2 * added.size, root: digest(1, last.root, added.root) };
    }
    this.#subtrees.push(added);
    this.#size += 1;
  }

  /** Returns 64 hexadecimal digits; for an empty list, those of the SHA-256 of nothing. */
  root(): string {
    const roots = this.#subtrees.map(({ root }) => root);
    if (roots.length === 0) return hash('sha256', '');
    return roots.reduceRight((right, left) => digest(1, left, right)).toString('hex');
  }
}

/** A leaf is hashed after a zero, a pair of subtrees after a one, so that neither is taken for the other. */
function digest(prefix: 0 | 1, ...parts: Uint8Array[]): Buffer {
  return hash('sha256', Buffer.concat([Buffer.of(prefix), ...parts]), 'buffer');
}
