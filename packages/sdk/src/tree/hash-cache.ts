import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type FileIdentity, identityText, isOwn, mayChangeUnseen } from './file-identity.ts';
import { readCached, writeRecord } from './records.ts';

const FORMAT = 'bindery-hashes 2';
const HASH_LENGTH = 64;
/** How much is read in the time that opening a file takes. */
const BYTES_OF_OPENING = 16 * 1024;
const ALWAYS_READ = 1024 * 1024;

/** Caches the hashes of the files of one folder, each valid while the file has the same identity. */
export class HashCache {
  readonly #memory: FileRecordCache;

  constructor(root: string, folder: string) {
    this.#memory = new FileRecordCache(root, folder, 'hashes', FORMAT);
  }

  /** Whether it is read sooner than as many files of so many bytes in total. */
  isWorthReading(files: number, bytes: number): boolean {
    return this.#memory.storedBytes() <= Math.max(BYTES_OF_OPENING * files + bytes, ALWAYS_READ);
  }

  /** Returns the hash of a file that has not changed since it was recorded, else null. */
  get(path: string, identity: FileIdentity): string | null {
    const known = this.#memory.get(path, identity);
    return known?.length === HASH_LENGTH ? known : null;
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

const MAX_CHARACTERS = 64 * 1024 * 1024;
const MAX_BYTES = 3 * MAX_CHARACTERS;

interface Entry {
  identity: string;
  value: string;
}

/**
 * Stores a line of text for each file of one folder, valid while the file has the same identity. It is stored outside
 * the folder. A memory that is damaged or cannot be written counts as empty, which only costs time. It has room for 64
 * Mi characters; anything beyond is not recorded.
 */
export class FileRecordCache {
  readonly #file: string;
  readonly #format: string;
  #read: Map<string, Entry> | undefined;
  #characters = 0;
  #changed = false;

  /** Opens the memory called `kind` of the folder `root`. One that was written in another `format` counts as empty. */
  constructor(root: string, folder: string, kind: string, format: string) {
    this.#file = join(folder, kind, `${hash('sha256', root).slice(0, 32)}.txt`);
    this.#format = format;
  }

  /** How many bytes the memory takes on disk. */
  storedBytes(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }

  get #entries(): Map<string, Entry> {
    if (this.#read !== undefined) return this.#read;
    this.#read = readEntries(this.#file, this.#format);
    for (const [path, { value }] of this.#read) this.#characters += path.length + value.length;
    return this.#read;
  }

  /** Returns what was recorded for a file that has not changed since, else null. */
  get(path: string, identity: FileIdentity): string | null {
    const entry = this.#entries.get(path);
    return entry !== undefined && entry.identity === identityText(identity) ? entry.value : null;
  }

  /**
   * Records what was found in a file that was read at `readAt` (nanoseconds since 1970) or later. Does nothing for a
   * file that changed so shortly before that a further change might leave its times unchanged.
   */
  record(path: string, identity: FileIdentity, value: string, readAt: bigint): void {
    this.#forget(path);
    const isFull = this.#characters + path.length + value.length > MAX_CHARACTERS;
    if (isFull || mayChangeUnseen(identity, readAt)) return;
    this.#changed = true;
    this.#characters += path.length + value.length;
    this.#entries.set(path, { identity: identityText(identity), value });
  }

  /** Forgets all files but these. */
  keepOnly(paths: ReadonlySet<string>): void {
    for (const path of this.#entries.keys()) if (!paths.has(path)) this.#forget(path);
  }

  save(): void {
    if (!this.#changed) return;
    const body = [...this.#entries]
      .map(([path, { identity, value }]) => `${identity}\t${path}\t${value}\n`)
      .join('');
    // Without a memory the next run reads the files again.
    if (writeRecord(this.#file, this.#format, body)) this.#changed = false;
  }

  #forget(path: string): void {
    const entry = this.#entries.get(path);
    if (entry === undefined) return;
    this.#entries.delete(path);
    this.#characters -= path.length + entry.value.length;
    this.#changed = true;
  }
}

/** Paths of libraries contain no tabs. */
function readEntries(file: string, format: string): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const line of readBody(file, format).split('\n')) {
    const first = line.indexOf('\t');
    const second = line.indexOf('\t', first + 1);
    if (first < 0 || second < 0) continue;
    entries.set(line.slice(first + 1, second), {
      identity: line.slice(0, first),
      value: line.slice(second + 1),
    });
  }
  return entries;
}

function readBody(file: string, format: string): string {
  // In a cache that a group shares, others could claim that files have a content which they do not have.
  return readCached(file, format, (stats) => stats.size <= MAX_BYTES && isOwn(stats)) ?? '';
}
