import { createHash, type Hash } from 'node:crypto';
import { readSync } from 'node:fs';
import { answerTasks } from '@bindery/concurrency/thread-tasks';

/** What became of one of the files that are written. */
export type DigestRequest =
  /** Everything before the byte `to` stands in it. */
  | { type: 'read'; descriptor: number; to: number }
  /** It was emptied, or nobody wants its digest any more. */
  | { type: 'restart' }
  /** It is whole. Answers the SHA-256 of what was read, in hexadecimal. */
  | { type: 'end' };

/** The files are told apart by their numbers. */
export type NumberedRequest = DigestRequest & { file: number };

/** Null where no digest was asked for, or the file could not be read as far as it was said to be written. */
export type DigestAnswer = string | null;

const CHUNK = Buffer.allocUnsafe(1024 * 1024);

interface Reading {
  digest: Hash;
  at: number;
  isBroken: boolean;
}

const readings = new Map<number, Reading>();

answerTasks((request: NumberedRequest): DigestAnswer => {
  const reading = readings.get(request.file) ?? { digest: createHash('sha256'), at: 0, isBroken: false };
  if (request.type === 'read') {
    readings.set(request.file, reading);
    readUpTo(request.to, request.descriptor, reading);
    return null;
  }
  readings.delete(request.file);
  if (request.type === 'restart' || reading.isBroken) return null;
  return reading.digest.digest('hex');
});

function readUpTo(to: number, descriptor: number, reading: Reading): void {
  while (reading.at < to && !reading.isBroken) {
    const count = readInto(CHUNK.subarray(0, to - reading.at), descriptor, reading.at);
    reading.digest.update(CHUNK.subarray(0, count));
    reading.at += count;
    reading.isBroken = count === 0;
  }
}

/** 0 where nothing can be read. */
function readInto(chunk: Buffer, descriptor: number, at: number): number {
  try {
    return readSync(descriptor, chunk, 0, chunk.length, at);
  } catch {
    return 0;
  }
}
