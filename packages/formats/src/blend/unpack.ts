import { constants, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { viewOf } from '../files/bytes.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { BlendStream } from './blocks.ts';

/** A file of which any part can be read. */
export interface BlendFile {
  size: number;
  /** Fewer bytes only at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** The most bytes of a file once it is unpacked, and of one part of it. */
const MOST = { unpacked: 16 * 2 ** 30, frame: 64 * 2 ** 20, frames: 1_000_000 };

/** How much is unpacked of a file that is compressed as a whole: its preview is near the beginning. */
const HEAD_BYTES = 512 * 1024;

/**
 * Returns what opens a Blender file at its beginning, as often as it is called. Files may be compressed: by gzip before Blender 3, which
 * has no assets, and since then in frames of Zstandard, with a table of these at the end. Without a table only the beginning is there.
 */
export async function unpackBlend(file: BlendFile): Promise<() => BlendStream> {
  const [first, second] = await file.read(0, 2);
  const isGzip = first === 0x1f && second === 0x8b;
  const isZstandard = first === 0x28 && second === 0xb5;
  if (!isGzip && !isZstandard) return () => new FileStream(file);
  const frames = isZstandard ? await framesOf(file) : null;
  if (frames !== null) return () => new FrameStream(file, frames);
  const head = unpackedHead(await file.read(0, HEAD_BYTES), isGzip);
  const read = async (offset: number, length: number) => head.subarray(offset, offset + length);
  return () => new FileStream({ size: head.length, read });
}

function unpackedHead(bytes: Uint8Array, isGzip: boolean): Uint8Array {
  const bound = { maxOutputLength: MOST.frame };
  try {
    return isGzip
      ? gunzipSync(bytes, { ...bound, finishFlush: constants.Z_SYNC_FLUSH })
      : zstdDecompressSync(bytes, { ...bound, finishFlush: constants.ZSTD_e_flush });
  } catch (error) {
    throw notUnpacked({ cause: error });
  }
}

class FileStream implements BlendStream {
  readonly #file: BlendFile;
  #position = 0;

  constructor(file: BlendFile) {
    this.#file = file;
  }

  async take(length: number): Promise<Uint8Array> {
    const bytes = await this.#file.read(this.#position, length);
    this.#position += bytes.length;
    return bytes;
  }

  async skip(length: number): Promise<void> {
    this.#position += length;
  }
}

/** A part that is compressed by itself, and where it is in the file and in what that becomes. */
interface Frame {
  offset: number;
  length: number;
  position: number;
  bytes: number;
}

const FOOTER = { bytes: 9, magic: 0x8f92eab1 };

/** Reads the table of Zstandard's seekable format; null if the file has none. */
async function framesOf(file: BlendFile): Promise<Frame[] | null> {
  const footer = viewOf(await file.read(Math.max(0, file.size - FOOTER.bytes), FOOTER.bytes));
  if (footer.byteLength < FOOTER.bytes || footer.getUint32(5, true) !== FOOTER.magic) return null;
  const count = footer.getUint32(0, true);
  const entryBytes = footer.getUint8(4) >= 0x80 ? 12 : 8;
  const table = file.size - FOOTER.bytes - count * entryBytes;
  if (count > MOST.frames || table < 0) throw notUnpacked();
  const entries = viewOf(await file.read(table, count * entryBytes));
  if (entries.byteLength < count * entryBytes) throw notUnpacked();
  const frames: Frame[] = [];
  let [offset, position] = [0, 0];
  for (let at = 0; at < count; at++) {
    const length = entries.getUint32(at * entryBytes, true);
    const bytes = entries.getUint32(at * entryBytes + 4, true);
    if (bytes > MOST.frame || length > MOST.frame || position + bytes > MOST.unpacked) throw notUnpacked();
    frames.push({ offset, length, position, bytes });
    offset += length;
    position += bytes;
  }
  return frames;
}

/** Unpacks only frames of which something is taken. */
class FrameStream implements BlendStream {
  readonly #file: BlendFile;
  readonly #frames: readonly Frame[];
  #position = 0;
  #at = 0;
  /** Of the frame `#at`, once something of it was taken. */
  #unpacked: Uint8Array | null = null;

  constructor(file: BlendFile, frames: readonly Frame[]) {
    this.#file = file;
    this.#frames = frames;
  }

  async take(length: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for (let left = length; left > 0; ) {
      this.#enter();
      const frame = this.#frames[this.#at];
      if (frame === undefined) break;
      this.#unpacked ??= await this.#unpack(frame);
      const start = this.#position - frame.position;
      const piece = this.#unpacked.subarray(start, start + left);
      pieces.push(piece);
      this.#position += piece.length;
      left -= piece.length;
    }
    const [only] = pieces;
    return only !== undefined && pieces.length === 1 ? only : joined(pieces);
  }

  async skip(length: number): Promise<void> {
    this.#position += length;
  }

  /** Goes to the frame of the position. */
  #enter(): void {
    for (;;) {
      const frame = this.#frames[this.#at];
      if (frame === undefined || this.#position < frame.position + frame.bytes) return;
      this.#at++;
      this.#unpacked = null;
    }
  }

  async #unpack({ offset, length, bytes }: Frame): Promise<Uint8Array> {
    const packed = await this.#file.read(offset, length);
    try {
      const unpacked = zstdDecompressSync(packed, { maxOutputLength: bytes });
      if (unpacked.length === bytes) return unpacked;
    } catch (error) {
      throw notUnpacked({ cause: error });
    }
    throw notUnpacked();
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function notUnpacked(options?: ErrorOptions): Unrenderable {
  return new Unrenderable('the Blender file cannot be decompressed', options);
}
