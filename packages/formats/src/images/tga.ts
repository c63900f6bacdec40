import type { Image } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import { imageSize } from './image-size.ts';
import { announcedSize } from './pixels.ts';

const HEADER = 18;
const RUN_LENGTH = 8;
const MAPPED = 1;
const GREY = 3;

/** TGA files have no mark of their own: what has a size and begins like no other picture is one. */
export function isTga(bytes: Uint8Array): boolean {
  return (bytes[0] ?? 255) < 32 && (bytes[1] ?? 255) <= 1 && imageSize(bytes) !== undefined;
}

/** Decodes Truevision TGA: true colours, a map of colours or greys, plain or in runs. */
export function decodeTga(bytes: Uint8Array, maxPixels: number): Image {
  const { width, height } = announcedSize(bytes, maxPixels);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = view.getUint8(2) & ~RUN_LENGTH;
  const depth = view.getUint8(16);
  const size = depth >> 3 || 1;
  const [mapStart, mapLength, mapDepth] = [
    view.getUint16(3, true),
    view.getUint16(5, true),
    view.getUint8(7),
  ];
  const map = HEADER + view.getUint8(0);
  const body = map + (view.getUint8(1) === 1 ? mapLength * ((mapDepth + 7) >> 3) : 0);
  const isPacked = (view.getUint8(2) & RUN_LENGTH) !== 0;
  const raw = isPacked
    ? unpack(bytes, body, size, width * height)
    : bytes.subarray(body, body + width * height * size);
  if (raw.length < width * height * size) throw new Unrenderable(CUT);
  const colorAt = colorReader(
    type === MAPPED ? bytes : raw,
    type === MAPPED ? mapDepth : depth,
    type === GREY,
  );
  const flags = view.getUint8(17);
  const hasAlpha = (flags & 15) > 0 || depth === 16;
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    const row = flags & 32 ? y : height - 1 - y;
    for (let x = 0; x < width; x++) {
      const from = (row * width + (flags & 16 ? width - 1 - x : x)) * size;
      const place = type === MAPPED ? map + ((raw[from] as number) - mapStart) * ((mapDepth + 7) >> 3) : from;
      const [red, green, blue, alpha] = colorAt(place);
      data.set([red, green, blue, hasAlpha ? alpha : 255], (y * width + x) * 4);
    }
  }
  return { width, height, data };
}

const CUT = 'the TGA picture is cut off';

function unpack(bytes: Uint8Array, start: number, size: number, pixels: number): Uint8Array {
  const out = new Uint8Array(pixels * size);
  let [at, to] = [start, 0];
  while (to < out.length) {
    if (at >= bytes.length) throw new Unrenderable(CUT);
    const control = bytes[at++] as number;
    const length = Math.min(((control & 127) + 1) * size, out.length - to);
    const isRun = control > 127;
    for (let k = 0; k < length; k++) out[to + k] = bytes[at + (isRun ? k % size : k)] ?? 0;
    to += length;
    at += isRun ? size : length;
  }
  return out;
}

type Color = readonly [number, number, number, number];

function colorReader(bytes: Uint8Array, depth: number, isGrey: boolean): (at: number) => Color {
  const byte = (at: number) => bytes[at] ?? 0;
  if (isGrey) return (at) => [byte(at), byte(at), byte(at), depth === 16 ? byte(at + 1) : 255];
  if (depth === 15 || depth === 16) {
    return (at) => {
      const value = byte(at) | (byte(at + 1) << 8);
      const part = (shift: number) => Math.round((((value >> shift) & 31) * 255) / 31);
      return [part(10), part(5), part(0), 255];
    };
  }
  return (at) => [byte(at + 2), byte(at + 1), byte(at), depth === 32 ? byte(at + 3) : 255];
}
