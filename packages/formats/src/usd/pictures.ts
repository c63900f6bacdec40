import type { LoadContext } from '../context.ts';
import { linearToSrgb, srgbToLinear } from '../images/pixels.ts';
import { buildMipmaps } from '../images/textures.ts';
import type { Image, Texture, Wrap } from '../model/scene.ts';
import { type Affine, type PictureUse, sourceOf } from './network.ts';
import type { UsdStage } from './stage/stage.ts';
import { numbersOf, textOf } from './values.ts';

/** A decoded picture, and how a shader uses it. */
export interface UsedPicture {
  readonly use: PictureUse;
  readonly levels: readonly Image[];
  /** What it is multiplied by, and what is then added, for each channel. */
  readonly scale: readonly number[];
  readonly bias: readonly number[];
  /** `raw`: its numbers are light already; `sRGB`; or as its content suggests. */
  readonly colorSpace: string;
}

const UDIM = /<udim>/i;

/** Whether a picture stands for many, one for each tile of the plane of textures. */
export function isTiled({ file }: PictureUse): boolean {
  return UDIM.test(file.asset);
}

/** A composed stage, and how the files that it names are read: in archives too. */
export interface OpenedStage {
  readonly stage: UsdStage;
  readonly context: LoadContext;
  read(path: string): Promise<Uint8Array>;
}

/** Loads the picture of a use; of several for tiles the one of this tile. Missing ones are reported. */
export async function loadPicture(
  use: PictureUse,
  tile: number,
  { stage, context: { textures }, read }: OpenedStage,
): Promise<UsedPicture | undefined> {
  const asset = use.file.asset.replace(UDIM, String(tile));
  const path = stage.resolve({ ...use.file, asset });
  const levels =
    path === undefined
      ? await textures.loadEmbedded(asset, undefined)
      : await textures.loadOnce(path, () => read(path));
  if (levels === undefined) return undefined;
  const input = (name: string) => {
    const source = sourceOf(stage, use.shader, `inputs:${name}`);
    return 'value' in source ? source.value : undefined;
  };
  const four = (name: string, other: number) => {
    const numbers = numbersOf(input(name));
    return [0, 1, 2, 3].map((k) => numbers?.[k] ?? other);
  };
  const written =
    textOf(input('sourceColorSpace')) ?? textOf(use.shader.metadata('colorSpace', 'inputs:file'));
  return {
    use,
    levels,
    scale: four('scale', 1),
    bias: four('bias', 0),
    colorSpace: written ?? 'auto',
  };
}

/** Where and how often a picture is shown. */
export function placement(
  { use, levels }: UsedPicture,
  stage: UsdStage,
  uvSet: 0 | 1,
  own: readonly Image[] = levels,
): Texture {
  const wrap = (name: string): Wrap => {
    const source = sourceOf(stage, use.shader, `inputs:${name}`);
    const written = 'value' in source ? textOf(source.value) : undefined;
    return written === 'mirror' ? 'mirror' : written === 'clamp' || written === 'black' ? 'clamp' : 'repeat';
  };
  return {
    levels: own,
    wrapU: wrap(isOmni(use) ? 'wrap_u' : 'wrapS'),
    wrapV: wrap(isOmni(use) ? 'wrap_v' : 'wrapT'),
    uvSet,
    transform: upsideDown(use.transform),
  };
}

function isOmni({ shader }: PictureUse): boolean {
  return shader.properties.includes('info:mdl:sourceAsset');
}

/** Coordinates of USD begin at the bottom, ours at the top. */
function upsideDown([a, b, c, d, e, f]: Affine): Affine | undefined {
  const isUnmoved = a === 1 && b === 0 && c === 0 && d === 1 && e === 0 && f === 0;
  return isUnmoved ? undefined : [a, -b, -c, d, c + e, 1 - d - f];
}

const CHANNELS = ['r', 'g', 'b', 'a'];

/** The number of the channel that a use reads; the first for colours. */
export function channelOf({ channel }: PictureUse): number {
  return Math.max(0, CHANNELS.indexOf(channel.replace(/^out/, '')));
}

/** Whether a picture shows one of its channels as grey. */
function isOneChannel({ channel }: PictureUse): boolean {
  return CHANNELS.includes(channel.replace(/^out/, ''));
}

/** EXR and HDR are in light, and decoded to sRGB. */
function isDecodedToSrgb({ use }: UsedPicture): boolean {
  return /\.(?:exr|hdr)$/i.test(use.file.asset);
}

/** A picture of colours, in sRGB. Factors that only scale are left to the material. */
export function colorLevels(picture: UsedPicture): readonly Image[] {
  const { levels, bias, scale, colorSpace, use } = picture;
  const isLight = /^(?:raw|lin_|linear|none$)/i.test(colorSpace) && !isDecodedToSrgb(picture);
  const isMoved = bias.slice(0, 3).some((part) => part !== 0);
  if (!isLight && !isMoved && !isOneChannel(use)) return levels;
  const tables = [0, 1, 2].map((channel) =>
    Uint8Array.from({ length: 256 }, (_, byte) => {
      const light = isLight ? byte / 255 : srgbToLinear(byte / 255);
      const moved = isMoved ? light * (scale[channel] ?? 1) + (bias[channel] ?? 0) : light;
      return Math.round(255 * linearToSrgb(Math.min(1, Math.max(0, moved))));
    }),
  );
  const from = isOneChannel(use) ? [0, 1, 2].map(() => channelOf(use)) : [0, 1, 2];
  return redrawn(levels, (data, at, channel) =>
    channel === 3
      ? (data[at + 3] as number)
      : ((tables[channel] as Uint8Array)[data[at + (from[channel] as number)] as number] as number),
  );
}

