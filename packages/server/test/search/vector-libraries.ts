import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  MANIFEST_SCHEMA,
  VECTORS_INDEX_PATH,
  VECTORS_MATRIX_PATH,
  validateManifestValue,
} from '@bindery/contract';
import pino, { type Logger } from 'pino';
import { localFiles } from '../../src/adapters/workers/local-files.ts';
import { createVectorSearch } from '../../src/adapters/workers/vector-search.ts';
import { inspectSidecar } from '../../src/libraries/publish/worker/inspect-sidecar.ts';
import { encodeRevisionIndex } from '../../src/revision/encode-index.ts';
import { encodeSections } from '../../src/revision/sections.ts';
import { cosine } from '../../src/search/vectors/exact-rows.ts';
import type { SearchedVectors } from '../../src/search/vectors/vector-search.ts';
import { type AssetVectors, seededVector, sidecarFiles } from './embeddings.ts';

export interface StoredLibrary extends SearchedVectors {
  /** Its assets in UTF-8 order, and the image of each. */
  ids: string[];
  rows: (Float32Array | null)[];
}

export interface LibraryOptions {
  /** Changes the files of the sidecar before they are stored. */
  broken?: (files: Record<string, Uint8Array>) => void;
  /** Whether a register has made codes; it has not, if nothing is said. */
  codes?: boolean;
}

/** Milliseconds that vectors may take to be loaded on a busy machine. */
const LOAD_TIMEOUT = 60_000;

/** Libraries with vectors in a folder of objects, without the rest of a service. */
export class LibraryFolder {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async make(): Promise<LibraryFolder> {
    return new LibraryFolder(await mkdtemp(join(tmpdir(), 'bindery-vectors-')));
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  /** The file of an object. */
  file(sha256: string): string {
    return join(this.#folder, sha256);
  }

  /** Objects that this process has open. */
  async openFiles(): Promise<string[]> {
    const links = (await readdir('/proc/self/fd')).map((fd) =>
      readlink(`/proc/self/fd/${fd}`).catch(() => ''),
    );
    return (await Promise.all(links)).filter((path) => path.startsWith(this.#folder));
  }

  openSearch(memoryBytes: number, log: Logger = pino({ level: 'silent' })) {
    const objects = { localFile: async ({ sha256 }: { sha256: string }) => this.file(sha256) };
    return createVectorSearch(
      { objects: objects as never, log },
      { memoryBytes, workers: 2, loadTimeout: LOAD_TIMEOUT },
    );
  }

  async store(bytes: Uint8Array): Promise<string> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await writeFile(this.file(sha256), bytes);
    return sha256;
  }

  /** Stores a library with these assets. */
  async library(
    vectors: Record<string, AssetVectors>,
    { broken, codes = false }: LibraryOptions = {},
  ): Promise<StoredLibrary> {
    const ids = Object.keys(vectors).sort();
    const files = [{ path: 'f', size: 1, sha256: 'a'.repeat(64) }];
    const assets = ids.map((id) => ({ id, files }));
    const verdict = validateManifestValue({ schema: MANIFEST_SCHEMA, assets });
    if (!verdict.ok) throw new Error(verdict.code);
    const sidecar = sidecarFiles(vectors);
    broken?.(sidecar);
    const stored = {
      indexSha256: await this.store(Buffer.concat(encodeSections(encodeRevisionIndex(verdict, [])))),
      documentSha256: await this.store(sidecar[VECTORS_INDEX_PATH]!),
      matrixSha256: await this.store(sidecar[VECTORS_MATRIX_PATH]!),
    };
    return {
      ...stored,
      storeId: 'store',
      codesSha256: codes ? await this.#makeCodes(stored) : null,
      assetCount: ids.length,
      filter: null,
      ids,
      rows: ids.map((id) => vectors[id]?.image ?? null),
    };
  }

  async #makeCodes(
    stored: Pick<StoredLibrary, 'indexSha256' | 'documentSha256' | 'matrixSha256'>,
  ): Promise<string> {
    const codesFile = this.file('draft');
    const { codes, problem } = inspectSidecar(localFiles, {
      documentFile: this.file(stored.documentSha256),
      matrixFile: this.file(stored.matrixSha256),
      indexFile: this.file(stored.indexSha256),
      rowsChecked: false,
      knownCodes: null,
      codesFile,
    });
    if (codes === null) throw new Error(`There are no codes: ${problem}.`);
    await rename(codesFile, this.file(codes.sha256));
    return codes.sha256;
  }
}

/** So many assets with an image each. */
export function images(count: number, seed: number): Record<string, AssetVectors> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `a${String(n).padStart(5, '0')}`,
      { image: seededVector(seed + n) },
    ]),
  );
}

/** Every row compared, plainly. */
export function exactSearch(
  query: Float32Array,
  libraries: { rows: (Float32Array | null)[]; filter: Uint8Array | null }[],
) {
  return libraries
    .flatMap(({ rows, filter }, target) =>
      rows.flatMap((row, document) =>
        row && filter?.[document] !== 0 ? [{ target, document, cosine: cosine(query, row) }] : [],
      ),
    )
    .sort((a, b) => b.cosine - a.cosine || a.target - b.target || a.document - b.document)
    .slice(0, 100);
}
