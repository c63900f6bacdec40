import sharp, { type Sharp } from 'sharp';
import type { AssetFiles } from '../files.ts';
import type { Budget } from '../limits.ts';
import { THUMBNAIL_SIZE } from '../picture.ts';
import type { Image, Texture } from '../scene.ts';

/** A thumbnail shows no more of a texture than this many texels a side: twice its own pixels. */
const LARGEST_SIDE = 2 * THUMBNAIL_SIZE;

/** Decodes the images of one asset, each once. An image that cannot be decoded is left out. */
export class TextureLoader {
  readonly #files: AssetFiles;
  readonly #budget: Budget;
  readonly #byPath = new Map<string, Promise<readonly Image[] | undefined>>();

  constructor(files: AssetFiles, budget: Budget) {
    this.#files = files;
    this.#budget = budget;
  }

  async fromFile(path: string, use: Partial<Texture> = {}): Promise<Texture | undefined> {
    let levels = this.#byPath.get(path);
    if (levels === undefined) {
      levels = this.#files.read(path).then((bytes) => this.decode(bytes));
      this.#byPath.set(path, levels);
    }
    return texture(await levels, use);
  }

  /** The levels of an encoded image (PNG, JPEG, WebP, GIF, TIFF, AVIF), or undefined where it is none of these. */
  async decode(bytes: Uint8Array): Promise<readonly Image[] | undefined> {
    this.#budget.spend('images', 1);
    try {
      const source = this.#open(bytes);
      const { width, height } = await source.metadata();
      // Halving is much faster than resampling, and as good here; but it needs the whole image in memory.
      const isHuge = Math.max(width, height) > 2 * LARGEST_SIDE;
      const image = await pixels(
        isHuge ? source.resize({ width: LARGEST_SIDE, height: LARGEST_SIDE, fit: 'inside' }) : source,
      );
      const levels = withLevels(image);
      const first = levels.findIndex((level) => Math.max(level.width, level.height) <= LARGEST_SIDE);
      return levels.slice(Math.max(0, first));
    } catch {
      return undefined;
    }
  }

  /** The pixels of an encoded image as they stand, or undefined where it cannot be decoded. */
  async decodeExact(bytes: Uint8Array): Promise<Image | undefined> {
    this.#budget.spend('images', 1);
    try {
      return await pixels(this.#open(bytes));
    } catch {
      return undefined;
    }
  }

  #open(bytes: Uint8Array): Sharp {
    return sharp(bytes, { limitInputPixels: this.#budget.limits.imagePixels, failOn: 'error' });
  }
}

async function pixels(source: Sharp): Promise<Image> {
  const { data, info } = await source
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8Array(data) };
}

/** A texture over decoded levels; coordinates repeat unless `use` says otherwise. */
export function texture(
  levels: readonly Image[] | undefined,
  use: Partial<Texture> = {},
): Texture | undefined {
  return levels && { wrapU: 'repeat', wrapV: 'repeat', uvSet: 0, ...use, levels };
}

/** The image and its halvings down to a side of one texel. */
export function withLevels(image: Image): readonly Image[] {
  const levels = [image];
  for (let last = image; Math.min(last.width, last.height) > 1; ) {
    last = halved(last);
    levels.push(last);
  }
  return levels;
}

function halved({ width, height, data }: Image): Image {
  const [w, h] = [width >> 1, height >> 1];
  const out = new Uint8Array(w * h * 4);
  for (let y = 0; y < h; y++) {
    let from = y * 2 * width * 4;
    for (let to = y * w * 4; to < (y + 1) * w * 4; to++) {
      const below = from + width * 4;
      out[to] =
        ((data[from] as number) +
          (data[from + 4] as number) +
          (data[below] as number) +
          (data[below + 4] as number) +
          2) >>
        2;
      from += (to & 3) === 3 ? 5 : 1;
    }
  }
  return { width: w, height: h, data: out };
}
