import { createHash, type Hash } from 'node:crypto';
import { readSync } from 'node:fs';
import { serveThreadTasks } from '@bindery/concurrency/thread-tasks';

/** What happened to one of the files that are being written. */
export type DigestRequest =
  /** All bytes before offset `to` have been written. */
  | { type: 'read'; descriptor: number; to: number }
  /** The file was emptied, or its digest is no longer needed. */
  | { type: 'restart' }
  /** The file is complete. Returns the SHA-256 of what was read, in hexadecimal. */
  | { type: 'end' };

/** Files are identified by numbers. */
export type NumberedRequest = DigestRequest & { file: number };

/** Null if no digest was requested, or if the file could not be read up to the requested offset. */
export type DigestResult = string | null;

const CHUNK = Buffer.allocUnsafe(1024 * 1024);

interface Reading {
  digest: Hash;
  at: number;
  isBroken: boolean;
}

const readings = new Map<number, Reading>();

serveThreadTasks((request: NumberedRequest): DigestResult => {
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

/** Returns 0 if nothing can be read. */
function readInto(chunk: Buffer, descriptor: number, at: number): number {
  try {
    return readSync(descriptor, chunk, 0, chunk.length, at);
  } catch {
    return 0;
  }
}
