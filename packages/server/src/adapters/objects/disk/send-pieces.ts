import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { readFully } from './files.ts';
import type { ReadAhead } from './read-ahead.ts';

/** The most of an answer that is read at a time. */
const PIECE = 256 * 1024;

/** Some bytes of an answer: known ones, or `length` bytes of an open file from `start` on. */
export type Segment = { bytes: Buffer } | { fd: number; start: number; length: number };

/** Writes an answer's body at the speed of its reader. Resolves when it is sent, or when the reader has gone. */
export async function sendPieces(response: ServerResponse, pieces: AsyncIterable<Buffer>): Promise<void> {
  try {
    await pipeline(pieces, response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/** The bytes of all segments, joined and cut into pieces. The next one is read when the reader has taken the last. */
export async function* piecesOf(segments: readonly Segment[], readAhead: ReadAhead): AsyncGenerator<Buffer> {
  const total = segments.reduce((sum, segment) => sum + lengthOf(segment), 0);
  for (let at = 0; at < total; ) {
    const size = readAhead.take(Math.min(PIECE, total - at));
    try {
      yield await read(segments, at, size);
    } finally {
      readAhead.giveBack(size);
    }
    at += size;
  }
}

async function read(segments: readonly Segment[], from: number, size: number): Promise<Buffer> {
  const piece = Buffer.allocUnsafe(size);
  const reads: Promise<void>[] = [];
  let start = -from;
  for (const segment of segments) {
    const skipped = Math.max(0, -start);
    const target = piece.subarray(Math.max(0, start), Math.max(0, start + lengthOf(segment)));
    if (target.length > 0) reads.push(copy(segment, skipped, target));
    start += lengthOf(segment);
  }
  await Promise.all(reads);
  return piece;
}

async function copy(segment: Segment, skipped: number, target: Buffer): Promise<void> {
  if ('bytes' in segment) segment.bytes.copy(target, 0, skipped);
  else if ((await readFully(segment.fd, target, segment.start + skipped)) !== target.length)
    throw new Error('an object is shorter than its file says');
}

function lengthOf(segment: Segment): number {
  return 'bytes' in segment ? segment.bytes.length : segment.length;
}
