import type { LoadContext } from '../context.ts';
import type { Image, SplatCloud } from '../model/scene.ts';
import { AssetFiles } from '../reading/asset-files.ts';
import { Unrenderable } from '../reading/errors.ts';
import { parseJsonObject } from '../reading/json.ts';
import { openZip } from '../reading/zip.ts';
import { rotationWithout, SplatCloudBuilder } from './cloud.ts';

interface Planes {
  readonly low: Image;
  readonly high: Image;
  readonly scales: Image;
  readonly quats: Image;
  readonly sh0: Image;
}

/**
 * SOG: splats in the pixels of lossless WebP planes next to a `meta.json`. Version 1 scales bytes between limits,
 * version 2 looks them up in codebooks. https://developer.playcanvas.com/user-manual/gaussian-splatting/formats/sog/
 */
export async function loadSog(path: string, context: LoadContext): Promise<SplatCloud> {
  const sog = await Sog.open(path, context);
  const builder = new SplatCloudBuilder(sog.count, context.budget);
  await sog.copy([{ offset: 0, count: sog.count }], builder, 0);
  return builder.fromYDown();
}

/** Consecutive splats of a SOG. */
export interface SogRange {
  readonly offset: number;
  readonly count: number;
}

/** A SOG whose planes are only read when splats are copied from it. */
export class Sog {
  readonly count: number;
  readonly #meta: SogMeta;
  readonly #path: string;
  readonly #context: LoadContext;

  static async open(path: string, context: LoadContext): Promise<Sog> {
    return new Sog(parseSogMeta(await context.files.read(path)), path, context);
  }

  private constructor(meta: SogMeta, path: string, context: LoadContext) {
    this.count = declaredSplatCount(meta);
    this.#meta = meta;
    this.#path = path;
    this.#context = context;
  }