/** By how much a colour texture is multiplied. */
export function colorScale({ scale, bias }: UsedPicture): readonly [number, number, number] {
  const isMoved = bias.slice(0, 3).some((part) => part !== 0);
  const part = (channel: number) => (isMoved ? 1 : Math.min(1, Math.max(0, scale[channel] ?? 1)));
  return [part(0), part(1), part(2)];
}

/** A picture of normals, encoded as usual: twice the picture, less one. */
export function normalLevels({ levels, scale, bias }: UsedPicture): readonly Image[] {
  const isPlain = scale.every((part) => part === 1) && bias.every((part) => part === 0);
  const isUsual =
    scale.slice(0, 3).every((part) => part === 2) && bias.slice(0, 3).every((part) => part === -1);
  if (isPlain || isUsual) return levels;
  return redrawn(levels, (data, at, channel) => {
    const byte = data[at + channel] as number;
    if (channel === 3) return byte;
    const part = (byte / 255) * (scale[channel] ?? 1) + (bias[channel] ?? 0);
    return Math.round(127.5 * (Math.min(1, Math.max(-1, part)) + 1));
  });
}

/** One channel of a picture or one number, to be put into a channel of another picture. */
export type Channel = UsedPicture | number;

/** A picture of several channels, each from another picture or the same everywhere; those left out are white. */
export function packedLevels(
  channels: Readonly<Partial<Record<0 | 1 | 2 | 3, Channel>>>,
): readonly Image[] | undefined {
  const list = Object.entries(channels).map(([to, channel]) => ({
    to: Number(to),
    channel: channel as Channel,
  }));
  const pictures = list.flatMap(({ channel }) => (typeof channel === 'number' ? [] : [channel]));
  const largest = pictures
    .map(({ levels }) => levels[0])
    .reduce((a, b) => ((b?.width ?? 0) > (a?.width ?? 0) ? b : a), undefined);
  if (largest === undefined) return undefined;
  const isReady = list.every(
    ({ to, channel }) =>
      typeof channel !== 'number' &&
      channel.levels === pictures[0]?.levels &&
      (channelOf(channel.use) === to ||
        (!isOneChannel(channel.use) && to < 3 && list.length === 1 && to === 0)) &&
      channel.scale.every((part) => part === 1) &&
      channel.bias.every((part) => part === 0),
  );
  if (isReady) return pictures[0]?.levels;
  const { width, height } = largest;
  const data = new Uint8Array(width * height * 4).fill(255);
  for (const { to, channel } of list) {
    if (typeof channel === 'number') {
      const byte = Math.round(255 * Math.min(1, Math.max(0, channel)));
      for (let at = to; at < data.length; at += 4) data[at] = byte;
      continue;
    }
    const image = channel.levels[0] as Image;
    const from = channelOf(channel.use);
    const [scale, bias] = [channel.scale[from] ?? 1, channel.bias[from] ?? 0];
    for (let y = 0; y < height; y++) {
      const row = Math.floor((y * image.height) / height) * image.width;
      for (let x = 0; x < width; x++) {
        const byte = image.data[(row + Math.floor((x * image.width) / width)) * 4 + from] as number;
        data[(y * width + x) * 4 + to] = Math.round(Math.min(255, Math.max(0, byte * scale + bias * 255)));
      }
    }
  }
  return buildMipmaps({ width, height, data });
}

/** A picture of colours with the opacity of another, or of itself as it is scaled. */
export function withOpacity(levels: readonly Image[], opacity: UsedPicture): readonly Image[] {
  const isItsOwn = opacity.levels === levels && channelOf(opacity.use) === 3;
  if (isItsOwn && opacity.scale[3] === 1 && opacity.bias[3] === 0) return levels;
  const color = levels[0] as Image;
  const packed = packedLevels({ 3: { ...opacity } })?.[0];
  if (packed === undefined) return levels;
  const data = Uint8Array.from(color.data);
  for (let pixel = 0; pixel < color.width * color.height; pixel++) {
    const [x, y] = [pixel % color.width, Math.floor(pixel / color.width)];
    const from =
      Math.floor((y * packed.height) / color.height) * packed.width +
      Math.floor((x * packed.width) / color.width);
    data[pixel * 4 + 3] = packed.data[from * 4 + 3] as number;
  }
  return buildMipmaps({ ...color, data });
}

function redrawn(
  levels: readonly Image[],
  byteAt: (data: Uint8Array, at: number, channel: number) => number,
): readonly Image[] {
  const { width, height, data } = levels[0] as Image;
  const out = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += 4)
    for (let channel = 0; channel < 4; channel++) out[at + channel] = byteAt(data, at, channel);
  return buildMipmaps({ width, height, data: out });
}
