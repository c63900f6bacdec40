import { zstdDecompressSync } from 'node:zlib';
import { unzlibSync } from 'fflate';
import type { Image } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import { type BlockFormat, decodeBlocks } from './block-compression.ts';
import { decodeEtc1s } from './etc1s.ts';
import type { ImageSize } from './image-size.ts';
import { announcedSize } from './pixels.ts';

const START = Uint8Array.of(0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb);
/** Of a level of a picture: where it begins, how long it is, and how long it is unpacked. */
const LEVELS = 80;
const LEVEL_BYTES = 24;
const BASIS_LZ = 1;
const ZSTD = 2;
const ZLIB = 3;

/** Bytes of a pixel of uncompressed formats, by the number that Vulkan gives them. */
const CHANNELS: Readonly<Record<number, number>> = { 9: 1, 15: 1, 16: 2, 22: 2, 23: 3, 29: 3, 37: 4, 43: 4 };
const BLOCKS: readonly (readonly [first: number, last: number, BlockFormat])[] = [
  [131, 134, 'BC1'],
  [135, 136, 'BC2'],
  [137, 138, 'BC3'],
  [139, 139, 'BC4'],
  [141, 141, 'BC5'],
];

export function isKtx2(bytes: Uint8Array): boolean {
  return START.every((value, index) => bytes[index] === value);
}

/** Decodes the largest picture of a KTX2 file: ETC1S of Basis Universal, blocks, or plain pixels. */
export function decodeKtx2(bytes: Uint8Array, maxPixels: number): Image {
  const size = announcedSize(bytes, maxPixels);
  if (bytes.length < LEVELS + LEVEL_BYTES) throw new Unrenderable(CUT);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const format = view.getUint32(12, true);
  const packing = view.getUint32(44, true);
  const part = (at: number) => {
    const [start, length] = [view.getBigUint64(at, true), view.getBigUint64(at + 8, true)];
    if (start + length > BigInt(bytes.length)) throw new Unrenderable(CUT);
    return bytes.subarray(Number(start), Number(start + length));
  };
  if (packing === BASIS_LZ) return decodeEtc1s(part(64), part(LEVELS), size);
  const level = unpacked(part(LEVELS), packing, size.width * size.height * 8 + 1024);
  const channels = CHANNELS[format];
  if (channels !== undefined) return plain(level, size, channels);
  const found = BLOCKS.find(([first, last]) => format >= first && format <= last);
  if (found !== undefined) return decodeBlocks(level, size, found[2]);
  throw new Unrenderable(
    format === 0 ? 'KTX2 in UASTC is not decoded' : `KTX2 in format ${format} is not decoded`,
  );
}

const CUT = 'the KTX2 picture is cut off';

function unpacked(level: Uint8Array, packing: number, maxOutputLength: number): Uint8Array {
  try {
    if (packing === ZSTD) return zstdDecompressSync(level, { maxOutputLength });
    if (packing === ZLIB) return unzlibSync(level, { out: new Uint8Array(maxOutputLength) });
  } catch (error) {
    throw new Unrenderable('the KTX2 picture is damaged', { cause: error });
  }
  return level;
}

function plain(level: Uint8Array, { width, height }: ImageSize, channels: number): Image {
  if (level.length < width * height * channels) throw new Unrenderable(CUT);
  const data = new Uint8Array(width * height * 4).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (let channel = 0; channel < channels; channel++)
      data[pixel * 4 + channel] = level[pixel * channels + channel] as number;
    if (channels === 1) data.fill(data[pixel * 4] as number, pixel * 4 + 1, pixel * 4 + 3);
  }
  return { width, height, data };
}
