import type { Image, Texture } from '../model/scene.ts';
import type { AssetFiles } from '../reading/asset-files.ts';
import { TooLarge, Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import type { OmissionLog } from '../reading/omissions.ts';
import { decodePicture } from './decode.ts';

/** Decodes images in the formats of the web (PNG, JPEG, WebP and whatever else it supports): `sharp`, or a browser. */
export interface ImageDecoder {
  /** Rejects images of more than `maxPixels`. If the longer side exceeds `above`, the image is scaled to `to`. */
  decode(bytes: Uint8Array, maxPixels: number, shrink?: Shrinking): Promise<Image>;
}

interface Shrinking {
  readonly above: number;
  readonly to: number;
}

/** Decodes the images of one asset, each once. An image that cannot be decoded is left out. */
export class TextureLoader {
  readonly #files: AssetFiles;
  readonly #budget: Budget;
  readonly #omissions: OmissionLog;
  readonly #images: ImageDecoder;
  readonly #byPath = new Map<string, Promise<readonly Image[] | undefined>>();

  constructor(files: AssetFiles, budget: Budget, omissions: OmissionLog, images: ImageDecoder) {
    this.#files = files;
    this.#budget = budget;
    this.#omissions = omissions;
    this.#images = images;
  }

  /** A loader for images among other files, such as those of an archive. */
  withFiles(files: AssetFiles): TextureLoader {
    return new TextureLoader(files, this.#budget, this.#omissions, this.#images);
  }

  /** The texture that a reference resolves to; reported as missing if there is none or it cannot be decoded. */
  async loadReferenced(
    reference: string,
    path: string | undefined,
    use?: Partial<Texture>,
  ): Promise<Texture | undefined> {
    if (path === undefined) return texture(await this.loadEmbedded(reference, undefined), use);
    return texture(await this.loadOnce(path, () => this.#files.read(path)), use);
  }

  /** The levels of an image that is read in another way, the first time only; reported as missing if it cannot be decoded. */
  loadOnce(path: string, read: () => Promise<Uint8Array>): Promise<readonly Image[] | undefined> {
    const levels = this.#byPath.get(path) ?? read().then((bytes) => this.loadEmbedded(path, bytes));
    this.#byPath.set(path, levels);
    return levels;
  }

  /** The levels of an image inside another file; reported as missing under this name if it cannot be decoded. */
  async loadEmbedded(name: string, bytes: Uint8Array | undefined): Promise<readonly Image[] | undefined> {
    this.#omissions.count('textures', name);
    try {
      if (bytes === undefined) throw new Unrenderable('no such file');
      // Halving is much faster than resampling, and as good here; but it needs the whole image in memory.
      const { textureSide } = this.#budget.limits;
      const image = await this.#decoded(bytes, { above: 2 * textureSide, to: textureSide });
      const levels = buildMipmaps(image);
      const first = levels.findIndex((level) => Math.max(level.width, level.height) <= textureSide);
      return levels.slice(Math.max(0, first));
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#omissions.omit('textures', name, error.message);
      return undefined;
    }
  }

  /** The unscaled pixels of an encoded image, or undefined if it cannot be decoded. */
  async decodeExact(bytes: Uint8Array): Promise<Image | undefined> {
    try {
      return await this.#decoded(bytes);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return undefined;
    }
  }

  async #decoded(bytes: Uint8Array, shrink?: Shrinking): Promise<Image> {
    this.#budget.spend('images', 1);
    const { imagePixels } = this.#budget.limits;
    const decoded = decodePicture(bytes, imagePixels);
    if (decoded !== undefined) return decoded;
    try {
      return await this.#images.decode(bytes, imagePixels, shrink);
    } catch (error) {
      throw new Unrenderable('cannot be decoded', { cause: error });
    }
  }
}

/** Whether an error is about one image, not about the limits of the whole asset. */
function isDamage(error: unknown): error is Unrenderable {
  return error instanceof Unrenderable && !(error instanceof TooLarge);
}

/** A texture over decoded levels; coordinates repeat unless `use` says otherwise. */
export function texture(
  levels: readonly Image[] | undefined,
  use: Partial<Texture> = {},
): Texture | undefined {
  return levels && { wrapU: 'repeat', wrapV: 'repeat', uvSet: 0, ...use, levels };
}

/** The image and its halvings down to a side of one texel. */
export function buildMipmaps(image: Image): readonly Image[] {
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
