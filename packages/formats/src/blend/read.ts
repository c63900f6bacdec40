import { constants, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { FormatReader } from '../format.ts';
import type { Picture } from '../images/pixels.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';

/** The preview is near the beginning of a file, however large that is. */
const HEAD_BYTES = 512 * 1024;
const MAX_UNPACKED = 64 * 1024 * 1024;
const [SMALL_POINTER, LITTLE_ENDIAN] = ['_', 'v'];
/** Since Blender 5 the header states its own length, and blocks have lengths of 64 bits. */
const LONG_HEADER = /^BLENDER(\d\d)-\d\d([vV])\d{4}/;
const SHORT_HEADER = /^BLENDER([_-])([vV])\d{3}/;
const MAX_SIDE = 4096;

export const reader: FormatReader = {
  readPreview: async (entry, { files, budget }) => blendPreview(await files.read(entry), budget),
};

/** The preview picture that a Blender file carries. @throws Unrenderable if it carries none. */
export function blendPreview(bytes: Uint8Array, budget: Budget): Picture {
  const head = unpackedHead(bytes);
  const text = new TextDecoder('latin1').decode(head.subarray(0, 20));
  const [long, short] = [LONG_HEADER.exec(text), SHORT_HEADER.exec(text)];
  if (long === null && short === null) throw new Unrenderable('not a Blender file');
  const little = (long ?? short)?.[2] === LITTLE_ENDIAN;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const blockHead = long !== null ? 32 : short?.[1] === SMALL_POINTER ? 20 : 24;
  for (let at = long === null ? 12 : Number(long[1]); at + blockHead + 8 <= head.byteLength; ) {
    const code = new TextDecoder('latin1').decode(head.subarray(at, at + 4));
    const length = long === null ? view.getInt32(at + 4, little) : Number(view.getBigInt64(at + 16, little));
    const start = at + blockHead;
    if (length < 0 || code === 'ENDB') break;
    if (code === 'TEST') return pictureAt(head, start, length, little, budget);
    at = start + length;
  }
  throw new Unrenderable('the Blender file carries no preview picture');
}

/** Rows from the bottom. */
function pictureAt(
  head: Uint8Array,
  start: number,
  length: number,
  little: boolean,
  budget: Budget,
): Picture {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const [width, height] = [view.getInt32(start, little), view.getInt32(start + 4, little)];
  const isSound = width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE;
  const size = width * height * 4;
  if (!isSound || size > length - 8 || start + 8 + size > head.byteLength)
    throw new Unrenderable('the preview picture of the Blender file is damaged');
  budget.check('imagePixels', width * height);
  const data = new Uint8Array(size);
  for (let row = 0; row < height; row++) {
    const from = start + 8 + (height - 1 - row) * width * 4;
    data.set(head.subarray(from, from + width * 4), row * width * 4);
  }
  return { width, height, data };
}

/** Files may be compressed: by Zstandard since Blender 3, by gzip before. */
function unpackedHead(bytes: Uint8Array): Uint8Array {
  const head = bytes.subarray(0, HEAD_BYTES);
  const [first, second] = head;
  try {
    if (first === 0x28 && second === 0xb5)
      return zstdDecompressSync(head, {
        maxOutputLength: MAX_UNPACKED,
        finishFlush: constants.ZSTD_e_flush,
      });
    if (first === 0x1f && second === 0x8b)
      return gunzipSync(head, { maxOutputLength: MAX_UNPACKED, finishFlush: constants.Z_SYNC_FLUSH });
    return head;
  } catch (error) {
    throw new Unrenderable('the Blender file cannot be decompressed', { cause: error });
  }
}
