import { hash } from 'node:crypto';
import { join } from 'node:path';
import { README_FILE } from '@bindery/contract/wire';
import type { DiscoveredAsset, DiscoveredLibrary } from '../discovery/discovered-library.ts';
import { identityText, mayChangeUnseen, nowNs } from '../tree/file-identity.ts';
import { readCached, writeRecord } from '../tree/records.ts';
import type { ScannedFile } from '../tree/scan.ts';
import { programHash } from './program-hash.ts';

const MAX_BYTES = 256 * 1024 * 1024;

/** The result of discovery without its input. */
type DiscoveryResult = Omit<DiscoveredLibrary<ScannedFile>, 'curation'>;

/** The stored form: files of assets as indices into the list of all files, and lists instead of maps and sets. */
interface Stored
  extends Omit<DiscoveryResult, 'assets' | 'readme' | 'origins' | 'findings' | 'unread' | 'fragments'> {
  readme: boolean;
  assets: (Omit<DiscoveredAsset, 'files'> & { files: number[] })[];
  origins: [string, NonNullable<ReturnType<DiscoveryResult['origins']['get']>>][];
  findings: [string, NonNullable<ReturnType<DiscoveryResult['findings']['get']>>][];
  unread: [string, NonNullable<ReturnType<DiscoveryResult['unread']['get']>>][];
  fragments: string[];
}

/** A file that has changed since a folder was last looked at, and the mark of what was found in it. */
interface ChangedFile {
  file: ScannedFile;
  mark: string;
}

/** What was found in a folder before, if what changed since makes no difference. */
export interface RecalledResult {
  changed: readonly ScannedFile[];
  /** Returns the result if the files that changed have these marks; undefined if it must be found anew. */
  whenMarked(marks: readonly string[]): DiscoveryResult | undefined;
}

/** For more changed files than this the folder is examined as a whole, which knows those that have been examined. */
const MAX_CHANGED = 1_000;

/**
 * Caches the last result for a folder, valid while its paths, its `bindery.yml`, what is found in its files (of which
 * each has a mark) and this program stay the same. A cache that is damaged or cannot be written counts as empty, which
 * only costs time.
 */
export class DiscoveryCache {
  readonly #file: string;
  readonly #files: readonly ScannedFile[];
  readonly #key: string;
  readonly #readAt = nowNs();

  constructor(root: string, folder: string, files: readonly ScannedFile[], curation: Uint8Array | null) {
    this.#file = join(folder, 'folders', `${hash('sha256', root).slice(0, 32)}.json`);
    this.#files = files;
    const curated = curation === null ? '-' : hash('sha256', curation);
    this.#key = `bindery-folder ${programHash()} ${curated}`;
  }

  read(): RecalledResult | undefined {
    const text = readCached(this.#file, this.#key, ({ size }) => size <= MAX_BYTES);
    if (text === null) return undefined;
    const lines = text.split('\n');
    const result = lines.pop() ?? '';
    const changed = this.#changedSince(lines);
    if (changed === undefined) return undefined;
    return {
      changed: changed.map(({ file }) => file),
      whenMarked: (marks) => {
        if (changed.some(({ mark }, at) => mark !== marks[at])) return undefined;
        if (changed.length > 0) this.#write(lines.map(markIn), result);
        return this.#restored(JSON.parse(result) as Stored);
      },
    };
  }

  /** Stores nothing if a file changed so recently that a further change might leave its times unchanged. */
  write(
    { assets, readme, origins, findings, unread, fragments, ...rest }: DiscoveryResult,
    markOf: (file: ScannedFile) => string,
  ): void {
    const places = new Map(this.#files.map(({ path }, at) => [path, at]));
    const stored: Stored = {
      ...rest,
      readme: readme !== null,
      assets: assets.map((asset) => ({
        ...asset,
        files: asset.files.flatMap(({ path }) => places.get(path) ?? []),
      })),
      origins: [...origins],
      findings: [...findings],
      unread: [...unread],
      fragments: [...fragments],
    };
    this.#write(this.#files.map(markOf), JSON.stringify(stored));
  }

  #write(marks: readonly string[], result: string): void {
    if (this.#files.some((file) => mayChangeUnseen(file, this.#readAt))) return;
    const lines = this.#files.map((file, at) => `${identityText(file)}\t${file.path}\t${marks[at]}\n`);
    writeRecord(this.#file, this.#key, lines.join('') + result);
  }

  /** Returns the files that are not as these lines say; undefined if other files are there, or too many changed. */
  #changedSince(lines: readonly string[]): ChangedFile[] | undefined {
    if (lines.length !== this.#files.length) return undefined;
    const changed: ChangedFile[] = [];
    for (const [at, file] of this.#files.entries()) {
      const line = lines[at] ?? '';
      if (line.startsWith(`${identityText(file)}\t${file.path}\t`)) continue;
      const [, path, mark = ''] = line.split('\t');
      if (path !== file.path || changed.length === MAX_CHANGED) return undefined;
      changed.push({ file, mark });
    }
    return changed;
  }

  #restored({ assets, readme, origins, findings, unread, fragments, ...rest }: Stored): DiscoveryResult {
    return {
      ...rest,
      readme: (readme && this.#files.find(({ path }) => path === README_FILE)) || null,
      assets: assets.map((asset) => ({
        ...asset,
        files: asset.files.flatMap((at) => this.#files[at] ?? []),
      })),
      origins: new Map(origins),
      findings: new Map(findings),
      unread: new Map(unread),
      fragments: new Set(fragments),
    };
  }
}

function markIn(line: string): string {
  return line.slice(line.lastIndexOf('\t') + 1);
}
