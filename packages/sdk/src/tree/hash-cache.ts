import type { FileIdentity } from './file-identity.ts';
import { FileMemory } from './file-memory.ts';

const FORMAT = 'bindery-hashes 2';
const SHA256 = /^[0-9a-f]{64}$/;

/** Hashes of the files of one folder by what tells whether a file has changed. */
export class HashCache {
  readonly #memory: FileMemory;

  constructor(root: string, folder: string) {
    this.#memory = new FileMemory(root, folder, 'hashes', FORMAT);
  }

  /** The hash of a file that has not changed since it was recorded. */
  get(path: string, identity: FileIdentity): string | null {
    const known = this.#memory.get(path, identity);
    return known !== null && SHA256.test(known) ? known : null;
  }

  /** Records what a file held when it was read at `readAt` (nanoseconds since 1970), unless it may change unseen. */
  record(path: string, identity: FileIdentity, sha256: string, readAt: bigint): void {
    this.#memory.record(path, identity, sha256, readAt);
  }

  /** Forgets files that are no longer there. */
  keepOnly(paths: ReadonlySet<string>): void {
    this.#memory.keepOnly(paths);
  }

  save(): void {
    this.#memory.save();
  }
}
