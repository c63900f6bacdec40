import { TooLarge, Unrenderable } from './errors.ts';

/** What one thumbnail may cost. Every count is checked before the memory for it is taken. */
export interface RenderLimits {
  /** Bytes read from the asset's files, decompressed bytes included. */
  readonly inputBytes: number;
  /** Vertices over all meshes, each instance of a mesh counted. */
  readonly vertices: number;
  /** Triangles over all meshes, each instance of a mesh counted. */
  readonly triangles: number;
  /** Pixels of one encoded image, before it is scaled down. */
  readonly imagePixels: number;
  /** Images decoded for one asset. */
  readonly images: number;
  /** Gaussians of a splat cloud. */
  readonly splats: number;
  /** Copies of one mesh by EXT_mesh_gpu_instancing; of more, some are left out. */
  readonly instances: number;
  /** Nodes of a scene graph, links of a robot, elements of an XML document. */
  readonly nodes: number;
  /** Nesting of nodes, links and elements. */
  readonly depth: number;
}

export const DEFAULT_LIMITS: RenderLimits = {
  inputBytes: 512 * 2 ** 20,
  vertices: 12_000_000,
  triangles: 8_000_000,
  imagePixels: 100_000_000,
  images: 256,
  splats: 4_000_000,
  instances: 20_000,
  nodes: 200_000,
  depth: 100,
};

/** Adds up what one asset has cost so far and stops it at its limits. */
export class Budget {
  readonly limits: RenderLimits;
  readonly #spent = new Map<keyof RenderLimits, number>();

  constructor(limits: Partial<RenderLimits> = {}) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /** @throws Unrenderable when the sum passes the limit, or the amount is no count at all. */
  spend(what: keyof RenderLimits, amount: number): void {
    const sum = (this.#spent.get(what) ?? 0) + amount;
    if (!Number.isSafeInteger(amount) || amount < 0 || sum > this.limits[what]) {
      throw new TooLarge(`too large: more than ${this.limits[what]} ${WORDS[what]}`);
    }
    this.#spent.set(what, sum);
  }

  /** What may still be spent. */
  left(what: keyof RenderLimits): number {
    return this.limits[what] - (this.#spent.get(what) ?? 0);
  }

  /** Checks a cost that does not add up. @throws Unrenderable when the amount alone passes the limit. */
  check(what: keyof RenderLimits, amount: number): void {
    if (amount > this.limits[what])
      throw new TooLarge(`too large: more than ${this.limits[what]} ${WORDS[what]}`);
  }

  checkDepth(depth: number): void {
    if (depth > this.limits.depth) {
      throw new Unrenderable(`nested deeper than ${this.limits.depth} levels`);
    }
  }
}

const WORDS: Record<keyof RenderLimits, string> = {
  inputBytes: 'bytes of input',
  vertices: 'vertices',
  triangles: 'triangles',
  imagePixels: 'pixels in an image',
  images: 'images',
  splats: 'splats',
  instances: 'copies of a mesh',
  nodes: 'nodes',
  depth: 'levels',
};
