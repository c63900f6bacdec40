import { hash } from 'node:crypto';
import { join } from 'node:path';
import { CURATION_FILE } from '@bindery/contract/wire';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import { readRecord, writeRecord } from '../tree/records.ts';
import { EMPTY_BASE, type FolderRecord, type FolderRecordStore, type LibraryState } from './library-state.ts';

const FORMAT = 'bindery-base 1';
const KEPT_DAYS = 730;

/**
 * Stores what a folder and a library had in common when they were last in step. It is stored outside the folder and
 * holds content but no revision numbers, so that it stays valid if the service restarts its numbering.
 */
export class FolderRecordFile implements FolderRecordStore {
  readonly #file: string;
  #current: FolderRecord = { base: EMPTY_BASE };

  constructor(
    stateFolder: string,
    root: string,
    server: string,
    { namespace, name: library }: LibraryAddress,
  ) {
    // Without the release: a folder pulled from a release is in step with the library as of that release.
    const address = formatLibraryAddress({ namespace, name: library });
    const name = hash('sha256', [root, server, address].join('\n')).slice(0, 32);
    this.#file = join(stateFolder, 'folders', `${name}.json`);
  }

  /** Returns null if the folder was never in step with the library, `damaged` if the record cannot be read. */
  read(): FolderRecord | null | 'damaged' {
    const record = readRecord(this.#file, FORMAT);
    if (record === 'missing') return null;
    if (record === 'damaged') return record;
    this.#current = fromStored(JSON.parse(record.text) as Stored);
    return this.#current;
  }

  /** Never throws: without the record, the next push at most has to be forced or preceded by a pull. */
  write(remembered: FolderRecord): void {
    this.#current = remembered;
    writeRecord(this.#file, FORMAT, JSON.stringify(toStored(remembered)), KEPT_DAYS);
  }

  /** Changes parts of the record that was last read or written. */
  update(changes: Partial<FolderRecord>): void {
    this.write({ ...this.#current, ...changes });
  }
}

/** Returns a test of whether a file has content that came from the library, so that nobody has edited it. */
export function pulledContentTest({
  base,
  arriving = [],
}: FolderRecord): (path: string, sha256: string) => boolean {
  const known = new Set(arriving.map(([path, sha256]) => `${sha256} ${path}`));
  for (const { files } of base.assets.values()) {
    for (const [path, sha256] of files) known.add(`${sha256} ${path}`);
  }
  for (const [path, sha256] of base.rootFiles) known.add(`${sha256} ${path}`);
  return (path, sha256) => known.has(`${sha256} ${path}`);
}

interface StoredState {
  rootFiles?: [path: string, sha256: string][];
  /** Written by earlier releases, which recorded only `bindery.yml`. */
  curation?: string | null;
  assets: [id: string, metadataHash: string | null, files: [path: string, sha256: string][]][];
}

interface Stored extends Omit<FolderRecord, 'base' | 'published' | 'arriving'> {
  base: StoredState;
  published: StoredState | null;
  arriving: (readonly [string, string])[];
}

function toStored({ base, published, arriving = [], ...others }: FolderRecord): Stored {
  return {
    base: serializeState(base),
    published: published ? serializeState(published) : null,
    arriving: [...arriving],
    ...others,
  };
}

function fromStored({ base, published, ...others }: Stored): FolderRecord {
  return { base: deserializeState(base), published: published && deserializeState(published), ...others };
}

function serializeState({ assets, rootFiles }: LibraryState): StoredState {
  return {
    rootFiles: [...rootFiles],
    assets: [...assets].map(([id, { metadataHash, files }]) => [id, metadataHash, [...files]]),
  };
}

function deserializeState({ assets, rootFiles, curation }: StoredState): LibraryState {
  return {
    rootFiles: new Map(rootFiles ?? (curation ? [[CURATION_FILE, curation]] : [])),
    assets: new Map(assets.map(([id, metadataHash, files]) => [id, { metadataHash, files: new Map(files) }])),
  };
}
