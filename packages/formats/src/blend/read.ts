import type { FormatReader } from '../format.ts';
import type { Picture } from '../images/pixels.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { readBlocks, readHeader } from './blocks.ts';
import { unpackBlend } from './unpack.ts';

/** The preview is near the beginning of a file, however large that is. */
const HEAD_BYTES = 64 * 1024 * 1024;
const MAX_SIDE = 4096;

export const reader: FormatReader = {
  readPreview: async (entry, { files, budget }) => blendPreview(await files.read(entry), budget),
};

/** The preview picture that a Blender file carries. @throws Unrenderable if it carries none. */
export async function blendPreview(bytes: Uint8Array, budget: Budget): Promise<Picture> {
  const read = async (offset: number, length: number) => bytes.subarray(offset, offset + length);
  const stream = (await unpackBlend({ size: bytes.length, read }))();
  const header = await readHeader(stream);
  let left = HEAD_BYTES;
  for await (const { block, take } of readBlocks(stream, header)) {
    left -= block.length;
    if (left < 0) break;
    if (block.code === 'TEST') return pictureOf(await take(), header.littleEndian, budget);
  }
  throw new Unrenderable('the Blender file carries no preview picture');
}

/** Rows from the bottom. */
function pictureOf(bytes: Uint8Array, little: boolean, budget: Budget): Picture {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height] = bytes.length < 8 ? [0, 0] : [view.getInt32(0, little), view.getInt32(4, little)];
  const isSound = width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE;
  const size = width * height * 4;
  if (!isSound || size > bytes.length - 8)
    throw new Unrenderable('the preview picture of the Blender file is damaged');
  budget.check('imagePixels', width * height);
  const data = new Uint8Array(size);
  for (let row = 0; row < height; row++) {
    const from = 8 + (height - 1 - row) * width * 4;
    data.set(bytes.subarray(from, from + width * 4), row * width * 4);
  }
  return { width, height, data };
}
