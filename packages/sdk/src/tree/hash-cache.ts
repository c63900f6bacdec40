import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeOlderThan, writeFileAtomically } from './atomic-file.ts';
import type { FileIdentity } from './file-identity.ts';

const FORMAT = 'bindery-hashes 1';
const KEPT_DAYS = 90;
const SECOND = 1_000_000_000n;
/** How far apart a change and a look at its file must be to get different times. */
const CLOCK_TICK = SECOND / 50n;
/** Where times have no fraction, the file system may count in steps of two seconds. */
const COARSE_TICK = 2n * SECOND;

/**
 * Hashes of the files of one folder by what tells whether a file has changed, kept outside the folder. A damaged cache
 * is an empty one, and a cache that cannot be written is none: both only cost time.
 */
export class HashCache {
  readonly #file: string;
  readonly #entries: Map<string, { identity: string; sha256: string }>;
  #changed = false;

  constructor(root: string, folder: string) {
    this.#file = join(folder, 'hashes', `${hash('sha256', root).slice(0, 32)}.txt`);
    this.#entries = readEntries(this.#file);
  }

  /** The hash of a file that has not changed since it was recorded. */
  get(path: string, identity: FileIdentity): string | null {
    const entry = this.#entries.get(path);
    return entry !== undefined && entry.identity === identityText(identity) ? entry.sha256 : null;
  }

  /**
   * Records what a file held when it was read at `readAt` (nanoseconds since 1970). A file that changed so shortly before
   * that a later change might leave its times as they are is not recorded.
   */
  record(path: string, identity: FileIdentity, sha256: string, readAt: bigint): void {
    this.#changed = true;
    if (mayChangeUnseen(identity, readAt)) this.#entries.delete(path);
    else this.#entries.set(path, { identity: identityText(identity), sha256 });
  }

  /** Forgets files that are no longer there. */
  keepOnly(paths: ReadonlySet<string>): void {
    for (const path of this.#entries.keys()) {
      if (!paths.has(path) && this.#entries.delete(path)) this.#changed = true;
    }
  }

  save(): void {
    if (!this.#changed) return;
    const body = [...this.#entries]
      .map(([path, { identity, sha256 }]) => `${identity} ${sha256} ${path}\n`)
      .join('');
    try {
      if (!existsSync(this.#file)) removeOlderThan(dirname(this.#file), KEPT_DAYS);
      writeFileAtomically(this.#file, `${FORMAT} ${hash('sha256', body)}\n${body}`);
      this.#changed = false;
    } catch {
      // Without a cache the next run reads the files again.
    }
  }
}

/** The clock that file times are compared with, in nanoseconds since 1970. */
export function nowNs(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}

function mayChangeUnseen({ mtimeNs, ctimeNs }: FileIdentity, readAt: bigint): boolean {
  const latest = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  const tick = mtimeNs % SECOND === 0n && ctimeNs % SECOND === 0n ? COARSE_TICK : CLOCK_TICK;
  return latest + tick >= readAt;
}

function identityText({ size, mtimeNs, ctimeNs, inode }: FileIdentity): string {
  return `${size} ${mtimeNs} ${ctimeNs} ${inode}`;
}

const LINE = /^(\d+ -?\d+ -?\d+ \d+) ([0-9a-f]{64}) (.+)$/;

function readEntries(file: string): Map<string, { identity: string; sha256: string }> {
  const entries = new Map<string, { identity: string; sha256: string }>();
  for (const line of readBody(file).split('\n')) {
    const [, identity, sha256, path] = LINE.exec(line) ?? [];
    if (identity !== undefined && sha256 !== undefined && path !== undefined) {
      entries.set(path, { identity, sha256 });
    }
  }
  return entries;
}

function readBody(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    const end = text.indexOf('\n') + 1;
    const body = text.slice(end);
    return text.slice(0, end) === `${FORMAT} ${hash('sha256', body)}\n` ? body : '';
  } catch {
    return '';
  }
}
