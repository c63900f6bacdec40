/*
 * The gzip format (RFC 1952) around bytes that are not compressed: its length is known before the first byte, any part can be
 * written without what precedes it, and no version of a compressor is in the digest. Meshes and pictures hardly shrink.
 */

/** Bytes of content in a block, and before it. */
const BLOCK = 65_535;
const BLOCK_HEAD = 5;
const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const TAIL_LENGTH = 8;

/** The length of `length` bytes in this format. */
export function gzipLength(length: number): number {
  return HEAD.length + length + BLOCK_HEAD * Math.ceil(length / BLOCK) + TAIL_LENGTH;
}

/** What follows the content. */
export function gzipTail(crc32: number, length: number): Buffer {
  const tail = Buffer.alloc(TAIL_LENGTH);
  tail.writeUInt32LE(crc32, 0);
  tail.writeUInt32LE(length % 2 ** 32, 4);
  return tail;
}

/** Yields the bytes that stand for a chunk at `position` of a content of `length` bytes. */
export function* gzipPieces(chunk: Uint8Array, position: number, length: number): Generator<Uint8Array> {
  if (position === 0 && chunk.length > 0) yield HEAD;
  for (let at = 0; at < chunk.length; ) {
    const inBlock = (position + at) % BLOCK;
    if (inBlock === 0) yield blockHead(position + at, length);
    const end = Math.min(chunk.length, at + BLOCK - inBlock);
    yield chunk.subarray(at, end);
    at = end;
  }
}

function blockHead(position: number, length: number): Buffer {
  const size = Math.min(BLOCK, length - position);
  const head = Buffer.alloc(BLOCK_HEAD);
  head[0] = position + size === length ? 1 : 0;
  head.writeUInt16LE(size, 1);
  head.writeUInt16LE(0xffff - size, 3);
  return head;
}

/** Where the content is to be read from for the bytes from `offset` on, and where what is then written begins. */
export function gzipStart(offset: number, length: number): { position: number; offset: number } {
  const block = Math.max(0, Math.floor((offset - HEAD.length) / (BLOCK + BLOCK_HEAD)));
  if (block === 0) return { position: 0, offset: 0 };
  const position = Math.min(block, Math.ceil(length / BLOCK) - 1) * BLOCK;
  return { position, offset: HEAD.length + (position / BLOCK) * (BLOCK + BLOCK_HEAD) };
}
