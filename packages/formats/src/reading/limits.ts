import { TooLarge, Unrenderable } from './errors.ts';

/** Width and height of a thumbnail in pixels. */
export const THUMBNAIL_SIZE = 640;

/** Limits for one thumbnail. Every count is checked before memory is allocated for it. */
export interface RenderLimits {
  /** Bytes read from the asset's files, decompressed bytes included. */
  readonly inputBytes: number;
  /** Vertices over all meshes, each instance of a mesh counted. */
  readonly vertices: number;
  /** Triangles over all meshes, each instance of a mesh counted. */
  readonly triangles: number;
  /** Pixels of one encoded image, before it is scaled down. */
  readonly imagePixels: number;
  /** Texels on the longer side of a texture; of a larger one there is a smaller copy. */
  readonly textureSide: number;
  /** Images decoded for one asset. */
  readonly images: number;
  /** Gaussians of a splat cloud. */
  readonly splats: number;
  /** Copies by EXT_mesh_gpu_instancing over all meshes; copies beyond the limit are left out. */
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
  // Twice the pixels of a thumbnail: more would not be seen.
  textureSide: 2 * THUMBNAIL_SIZE,
  images: 256,
  splats: 4_000_000,
  instances: 20_000,
  nodes: 200_000,
  depth: 100,
};

/** Tracks what one asset has cost so far and enforces its limits. */
export class Budget {
  readonly limits: RenderLimits;
  readonly #spent = new Map<keyof RenderLimits, number>();

  constructor(limits: Partial<RenderLimits> = {}) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /** @throws Unrenderable when the sum exceeds the limit, or the amount is not a valid count. */
  spend(what: keyof RenderLimits, amount: number): void {
    const sum = (this.#spent.get(what) ?? 0) + amount;
    if (!Number.isSafeInteger(amount) || amount < 0 || sum > this.limits[what]) {
      throw new TooLarge(`too large: more than ${this.limits[what]} ${WORDS[what]}`);
    }
    this.#spent.set(what, sum);
  }

  /** How much can still be spent. */
  remaining(what: keyof RenderLimits): number {
    return this.limits[what] - (this.#spent.get(what) ?? 0);
  }

  /** Checks a cost without adding it up. @throws Unrenderable when the amount alone exceeds the limit. */
  check(what: keyof RenderLimits, amount: number): void {
    if (amount > this.limits[what])
      throw new TooLarge(`too large: more than ${this.limits[what]} ${WORDS[what]}`);
  }

  checkDepth(depth: number, most = this.limits.depth): void {
    if (depth > most) throw new Unrenderable(`nested deeper than ${most} levels`);
  }
}

const WORDS: Record<keyof RenderLimits, string> = {
  inputBytes: 'bytes of input',
  vertices: 'vertices',
  triangles: 'triangles',
  imagePixels: 'pixels in an image',
  textureSide: 'texels on a side of a texture',
  images: 'images',
  splats: 'splats',
  instances: 'copies of a mesh',
  nodes: 'nodes',
  depth: 'levels',
};
