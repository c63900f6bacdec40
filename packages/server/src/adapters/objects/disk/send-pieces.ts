import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { namingDamaged, ObjectDamaged } from '../../../objects/damaged.ts';
import type { ObjectAddress } from '../../../objects/store.ts';
import { readFully } from './files.ts';
import type { ReadAhead } from './read-ahead.ts';

/** Bytes of a response: a buffer, or `length` bytes of the open file of an object from `start` on. */
export type Segment =
  | { bytes: Buffer }
  | { object: ObjectAddress; fd: number; start: number; length: number };

/**
 * Sends the bytes of all segments as a response body, at the speed of the client. Resolves when all are sent or the
 * client has disconnected. Throws `ObjectDamaged` if an object cannot be read, or is shorter than it was when opened.
 */
export async function sendPieces(
  response: ServerResponse,
  segments: Iterable<readonly Segment[]> | AsyncIterable<readonly Segment[]>,
  readAhead: ReadAhead,
): Promise<void> {
  try {
    await pipeline(piecesOf(segments, readAhead, response), response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/**
 * Yields the bytes of all segments, joined and cut into pieces. Reads the next piece when the previous one has been
 * consumed.
 */
async function* piecesOf(
  batches: Iterable<readonly Segment[]> | AsyncIterable<readonly Segment[]>,
  readAhead: ReadAhead,
  response: ServerResponse,
): AsyncGenerator<Buffer> {
  for await (const segments of batches) {
    const total = segments.reduce((sum, segment) => sum + lengthOf(segment), 0);
    for (let at = 0; at < total; ) {
      const piece = readAhead.take(total - at);
      let taken = false;
      try {
        await read(segments, at, piece);
        yield piece;
        taken = response.writableLength === 0;
      } finally {
        readAhead.giveBack(piece, taken);
      }
      at += piece.length;
    }
  }
}

async function read(segments: readonly Segment[], from: number, piece: Buffer): Promise<void> {
  const reads: Promise<void>[] = [];
  let start = -from;
  for (const segment of segments) {
    const skipped = Math.max(0, -start);
    const target = piece.subarray(Math.max(0, start), Math.max(0, start + lengthOf(segment)));
    if (target.length > 0) reads.push(copy(segment, skipped, target));
    start += lengthOf(segment);
  }
  await Promise.all(reads);
}

async function copy(segment: Segment, skipped: number, target: Buffer): Promise<void> {
  if ('bytes' in segment) {
    segment.bytes.copy(target, 0, skipped);
    return;
  }
  const { object, fd, start } = segment;
  const filled = await namingDamaged(object, readFully(fd, target, start + skipped));
  if (filled !== target.length) throw new ObjectDamaged(object);
}

function lengthOf(segment: Segment): number {
  return 'bytes' in segment ? segment.bytes.length : segment.length;
}
