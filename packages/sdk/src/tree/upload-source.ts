import { createHash, hash } from 'node:crypto';
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ManifestFile } from '@bindery/contract';

/** Bytes to upload. Ranges are from `start` up to but not including `end`. */
export interface UploadSource extends ManifestFile {
  open(start: number, end: number): Readable | Buffer;
  /** Copies the first bytes into `target`; answers how many there were, fewer where the file has become too short. */
  read(target: Buffer): number;
  /** Whether the bytes are still those that were hashed; reads them all. */
  isUnchanged(): Promise<boolean>;
}

const READ_CHUNK = 512 * 1024;

export function fileSource(file: ManifestFile, place: string): UploadSource {
  return {
    ...file,
    open: (start, end) =>
      end - start <= READ_CHUNK
        ? readRange(place, start, end)
        : createReadStream(place, { start, end: end - 1, highWaterMark: READ_CHUNK }),
    read: (target) => fill(target, place, 0),
    isUnchanged: async () => (await hashOf(place)) === file.sha256,
  };
}

export function bufferSource(path: string, bytes: Buffer): UploadSource {
  const file = { path, size: bytes.length, sha256: hash('sha256', bytes) };
  return {
    ...file,
    open: (start, end) => bytes.subarray(start, end),
    read: (target) => bytes.copy(target),
    isUnchanged: async () => true,
  };
}

/** Null where it cannot be read any more. */
async function hashOf(place: string): Promise<string | null> {
  const digest = createHash('sha256');
  try {
    await pipeline(createReadStream(place, { highWaterMark: READ_CHUNK }), digest);
    return digest.digest('hex');
  } catch {
    return null;
  }
}

/** The range as far as the file has it; a store refuses what is too short. */
function readRange(place: string, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  return bytes.subarray(0, fill(bytes, place, start));
}

function fill(target: Buffer, place: string, start: number): number {
  const descriptor = openSync(place, 'r');
  try {
    let filled = 0;
    while (filled < target.length) {
      const read = readSync(descriptor, target, filled, target.length - filled, start + filled);
      if (read === 0) break;
      filled += read;
    }
    return filled;
  } finally {
    closeSync(descriptor);
  }
}
