import { DatabaseSync } from 'node:sqlite';
import {
  MANIFEST_SCHEMA,
  type ManifestAsset,
  type SearchHit,
  validateManifestValue,
} from '@bindery/contract';
import MiniSearch from 'minisearch';
import { PresignedUrls } from '../../packages/server/src/adapters/objects/disk/presigned-urls.ts';
import type { ObjectStore } from '../../packages/server/src/objects/store.ts';
import { encodeRevisionIndex } from '../../packages/server/src/revision/encode-index.ts';
import { RevisionIndex } from '../../packages/server/src/revision/revision-index.ts';
import { encodeSections } from '../../packages/server/src/revision/sections.ts';
import { describeHit } from '../../packages/server/src/search/describe-hit.ts';
import { Ranking } from '../../packages/server/src/search/ranking.ts';

const HITS = 50;
const STORE = 'store';

/** A search method; returns up to 50 hits with all their fields. */
export type Search = (query: string) => Promise<SearchHit[]> | SearchHit[];

/** The contenders by name, Bindery first; each builds a search over the assets. */
export const CONTENDERS: Readonly<Record<string, (assets: ManifestAsset[]) => Search>> = {
  bindery,
  MiniSearch: miniSearch,
  'SQLite FTS5': fts5,
};

/** A hit as peers store it: all fields that do not depend on the query, and the path of its thumbnail. */
type StoredHit = Omit<SearchHit, 'score' | 'thumbnailUrl'> & { thumbnail: { path: string; sha256: string } };

type Presign = Pick<ObjectStore, 'presignGet'>;

function bindery(assets: ManifestAsset[]): Search {
  const index = buildIndex(assets);
  const objects = presigner() as ObjectStore;
  return async (query) => {
    const ranking = new Ranking(query);
    await ranking.add(index.keywords, null);
    const { hits } = await ranking.page({ offset: 0, limit: HITS });
    return hits.map(({ document, score }) => describeHit({ objects }, STORE, index, document, score));
  };
}

function miniSearch(assets: ManifestAsset[]): Search {
  const cards = cardsOf(assets);
  const presign = presigner();
  const search = new MiniSearch<Record<string, string>>({
    fields: ['title', 'tags', 'id', 'description'],
    tokenize: (text) => text.toLowerCase().match(/[a-z0-9]+/g) ?? [],
    searchOptions: { prefix: true, boost: { title: 3, tags: 2, id: 2, description: 1 } },
  });
  search.addAll([...cards.values()].map(searchedText));
  return (query) =>
    search
      .search(query)
      .slice(0, HITS)
      .map(({ id, score }) => finish(cards.get(id) as StoredHit, score, presign));
}

function fts5(assets: ManifestAsset[]): Search {
  const presign = presigner();
  const db = new DatabaseSync(':memory:');
  db.exec(`
    create virtual table assets using fts5(
      title, tags, id, description, hit unindexed, prefix = '1 2 3', tokenize = 'ascii'
    )`);
  const insert = db.prepare('insert into assets (title, tags, id, description, hit) values (?, ?, ?, ?, ?)');
  db.exec('begin');
  for (const hit of cardsOf(assets).values()) {
    const { title = '', tags = '', id = '', description = '' } = searchedText(hit);
    insert.run(title, tags, id, description, JSON.stringify(hit));
  }
  db.exec('commit');
  const select = db.prepare(`
    select hit, score from assets join (
      select rowid as found, bm25(assets, 3, 2, 2, 1) as score from assets where assets match ?
      order by score limit ${HITS}
    ) on found = assets.rowid order by score`);
  return (query) => {
    const match = (query.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((token) => `"${token}"*`).join(' OR ');
    return select.all(match).map((row) => finish(JSON.parse(String(row.hit)), Number(row.score), presign));
  };
}

function buildIndex(assets: ManifestAsset[]): RevisionIndex {
  const verdict = validateManifestValue({ schema: MANIFEST_SCHEMA, assets });
  if (!verdict.ok) throw new Error(`The generated manifest is refused: ${verdict.code}.`);
  const sections = encodeRevisionIndex(verdict, []);
  return RevisionIndex.open(Buffer.concat(encodeSections(sections)));
}

function cardsOf(assets: ManifestAsset[]): Map<string, StoredHit> {
  const index = buildIndex(assets);
  return new Map(assets.map((_, number) => [index.assetId(number), hitOf(index, number)]));
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
