import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MANIFEST_SCHEMA, type Manifest, type ManifestAsset, validateManifestValue } from '@bindery/contract';
import pino from 'pino';
import { createVectorSearch } from '../adapters/workers/vector-search.ts';
import type { Context } from '../context.ts';
import { NO_METRICS } from '../metrics.ts';
import type { ObjectStore } from '../objects/store.ts';
import { encodeRevisionIndex } from '../revision/encode-index.ts';
import { RevisionIndex } from '../revision/revision-index.ts';
import { joinSections } from '../revision/sections.ts';
import { NO_ENCODER } from '../search/encoder.ts';
import { parseSynonyms } from '../search/relevance/query.ts';
import { searchByRelevance } from '../search/relevance/search-by-relevance.ts';
import type { Target } from '../search/targets.ts';

const STORE = 'store';
const VECTOR_MEMORY = 512 * 1_024 * 1_024;

function encodedIndex(manifest: Manifest): Buffer {
  const verdict = validateManifestValue(manifest);
  if (!verdict.ok) throw new Error(`The manifest is refused: ${verdict.code}.`);
  return Buffer.from(joinSections(encodeRevisionIndex(verdict, [])));
}

/** Libraries without a database or files, searched by relevance through the service's use cases. */
export class LibrariesInMemory {
  readonly #targets: Target[];
  readonly #context: Context;

  constructor(libraries: readonly (readonly ManifestAsset[])[]) {
    const indexes = new Map(libraries.map((assets, at) => [`${at}`, unlimitedIndex(assets)]));
    const synonyms = new URL('../search/relevance/synonyms.txt', import.meta.url);
    this.#targets = libraries.map((_, at) => targetOf(at));
    this.#context = {
      revisions: {
        held: ({ sha256 }: { sha256: string }) => indexes.get(sha256),
        load: async ({ sha256 }: { sha256: string }) => indexes.get(sha256),
        capacity: Number.POSITIVE_INFINITY,
      },
      segments: { find: () => null, opened: Promise.resolve() },
      engine: null,
      objects: { presignGet: () => 'http://127.0.0.1/' } as unknown as ObjectStore,
      encoder: NO_ENCODER,
      synonyms: parseSynonyms(readFileSync(synonyms, 'utf8')),
      metrics: NO_METRICS,
      log: pino({ level: 'silent' }),
    } as unknown as Context;
  }

  search({ q, limit = 50, facets = false }: { q: string; limit?: number; facets?: boolean }) {
    return searchByRelevance(
      this.#context,
      this.#targets,
      { q, limit, offset: 0, explain: false },
      { rank: 'relevance', filters: {}, asWords: [], sort: 'relevance', facets },
    );
  }
}

/** Builds the index of assets with one file each, without the limits of a manifest. */
function unlimitedIndex(assets: readonly ManifestAsset[]): RevisionIndex {
  const sha256 = hash('sha256', '');
  const listed = assets
    .map((asset) => ({ asset, path: `${asset.id}/model.xml` }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ asset, path }) => ({ ...asset, files: [{ path, size: 1, sha256 }], thumbnail: undefined }));
  const manifest = { schema: MANIFEST_SCHEMA, assets: listed } as never;
  const files = listed.flatMap((asset) => asset.files);
  const places = Uint32Array.from(files, (_, at) => at);
  return RevisionIndex.open(joinSections(encodeRevisionIndex({ manifest, files, places }, [])));
}

function targetOf(at: number): Target {
  const name = `library-${String(at).padStart(4, '0')}`;
  const row = {
    ...{ id: name, name, store_id: 'bench', index_sha256: `${at}`, manifest_layout: 'current' },
    ...{ vectors_model: null, vectors_dim: null, updated_at: at },
  };
  return { namespace: 'bench', library: name, row: row as unknown as Target['row'] };
}

/** The nearest vectors of one library, whose objects are written to an empty folder. */
export async function nearestSearch(
  folder: string,
  { manifest, document, matrix }: { manifest: Manifest; document: Uint8Array; matrix: Float32Array },
) {
  const store = async (bytes: Uint8Array) => {
    const sha256 = hash('sha256', bytes);
    await writeFile(join(folder, sha256), bytes);
    return sha256;
  };
  const library = {
    storeId: STORE,
    indexSha256: await store(encodedIndex(manifest)),
    documentSha256: await store(document),
    matrixSha256: await store(new Uint8Array(matrix.buffer)),
    codesSha256: null,
    assetCount: manifest.assets.length,
    filter: null,
  };
  const objects = { localFile: async ({ sha256 }: { sha256: string }) => join(folder, sha256) };
  const vectors = createVectorSearch(
    { objects: objects as unknown as ObjectStore, log: pino({ level: 'silent' }) },
    { memoryBytes: VECTOR_MEMORY },
  );
  return {
    /** Returns the numbers of assets, best first. */
    async nearest(query: Float32Array): Promise<number[]> {
      const { candidates } = await vectors.nearest(query, [library]);
      return candidates.map(({ document: asset }) => asset);
    },
    close: () => vectors.close(),
  };
}
