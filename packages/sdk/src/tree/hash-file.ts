import { createHash, hash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type FileIdentity, identityOf, sameIdentity } from './file-identity.ts';

/** A file as it was read: its hash, and the identity it had. */
export interface HashedFile extends FileIdentity {
  sha256: string;
}

const CHUNK = 1024 * 1024;
const chunk = Buffer.allocUnsafeSlow(CHUNK);

/**
 * Reads and hashes a file; null if it changed while it was read. `flags` and `file` are those of `open`. `pause` is
 * called between chunks and can throw to give up.
 */
export function hashFile(file: string, flags: string | number = 'r', pause?: () => void): HashedFile | null {
  const descriptor = openSync(file, flags);
  try {
    const before = identityOf(fstatSync(descriptor, { bigint: true }));
    const sha256 =
      before.size <= CHUNK ? hashAtOnce(descriptor, before.size) : hashInChunks(descriptor, pause);
    const after = identityOf(fstatSync(descriptor, { bigint: true }));
    return sha256 !== null && sameIdentity(before, after) ? { ...after, sha256 } : null;
  } finally {
    closeSync(descriptor);
  }
}

function hashAtOnce(descriptor: number, size: number): string | null {
  let filled = 0;
  while (filled < size) {
    const read = readSync(descriptor, chunk, filled, size - filled, null);
    if (read === 0) return null;
    filled += read;
  }
  return hash('sha256', chunk.subarray(0, size));
}

function hashInChunks(descriptor: number, pause: (() => void) | undefined): string {
  const digest = createHash('sha256');
  for (;;) {
    const read = readSync(descriptor, chunk, 0, CHUNK, null);
    if (read === 0) return digest.digest('hex');
    digest.update(chunk.subarray(0, read));
    pause?.();
  }
}
