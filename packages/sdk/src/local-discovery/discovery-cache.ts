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

/**
 * Caches the last result for a folder, valid while its files, its `bindery.yml` and this program stay the same. A cache
 * that is damaged or cannot be written counts as empty, which only costs time.
 */
export class DiscoveryCache {
  readonly #file: string;
  readonly #files: readonly ScannedFile[];
  readonly #key: string;
  readonly #readAt = nowNs();

  constructor(root: string, folder: string, files: readonly ScannedFile[], curation: Uint8Array | null) {
    this.#file = join(folder, 'folders', `${hash('sha256', root).slice(0, 32)}.json`);
    this.#files = files;
    const state = files.map((file) => `${identityText(file)}\t${file.path}\n`).join('');
    const curated = curation === null ? '-' : hash('sha256', curation);
    this.#key = `bindery-folder ${programHash()} ${curated} ${hash('sha256', state)}`;
  }

  read(): DiscoveryResult | undefined {
    const stored = this.#readStored();
    if (stored === undefined) return undefined;
    const { assets, readme, origins, findings, unread, fragments, ...rest } = stored;
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

  /** Stores nothing if a file changed so recently that a further change might leave its times unchanged. */
  write({ assets, readme, origins, findings, unread, fragments, ...rest }: DiscoveryResult): void {
    if (this.#files.some((file) => mayChangeUnseen(file, this.#readAt))) return;
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
    writeRecord(this.#file, this.#key, JSON.stringify(stored));
  }

  #readStored(): Stored | undefined {
    const text = readCached(this.#file, this.#key, ({ size }) => size <= MAX_BYTES);
    return text === null ? undefined : JSON.parse(text);
  }
}