  /** Copies the splats of some ranges to a builder, as its splats from `first` on. */
  async copy(ranges: readonly SogRange[], builder: SplatCloudBuilder, first: number): Promise<void> {
    if (ranges.some(({ offset, count }) => offset + count > this.count))
      throw new Unrenderable('a SOG file has fewer splats than are taken from it');
    const planes = await readPlanes(this.#meta, this.#path, this.#context);
    for (const plane of Object.values(planes)) {
      if (plane.width * plane.height < this.count)
        throw new Unrenderable('a SOG plane is too small for its splats');
    }
    const reader = new SogReader(this.#meta, planes, builder);
    let target = first;
    for (const { offset, count } of ranges) {
      for (let splat = offset; splat < offset + count; splat++) reader.read(splat, target++);
    }
  }
}

async function readPlanes(meta: SogMeta, path: string, { files, textures }: LoadContext): Promise<Planes> {
  const plane = async (part: SogPart | undefined, index = 0): Promise<Image> => {
    const name = String(part?.files?.[index] ?? '');
    const found = files.resolve(path, name);
    const image = found === undefined ? undefined : await textures.decodeExact(await files.read(found));
    if (image === undefined) throw new Unrenderable('a SOG plane is missing or damaged');
    return image;
  };
  return {
    low: await plane(meta.means, 0),
    high: await plane(meta.means, 1),
    scales: await plane(meta.scales),
    quats: await plane(meta.quats),
    sh0: await plane(meta.sh0),
  };
}

class SogReader {
  readonly #planes: Planes;
  readonly #builder: SplatCloudBuilder;
  readonly #scale: (byte: number, channel: number) => number;
  readonly #harmonic: (byte: number, channel: number) => number;
  readonly #logit: (byte: number) => number;
  readonly #coordinate: (fraction: number, axis: number) => number;

  constructor(meta: SogMeta, planes: Planes, builder: SplatCloudBuilder) {
    this.#planes = planes;
    this.#builder = builder;
    this.#coordinate = interpolator(meta.means);
    const isBooked = meta.version === 2;
    const bySpan = (part: SogPart | undefined) => {
      const value = interpolator(part);
      return (byte: number, channel: number) => value(byte / 255, channel);
    };
    this.#scale = isBooked ? lookUp(meta.scales) : bySpan(meta.scales);
    this.#harmonic = isBooked ? lookUp(meta.sh0) : bySpan(meta.sh0);
    const spanned = bySpan(meta.sh0);
    this.#logit = isBooked ? (byte) => logit(byte / 255) : (byte) => spanned(byte, 3);
  }

  /** Copies one splat to its place in the builder. */
  read(splat: number, target: number): void {
    const { low, high, scales, quats, sh0 } = this.#planes;
    const byte = (plane: Image, channel: number) => plane.data[splat * 4 + channel] as number;
    const coordinate = (axis: number) =>
      inverseSignedLog(this.#coordinate((byte(low, axis) + 256 * byte(high, axis)) / 65535, axis));
    this.#builder.position(target, coordinate(0), coordinate(1), coordinate(2));
    const scale = (axis: number) => this.#scale(byte(scales, axis), axis);
    this.#builder.logScale(target, scale(0), scale(1), scale(2));
    const part = (channel: number) => (byte(quats, channel) / 127.5 - 1) * Math.SQRT1_2;
    this.#builder.rotation(target, ...rotationWithout(byte(quats, 3) - 252, part(0), part(1), part(2)));
    const harmonic = (channel: number) => this.#harmonic(byte(sh0, channel), channel);
    this.#builder.harmonicColor(target, harmonic(0), harmonic(1), harmonic(2), this.#logit(byte(sh0, 3)));
  }
}

function interpolator(part: SogPart | undefined): (fraction: number, channel: number) => number {
  return (fraction, channel) => {
    const low = Number(part?.mins?.[channel] ?? 0);
    const high = Number(part?.maxs?.[channel] ?? 0);
    return low + (high - low) * fraction;
  };
}

function lookUp(part: SogPart | undefined): (byte: number) => number {
  const book = Array.from({ length: 256 }, (_, index) => Number(part?.codebook?.[index] ?? 0));
  return (byte) => book[byte] as number;
}

/** The inverse of sign(x) · ln(|x| + 1), in which form positions are stored. */
function inverseSignedLog(value: number): number {
  return Math.sign(value) * (Math.exp(Math.abs(value)) - 1);
}

function logit(share: number): number {
  const inside = Math.min(1 - 1e-6, Math.max(1e-6, share));
  return Math.log(inside / (1 - inside));
}

/** `meta.json` of both versions, not validated. */
export interface SogMeta {
  readonly version?: number;
  readonly count?: number;
  readonly means?: SogPart;
  readonly scales?: SogPart;
  readonly quats?: SogPart;
  readonly sh0?: SogPart;
  /** The view-dependent colours. */
  readonly shN?: SogPart;
}

interface SogPart {
  readonly shape?: readonly number[];
  readonly mins?: readonly number[];
  readonly maxs?: readonly number[];
  readonly codebook?: readonly number[];
  readonly files?: readonly string[];
}

export function parseSogMeta(bytes: Uint8Array): SogMeta {
  return parseJsonObject(bytes, 'the SOG meta.json');
}

/** The number of splats that a SOG declares. */
export function declaredSplatCount({ version, count, means }: SogMeta): number {
  const announced = version === 2 ? count : means?.shape?.[0];
  if (announced === undefined || !Number.isSafeInteger(announced) || announced < 0)
    throw new Unrenderable('the SOG file has no count');
  return announced;
}

/** `.sog`: a SOG folder as one ZIP archive. */
export async function loadSogArchive(path: string, context: LoadContext): Promise<SplatCloud> {
  const { files, budget, textures } = context;
  const inside = new AssetFiles(openZip(await files.read(path)), budget);
  const meta = inside.resolve('', 'meta.json');
  if (meta === undefined) throw new Unrenderable('the SOG archive has no meta.json');
  return loadSog(meta, { ...context, files: inside, textures: textures.withFiles(inside) });
}
