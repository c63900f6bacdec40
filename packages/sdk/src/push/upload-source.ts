import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
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
      end === start
        ? Buffer.alloc(0)
        : createReadStream(place, { start, end: end - 1, highWaterMark: READ_CHUNK }),
  };
}

export function bufferSource(path: string, bytes: Buffer): UploadSource {
  const file = { path, size: bytes.length, sha256: hash('sha256', bytes) };
  return { ...file, open: (start, end) => bytes.subarray(start, end) };
}
