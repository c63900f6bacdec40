import type { Image } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import { type BlockFormat, decodeBlocks } from './block-compression.ts';
import type { ImageSize } from './image-size.ts';
import { announcedSize } from './pixels.ts';

const HEADER = 128;
const EXTENDED_HEADER = 20;
const FOUR_CC = 4;
const LUMINANCE = 0x20000;

const BY_NAME: Readonly<Record<string, BlockFormat>> = {
  DXT1: 'BC1',
  DXT2: 'BC2',
  DXT3: 'BC2',
  DXT4: 'BC3',
  DXT5: 'BC3',
  ATI1: 'BC4',
  BC4U: 'BC4',
  ATI2: 'BC5',
  BC5U: 'BC5',
};
/** Numbers of DXGI: each typeless, normalised, and in sRGB or signed. */
const BY_NUMBER: readonly (readonly [first: number, last: number, BlockFormat])[] = [
  [70, 72, 'BC1'],
  [73, 75, 'BC2'],
  [76, 78, 'BC3'],
  [79, 80, 'BC4'],
  [82, 83, 'BC5'],
];

export function isDds(bytes: Uint8Array): boolean {
  return bytes[0] === 0x44 && bytes[1] === 0x44 && bytes[2] === 0x53 && bytes[3] === 0x20;
}

/** Decodes a DirectDraw surface: its first picture, packed in blocks or as masks say. */
export function decodeDds(bytes: Uint8Array, maxPixels: number): Image {
  const size = announcedSize(bytes, maxPixels);
  if (bytes.length < HEADER) throw new Unrenderable('the DDS picture is cut off');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if ((view.getUint32(80, true) & FOUR_CC) === 0) return decodeMasked(view, size);
  const name = new TextDecoder('latin1').decode(bytes.subarray(84, 88));
  if (name !== 'DX10') return blocks(bytes.subarray(HEADER), size, BY_NAME[name], name);
  if (bytes.length < HEADER + EXTENDED_HEADER) throw new Unrenderable('the DDS picture is cut off');
  const number = view.getUint32(HEADER, true);
  const found = BY_NUMBER.find(([first, last]) => number >= first && number <= last);
  return blocks(bytes.subarray(HEADER + EXTENDED_HEADER), size, found?.[2], `DXGI ${number}`);
}

function blocks(body: Uint8Array, size: ImageSize, format: BlockFormat | undefined, name: string): Image {
  if (format === undefined) throw new Unrenderable(`DDS in ${name.replace(/[^ -~]/g, '?')} is not decoded`);
  return decodeBlocks(body, size, format);
}

function decodeMasked(view: DataView, { width, height }: ImageSize): Image {
  const isGrey = (view.getUint32(80, true) & LUMINANCE) !== 0;
  const bytesPerPixel = view.getUint32(88, true) >> 3;
  if (bytesPerPixel < 1 || bytesPerPixel > 4 || HEADER + width * height * bytesPerPixel > view.byteLength)
    throw new Unrenderable('the DDS picture is cut off');
  const masks = [92, 96, 100, 104].map((at) => view.getUint32(at, true));
  if (isGrey) masks.splice(1, 2, masks[0] as number, masks[0] as number);
  const shifts = masks.map((mask) => (mask === 0 ? 0 : 31 - Math.clz32(mask & -mask)));
  const data = new Uint8Array(width * height * 4);
  for (let pixel = 0; pixel < width * height; pixel++) {
    let value = 0;
    for (let k = 0; k < bytesPerPixel; k++)
      value |= view.getUint8(HEADER + pixel * bytesPerPixel + k) << (k * 8);
    for (const [channel, mask] of masks.entries()) {
      const shift = shifts[channel] as number;
      const most = mask >>> shift;
      data[pixel * 4 + channel] =
        most === 0 ? (channel === 3 ? 255 : 0) : (((value & mask) >>> shift) * 255) / most;
    }
  }
  return { width, height, data };
}
