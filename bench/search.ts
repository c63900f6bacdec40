import { DatabaseSync } from 'node:sqlite';
import {
  MANIFEST_SCHEMA,
  type ManifestAsset,
  type SearchHit,
  validateManifestValue,
} from '@bindery/contract';
import MiniSearch from 'minisearch';
import { PresignedUrls } from '../packages/server/src/adapters/objects/disk/presigned-urls.ts';
import type { ObjectStore } from '../packages/server/src/objects/store.ts';
import { encodeRevisionIndex } from '../packages/server/src/revision/encode-index.ts';
import { RevisionIndex } from '../packages/server/src/revision/revision-index.ts';
import { encodeSections } from '../packages/server/src/revision/sections.ts';
import { describeHit } from '../packages/server/src/search/describe-hit.ts';
import { Ranking } from '../packages/server/src/search/ranking.ts';
import { generateAssets, generateQueries } from './search-corpus.ts';

const ASSETS = 50_000;
const QUERIES = 200;
const HITS = 50;
const ROUNDS = 2;
const STORE = 'store';

/** One way to search; `search` answers up to 50 hits with all their fields. */
interface Contender {
  name: string;
  search(query: string): Promise<SearchHit[]> | SearchHit[];
}

/** Times in milliseconds per query. */
export interface SearchTimes {
  name: string;
  p50: number;
  p99: number;
}

/**
 * Searches one library of 50,000 assets by keyword with Bindery, MiniSearch and SQLite FTS5, in this process, one
 * query after another, every query in turn with each of them. Bindery comes first in the answer.
 */
export async function benchSearch(): Promise<SearchTimes[]> {
  const assets = generateAssets(ASSETS);
  const queries = generateQueries(QUERIES);
  const presign = presigner();
  const index = buildIndex(assets);
  const cards = new Map(assets.map((_, number) => [index.assetId(number), hitOf(index, number)]));
  const contenders = [bindery(index, presign), miniSearch(cards, presign), fts5(cards, presign)];
  const times = contenders.map((): number[] => []);
  for (let round = -1; round < ROUNDS; round++) {
    for (const query of queries) {
      for (const [n, contender] of contenders.entries()) {
        const start = performance.now();
        await contender.search(query);
        const elapsed = performance.now() - start;
        // The first round warms up.
        if (round >= 0) times[n]?.push(elapsed);
      }
    }
  }
  return contenders.map(({ name }, n) => summarise(name, times[n] as number[]));
}

/** A hit as peers store it: everything but what depends on the query, with the path of its thumbnail. */
type StoredHit = Omit<SearchHit, 'score' | 'thumbnailUrl'> & { thumbnail: { path: string; sha256: string } };

type Presign = Pick<ObjectStore, 'presignGet'>;

function bindery(index: RevisionIndex, presign: Presign): Contender {
  const objects = presign as ObjectStore;
  return {
    name: 'bindery',
    async search(query) {
      const ranking = new Ranking(query);
      await ranking.add(index.keywords, null);
      const { hits } = await ranking.page({ offset: 0, limit: HITS });
      return hits.map(({ document, score }) => describeHit({ objects }, STORE, index, document, score));
    },
  };
}

function miniSearch(cards: ReadonlyMap<string, StoredHit>, presign: Presign): Contender {
  const search = new MiniSearch<Record<string, string>>({
    fields: ['title', 'tags', 'id', 'description'],
    tokenize: (text) => text.toLowerCase().match(/[a-z0-9]+/g) ?? [],
    searchOptions: { prefix: true, boost: { title: 3, tags: 2, id: 2, description: 1 } },
  });
  search.addAll([...cards.values()].map(searchedText));
  return {
    name: 'MiniSearch',
    search: (query) =>
      search
        .search(query)
        .slice(0, HITS)
        .map(({ id, score }) => finish(cards.get(id) as StoredHit, score, presign)),
  };
}

function fts5(cards: ReadonlyMap<string, StoredHit>, presign: Presign): Contender {
  const db = new DatabaseSync(':memory:');
  db.exec(`
    create virtual table assets using fts5(
      title, tags, id, description, hit unindexed, prefix = '1 2 3', tokenize = 'ascii'
    )`);
  const insert = db.prepare('insert into assets (title, tags, id, description, hit) values (?, ?, ?, ?, ?)');
  db.exec('begin');
  for (const hit of cards.values()) {
    const { title = '', tags = '', id = '', description = '' } = searchedText(hit);
    insert.run(title, tags, id, description, JSON.stringify(hit));
  }
  db.exec('commit');
  const select = db.prepare(`
    select hit, score from assets join (
      select rowid as found, bm25(assets, 3, 2, 2, 1) as score from assets where assets match ?
      order by score limit ${HITS}
    ) on found = assets.rowid order by score`);
  return {
    name: 'SQLite FTS5',
    search(query) {
      const match = (query.toLowerCase().match(/[a-z0-9]+/g) ?? [])
        .map((token) => `"${token}"*`)
        .join(' OR ');
      return select.all(match).map((row) => finish(JSON.parse(String(row.hit)), Number(row.score), presign));
    },
  };
}

function buildIndex(assets: ManifestAsset[]): RevisionIndex {
  const verdict = validateManifestValue({ schema: MANIFEST_SCHEMA, assets });
  if (!verdict.ok) throw new Error(`The generated manifest is refused: ${verdict.code}.`);
  const sections = encodeRevisionIndex(verdict, []);
  return RevisionIndex.open(Buffer.concat(encodeSections(sections)));
}

function hitOf(index: RevisionIndex, number: number): StoredHit {
  const { path, sha256 } = index.thumbnail(number) ?? { path: '', sha256: '' };
  return { ...index.card(number), thumbnail: { path, sha256 } };
}

function searchedText({ assetId, title, tags, description }: StoredHit): Record<string, string> {
  return { id: assetId, title: title ?? '', tags: tags.join(' '), description: description ?? '' };
}

function finish(
  { thumbnail: { path, sha256 }, ...hit }: StoredHit,
  score: number,
  presign: Presign,
): SearchHit {
  const fileName = path.slice(path.lastIndexOf('/') + 1);
  return { ...hit, thumbnailUrl: presign.presignGet({ storeId: STORE, sha256 }, fileName, 900), score };
}

function presigner(): Presign {
  const addresses = new PresignedUrls(new Uint8Array(32), Date.now);
  return {
    presignGet: (object, fileName, ttlSeconds) =>
      `http://127.0.0.1:7420${addresses.get(object, fileName, ttlSeconds)}`,
  };
}

function summarise(name: string, times: number[]): SearchTimes {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (quantile: number) => sorted[Math.floor(quantile * (sorted.length - 1))] as number;
  return { name, p50: at(0.5), p99: at(0.99) };
}

if (import.meta.main) {
  for (const { name, p50, p99 } of await benchSearch()) {
    console.log(`${name.padEnd(12)} p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms`);
  }
}
