import { type Examination, examineFiles, type FactsStore } from '../discovery/examine.ts';
import type { DuringRead, ReadPart } from '../discovery/file-reader.ts';
import type { FileFacts } from '../discovery/formats/facts.ts';
import { nowNs } from '../tree/file-identity.ts';
import { readPart } from '../tree/files.ts';
import { FileRecordCache } from '../tree/hash-cache.ts';
import type { ScannedFile } from '../tree/scan.ts';
import { programHash } from './program-hash.ts';

const MAX_CHARACTERS = 256 * 1024;

/** Caches what examining the files of one folder found, while the files and this program stay the same. */
export class FactsCache implements FactsStore<ScannedFile> {
  readonly #memory: FileRecordCache;
  readonly #readAt = nowNs();

  constructor(root: string, folder: string) {
    this.#memory = new FileRecordCache(root, folder, 'facts', `bindery-facts ${programHash()}`);
  }

  get(file: ScannedFile): FileFacts | null | undefined {
    const known = this.#memory.get(file.path, file);
    return known === null ? undefined : (JSON.parse(known) as FileFacts | null);
  }

  set(file: ScannedFile, facts: FileFacts | null): void {
    const value = JSON.stringify(facts);
    if (value.length <= MAX_CHARACTERS) this.#memory.record(file.path, file, value, this.#readAt);
  }

  /** Stores what is known about these files, and nothing else, for the next run. */
  save(files: readonly ScannedFile[]): void {
    this.#memory.keepOnly(new Set(files.map(({ path }) => path)));
    this.#memory.save();
  }
}

/** Examines each file of a folder on this machine. With a `cacheFolder`, unchanged files are not read again. */
export function examineTree(
  root: string,
  files: readonly ScannedFile[],
  cacheFolder: string | undefined,
): Examination {
  const cache = cacheFolder === undefined ? undefined : new FactsCache(root, cacheFolder);
  const examination = examineFiles(files, readIn(root), cache);
  cache?.save(files);
  return examination;
}

let during: DuringRead | undefined;

/** Has everything that this thread reads go through something that notes which file it is. */
export function watchReading(watch: DuringRead): void {
  during = watch;
}

/** Reads files of a folder on this machine. */
export function readIn(root: string): ReadPart {
  const read = (path: string, start: number, length: number) => readPart(`${root}/${path}`, start, length);
  return Object.assign(read, { during });
}
