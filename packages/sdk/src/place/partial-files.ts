import { hash, randomBytes } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import type { ManifestFile } from '@bindery/contract';
import { writeFully } from '../tree/files.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { hasEnded, OWNER, OWNER_PATTERN } from '../tree/process-owner.ts';

/** Earlier releases, and Python, have only the id of the process in place of owner and random digits. */
const PARTIAL = new RegExp(
  `^\\.bindery-([0-9a-f]{8})-([0-9a-f]{64})\\.(?:(${OWNER_PATTERN})\\.[0-9a-f]{12}|\\d+)\\.partial$`,
);

/** Milliseconds after which nobody is taken to be writing a file that has not changed. */
const STALE_AFTER = 600_000;
const CHUNK = 1024 * 1024;

/** Names that this process is writing under. */
const inUse = new Set<string>();

/** A partial file that is not being written any more. */
interface Leftover {
  name: string;
  sha256: string;
  /** Whether its process has ended, so that nobody can have it open. */
  hasEnded: boolean;
}

/**
 * Files in progress are stored next to their target, under a name made of the target's path and hash, of the process and
 * of random digits. No file is written by two processes: one whose writer has ended is renamed, one that merely has not
 * changed for long is copied.
 */
export class PartialFiles {
  readonly #folder: GuardedFolder;
  readonly #left = new Map<string, string[]>();

  constructor(folder: GuardedFolder) {
    this.#folder = folder;
  }

  /** Returns an unused name to write under, and deletes what earlier pulls left of the same target. */
  claim(file: ManifestFile): string {
    for (const { name } of this.#takeLeftovers(file)) this.#folder.removeSibling(file.path, name);
    return this.#newName(file);
  }

  /** Like `claim`, but opens what an earlier pull left of the same content under the new name; null if there is none. */
  async resume(file: ManifestFile): Promise<{ name: string; descriptor: number | null }> {
    const name = this.#newName(file);
    let descriptor: number | null = null;
    for (const left of this.#takeLeftovers(file)) {
      if (descriptor === null && left.sha256 === file.sha256)
        descriptor = left.hasEnded ? this.#rename(file, left, name) : await this.#copy(file, left, name);
      this.#folder.removeSibling(file.path, left.name);
    }
    return { name, descriptor };
  }

  release(name: string): void {
    inUse.delete(name);
  }

  #newName({ path, sha256 }: ManifestFile): string {
    const random = randomBytes(6).toString('hex');
    const name = `.bindery-${tag(path)}-${sha256}.${OWNER}.${random}.partial`;
    inUse.add(name);
    return name;
  }

  #rename({ path }: ManifestFile, left: Leftover, name: string): number | null {
    const isRenamed = this.#folder.renameSibling(path, left.name, name);
    return isRenamed ? this.#folder.openSibling(path, name, { resume: true }) : null;
  }

  /** A writer that was only slow may go on with its own file. */
  async #copy(file: ManifestFile, left: Leftover, name: string): Promise<number | null> {
    const source = this.#folder.openSiblingToRead(file.path, left.name);
    if (source === null) return null;
    const descriptor = this.#folder.openSibling(file.path, name);
    try {
      const chunk = Buffer.allocUnsafe(CHUNK);
      for (let at = 0; at <= file.size; ) {
        const read = readSync(source, chunk, 0, CHUNK, at);
        if (read === 0) break;
        writeFully(descriptor, chunk.subarray(0, read), at);
        at += read;
        await new Promise(setImmediate);
      }
      return descriptor;
    } finally {
      closeSync(source);
    }
  }

  /** Returns what earlier pulls left of a target, of any content, once. */
  #takeLeftovers({ path }: ManifestFile): Leftover[] {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const { mine = [], others = [] } = Object.groupBy(this.#leftBeside(folder), (name) =>
      PARTIAL.exec(name)?.[1] === tag(path) ? 'mine' : 'others',
    );
    this.#left.set(folder, others);
    return mine.flatMap((name): Leftover[] => {
      const [, , sha256 = '', owner] = PARTIAL.exec(name) ?? [];
      if (inUse.has(name)) return [];
      const ended = owner !== undefined && hasEnded(owner);
      return ended || this.#isStale(path, name) ? [{ name, sha256, hasEnded: ended }] : [];
    });
  }

  #isStale(path: string, name: string): boolean {
    const stats = this.#folder.lstatSibling(path, name);
    return stats !== null && Date.now() - Number(stats.mtimeMs) > STALE_AFTER;
  }

  #leftBeside(folder: string): string[] {
    const known = this.#left.get(folder);
    if (known !== undefined) return known;
    const names = this.#folder.siblingNames(folder).filter((name) => PARTIAL.test(name));
    this.#left.set(folder, names);
    return names;
  }
}

/** Returns how many bytes of these files earlier pulls have left in the folder. */
export function bytesLeftOf(folder: GuardedFolder, files: readonly ManifestFile[]): number {
  const wanted = new Map(files.map(({ path, sha256, size }) => [`${tag(path)} ${sha256}`, size]));
  let bytes = 0;
  for (const place of new Set(files.map(({ path }) => path.slice(0, path.lastIndexOf('/') + 1)))) {
    for (const name of folder.siblingNames(place)) {
      const [, of, sha256] = PARTIAL.exec(name) ?? [];
      const size = wanted.get(`${of} ${sha256}`);
      if (size !== undefined) bytes += Math.min(size, Number(folder.lstatSibling(place, name)?.size ?? 0));
    }
  }
  return bytes;
}

function tag(path: string): string {
  return hash('sha256', path).slice(0, 8);
}
