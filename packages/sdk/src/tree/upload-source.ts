import { hash } from 'node:crypto';
import type { ManifestFile } from '@bindery/contract';
import type { UploadBody } from '../client/call.ts';

/** Bytes to upload. Ranges are from `start` up to but not including `end`. */
export interface UploadSource extends ManifestFile {
  open(start: number, end: number): UploadBody;
  /** Copies the first bytes into `target`. Returns how many there were: fewer if the file has become too short. */
  read(target: Uint8Array): number;
  /** Whether the bytes are still those that were hashed; reads them all. */
  isUnchanged(): Promise<boolean>;
}

export function bytesSource(path: string, bytes: Uint8Array): UploadSource {
  return {
    path,
    size: bytes.byteLength,
    sha256: hash('sha256', bytes),
    open: (start, end) => bytes.subarray(start, end),
    read(target) {
      target.set(bytes.subarray(0, target.byteLength));
      return Math.min(bytes.byteLength, target.byteLength);
    },
    isUnchanged: async () => true,
  };
}
