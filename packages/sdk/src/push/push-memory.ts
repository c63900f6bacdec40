import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LibraryDetail } from '@bindery/contract';
import { formatLibraryAddress, type LibraryAddress } from '../library/address.ts';
import { removeOlderThan, writeFileAtomically } from '../tree/atomic-file.ts';

const KEPT_DAYS = 730;

/** Which revision a folder pushed last, kept outside the folder. */
export class PushMemory {
  readonly #file: string;

  constructor(stateFolder: string, root: string, server: string, address: LibraryAddress) {
    const name = hash('sha256', [root, server, formatLibraryAddress(address)].join('\n')).slice(0, 32);
    this.#file = join(stateFolder, 'pushes', `${name}.json`);
  }

  /** Whether the library is as this folder left it. A folder that never pushed has left nothing. */
  isCurrent({ revision, createdAt }: LibraryDetail): boolean {
    try {
      const last: unknown = JSON.parse(readFileSync(this.#file, 'utf8'));
      return (
        typeof last === 'object' &&
        last !== null &&
        'revision' in last &&
        'createdAt' in last &&
        last.revision === revision &&
        last.createdAt === createdAt
      );
    } catch {
      return false;
    }
  }

  /** Forgetting costs a question at the next push, so that a failure to write is no failure of the push. */
  remember({ revision, createdAt }: LibraryDetail): void {
    try {
      if (!existsSync(this.#file)) removeOlderThan(dirname(this.#file), KEPT_DAYS);
      writeFileAtomically(this.#file, JSON.stringify({ revision, createdAt }));
    } catch {}
  }
}
