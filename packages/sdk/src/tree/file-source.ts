import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { ManifestFile } from '@bindery/contract';
import type { UploadSource } from './upload-source.ts';

const READ_CHUNK = 512 * 1024;

/** Returns a source for the file at `place` on this machine. */
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

/** Returns null if it can no longer be read. */
async function hashOf(place: string): Promise<string | null> {
  const digest = createHash('sha256');
  try {
    await pipeline(createReadStream(place, { highWaterMark: READ_CHUNK }), digest);
    return digest.digest('hex');
  } catch {
    return null;
  }
}

/** Returns as much of the range as the file has; a store refuses a body that is too short. */
function readRange(place: string, start: number, end: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(end - start);
  return bytes.subarray(0, fill(bytes, place, start));
}

function fill(target: Uint8Array, place: string, start: number): number {
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
