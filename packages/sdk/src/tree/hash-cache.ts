import type { FileIdentity } from './file-identity.ts';
import { FileRecordCache } from './file-record-cache.ts';

const FORMAT = 'bindery-hashes 2';
const SHA256 = /^[0-9a-f]{64}$/;

/** Caches the hashes of the files of one folder, each valid while the file has the same identity. */
export class HashCache {
  readonly #memory: FileRecordCache;

  constructor(root: string, folder: string) {
    this.#memory = new FileRecordCache(root, folder, 'hashes', FORMAT);
  }

  /** Returns the hash of a file that has not changed since it was recorded, else null. */
  get(path: string, identity: FileIdentity): string | null {
    const known = this.#memory.get(path, identity);
    return known !== null && SHA256.test(known) ? known : null;
  }

  /** Records the hash of a file read at `readAt` (nanoseconds since 1970), unless a change might go unnoticed. */
  record(path: string, identity: FileIdentity, sha256: string, readAt: bigint): void {
    this.#memory.record(path, identity, sha256, readAt);
  }

  /** Forgets all files but these. */
  keepOnly(paths: ReadonlySet<string>): void {
    this.#memory.keepOnly(paths);
  }

  save(): void {
    this.#memory.save();
  }
}
