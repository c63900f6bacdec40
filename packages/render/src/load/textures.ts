import sharp from 'sharp';
import type { AssetFiles } from '../files.ts';
import type { Budget } from '../limits.ts';
import type { Image, Texture } from '../scene.ts';

/** A thumbnail shows no more of a texture than this many texels a side. */
const LARGEST_SIDE = 1024;

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
    const image = await this.#pixels(bytes, LARGEST_SIDE);
    return image && withLevels(image);
  }

  /** The pixels of an encoded image as they stand, or undefined where it cannot be decoded. */
  decodeExact(bytes: Uint8Array): Promise<Image | undefined> {
    return this.#pixels(bytes, undefined);
  }

  async #pixels(bytes: Uint8Array, largestSide: number | undefined): Promise<Image | undefined> {
    this.#budget.spend('images', 1);
    try {
      const source = sharp(bytes, { limitInputPixels: this.#budget.limits.imagePixels, failOn: 'error' });
      const fitted =
        largestSide === undefined
          ? source
          : source.resize({
              width: largestSide,
              height: largestSide,
              fit: 'inside',
              withoutEnlargement: true,
            });
      const { data, info } = await fitted
        .toColourspace('srgb')
        .ensureAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      return { width: info.width, height: info.height, data: new Uint8Array(data) };
    } catch {
      return undefined;
    }
  }
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
    for (let x = 0; x < w; x++) {
      const from = (y * 2 * width + x * 2) * 4;
      const to = (y * w + x) * 4;
      for (let k = 0; k < 4; k++) {
        out[to + k] =
          ((data[from + k] as number) +
            (data[from + 4 + k] as number) +
            (data[from + width * 4 + k] as number) +
            (data[from + width * 4 + 4 + k] as number) +
            2) >>
          2;
      }
    }
  }
  return { width: w, height: h, data: out };
}
