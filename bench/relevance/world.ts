import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { MANIFEST_SCHEMA, type ManifestAsset } from '@bindery/contract';
import pino from 'pino';
import { NO_METRICS } from '../../packages/server/src/metrics.ts';
import type { ObjectStore } from '../../packages/server/src/objects/store.ts';
import { encodeRevisionIndex } from '../../packages/server/src/revision/encode-index.ts';
import { RevisionIndex } from '../../packages/server/src/revision/revision-index.ts';
import { joinSections } from '../../packages/server/src/revision/sections.ts';
import { NO_ENCODER } from '../../packages/server/src/search/encoder.ts';
import { completeInTargets } from '../../packages/server/src/search/relevance/complete-targets.ts';
import {
  type RelevanceRequest,
  searchByRelevance,
} from '../../packages/server/src/search/relevance/search-by-relevance.ts';
import { parseSynonyms } from '../../packages/server/src/search/relevance/synonyms.ts';
import type { SearchParts } from '../../packages/server/src/search/request.ts';
import type { Target } from '../../packages/server/src/search/targets.ts';

const SYNONYMS = new URL('../../packages/server/src/search/relevance/synonyms.txt', import.meta.url);

const DEFAULTS = {
  limit: 50,
  offset: 0,
  explain: false,
  asked: {},
  sort: 'relevance',
  facets: false,
} as const;

/** Libraries in memory, searched through the service's use cases. */
export class LibraryWorld {
  readonly #targets: Target[];
  readonly #parts: SearchParts;

  constructor(libraries: readonly (readonly ManifestAsset[])[], parts: Partial<SearchParts> = {}) {
    const indexes = new Map(libraries.map((assets, at) => [`${at}`, indexOf(assets)]));
    this.#targets = libraries.map((_, at) => targetOf(at));
    this.#parts = {
      revisions: { load: async ({ sha256 }: { sha256: string }) => indexes.get(sha256) },
      objects: { presignGet: () => 'http://127.0.0.1/' } as unknown as ObjectStore,
      encoder: NO_ENCODER,
      synonyms: parseSynonyms(readFileSync(SYNONYMS, 'utf8')),
      metrics: NO_METRICS,
      log: pino({ level: 'silent' }),
      ...parts,
    } as unknown as SearchParts;
  }

  search(request: Pick<RelevanceRequest, 'q'> & Partial<RelevanceRequest>) {
    return searchByRelevance(this.#parts, this.#targets, { ...DEFAULTS, ...request });
  }

  complete(q: string) {
    return completeInTargets(this.#parts, this.#targets, { q, limit: 8 });
  }
}

/** Builds the index of assets with one file each, without the limits of a manifest. */
export function indexOf(assets: readonly ManifestAsset[]): RevisionIndex {
  const sha256 = hash('sha256', '');
  const pathOf = ({ id }: ManifestAsset) => `${id}/model.xml`;
  const listed = assets
    .toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1))
    .map((asset) => ({
      ...asset,
      files: [{ path: pathOf(asset), size: 1, sha256 }],
      thumbnail: undefined,
    }));
  const manifest = { schema: MANIFEST_SCHEMA, assets: listed } as never;
  const files = listed.flatMap((asset) => asset.files);
  const places = Uint32Array.from(files, (_, at) => at);
  return RevisionIndex.open(joinSections(encodeRevisionIndex({ manifest, files, places }, [])));
}

function targetOf(at: number): Target {
  const name = `library-${String(at).padStart(4, '0')}`;
  const row = {
    id: name,
    name,
    store_id: 'bench',
    index_sha256: `${at}`,
    manifest_layout: 'current',
    vectors_model: null,
    vectors_dim: null,
    updated_at: at,
  };
  return { namespace: 'bench', library: name, row: row as unknown as Target['row'] };
}
