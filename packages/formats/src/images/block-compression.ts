import type { Image } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { ImageSize } from './image-size.ts';

/** Block compression of graphics cards: 4 × 4 pixels in 8 or 16 bytes. */
export type BlockFormat = 'BC1' | 'BC2' | 'BC3' | 'BC4' | 'BC5';

/** Unpacks the blocks of a picture. @throws Unrenderable when there are too few */
export function decodeBlocks(bytes: Uint8Array, { width, height }: ImageSize, format: BlockFormat): Image {
  const size = format === 'BC1' || format === 'BC4' ? 8 : 16;
  const [across, down] = [Math.ceil(width / 4), Math.ceil(height / 4)];
  if (across * down * size > bytes.length) throw new Unrenderable('the picture is cut off');
  const data = new Uint8Array(width * height * 4).fill(255);
  const block = new Uint8Array(64);
  for (let index = 0; index < across * down; index++) {
    readBlock(bytes.subarray(index * size, (index + 1) * size), format, block);
    const [left, top] = [(index % across) * 4, Math.floor(index / across) * 4];
    for (let y = 0; y < Math.min(4, height - top); y++) {
      const row = block.subarray(y * 16, y * 16 + Math.min(4, width - left) * 4);
      data.set(row, ((top + y) * width + left) * 4);
    }
  }
  return { width, height, data };
}

function readBlock(bytes: Uint8Array, format: BlockFormat, out: Uint8Array): void {
  switch (format) {
    case 'BC1':
      readColors(bytes, 0, true, out);
      break;
    case 'BC2':
      readColors(bytes, 8, false, out);
      for (let k = 0; k < 16; k++) out[k * 4 + 3] = (((bytes[k >> 1] as number) >> ((k & 1) * 4)) & 15) * 17;
      break;
    case 'BC3':
      readColors(bytes, 8, false, out);
      readChannel(bytes, 0, out, 3);
      break;
    case 'BC4':
      readChannel(bytes, 0, out, 0);
      for (let k = 0; k < 16; k++) out.fill(out[k * 4] as number, k * 4 + 1, k * 4 + 3);
      break;
    case 'BC5':
      readChannel(bytes, 0, out, 0);
      readChannel(bytes, 8, out, 1);
      for (let k = 0; k < 16; k++)
        out[k * 4 + 2] = thirdOfNormal(out[k * 4] as number, out[k * 4 + 1] as number);
  }
}

/** Pictures of two channels are normals, whose third part follows from the other two. */
function thirdOfNormal(red: number, green: number): number {
  const [x, y] = [red / 127.5 - 1, green / 127.5 - 1];
  return Math.round(127.5 * (1 + Math.sqrt(Math.max(0, 1 - x * x - y * y))));
}

function readColors(bytes: Uint8Array, start: number, canBeClear: boolean, out: Uint8Array): void {
  const word = (at: number) => (bytes[start + at] as number) | ((bytes[start + at + 1] as number) << 8);
  const [first, second] = [word(0), word(2)];
  const ends = [first, second].map((value) => [
    Math.round(((value >> 11) * 255) / 31),
    Math.round((((value >> 5) & 63) * 255) / 63),
    Math.round(((value & 31) * 255) / 31),
  ]) as [number[], number[]];
  const isFour = first > second || !canBeClear;
  for (let k = 0; k < 16; k++) {
    const step = ((bytes[start + 4 + (k >> 2)] as number) >> ((k & 3) * 2)) & 3;
    const weight = isFour ? ([0, 1, 1 / 3, 2 / 3][step] as number) : ([0, 1, 0.5, 0][step] as number);
    const isClear = !isFour && step === 3;
    for (let channel = 0; channel < 3; channel++) {
      const [a, b] = [ends[0][channel] as number, ends[1][channel] as number];
      out[k * 4 + channel] = isClear ? 0 : Math.round(a + (b - a) * weight);
    }
    out[k * 4 + 3] = isClear ? 0 : 255;
  }
}

function readChannel(bytes: Uint8Array, start: number, out: Uint8Array, channel: number): void {
  const [a, b] = [bytes[start] as number, bytes[start + 1] as number];
  for (let k = 0; k < 16; k++) {
    const bit = 16 + k * 3;
    const at = start + (bit >> 3);
    const step = (((bytes[at] as number) | ((bytes[at + 1] ?? 0) << 8)) >> (bit & 7)) & 7;
    out[k * 4 + channel] = between(a, b, step);
  }
}

/** Between the two ends in seven steps, or in five steps with black and white. */
function between(a: number, b: number, step: number): number {
  if (step < 2) return step === 0 ? a : b;
  if (a > b) return Math.round((a * (8 - step) + b * (step - 1)) / 7);
  if (step > 5) return step === 6 ? 0 : 255;
  return Math.round((a * (6 - step) + b * (step - 1)) / 5);
}
