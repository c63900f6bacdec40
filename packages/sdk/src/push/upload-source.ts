import { hash } from 'node:crypto';
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { ManifestFile } from '@bindery/contract';

/** Bytes to upload. Ranges are from `start` up to but not including `end`. */
export interface UploadSource extends ManifestFile {
  open(start: number, end: number): Readable | Buffer;
}

const READ_CHUNK = 512 * 1024;

export function fileSource(file: ManifestFile, place: string): UploadSource {
  return {
    ...file,
    open: (start, end) =>
      end - start <= READ_CHUNK
        ? readRange(place, start, end)
        : createReadStream(place, { start, end: end - 1, highWaterMark: READ_CHUNK }),
  };
}

export function bufferSource(path: string, bytes: Buffer): UploadSource {
  const file = { path, size: bytes.length, sha256: hash('sha256', bytes) };
  return { ...file, open: (start, end) => bytes.subarray(start, end) };
}

/** The range as far as the file has it; a store refuses what is too short. */
function readRange(place: string, start: number, end: number): Buffer {
  const descriptor = openSync(place, 'r');
  try {
    const bytes = Buffer.allocUnsafe(end - start);
    let filled = 0;
    while (filled < bytes.length) {
      const read = readSync(descriptor, bytes, filled, bytes.length - filled, start + filled);
      if (read === 0) break;
      filled += read;
    }
    return bytes.subarray(0, filled);
  } finally {
    closeSync(descriptor);
  }
}
