import { DatabaseSync } from 'node:sqlite';
import { type IndexedHit, keywordSearch } from '@bindery/server/testing';
import MiniSearch from 'minisearch';
import { generateAssets, generateQueries } from '../test/generated-texts.ts';
import { nextMessage, start } from './processes.ts';
import { type BenchmarkRow, quantile, ratioRow, scaled, timed } from './results.ts';

const ASSETS = 50_000;
const QUERIES = 200;
const ROUNDS = 2;
const HITS = 50;

type Library = ReturnType<typeof keywordSearch>;

/** Each returns up to 50 hits with all their fields. */
const CONTENDERS: Record<string, (library: Library) => (query: string) => unknown> = {
  bindery: ({ search }) => search,
  MiniSearch: miniSearch,
  'SQLite FTS5': fts5,
};

/**
 * Searches one library of 50,000 assets by keyword with Bindery, MiniSearch and SQLite FTS5, one query at a time, each
 * query with all of them in turn. Each runs in a separate process, so that none pays for another's garbage collection.
 */
export async function benchSearch(): Promise<BenchmarkRow[]> {
  const assets = scaled(ASSETS);
  const contenders = [];
  try {
    for (const name of Object.keys(CONTENDERS)) {
      const child = start(import.meta.filename, [name, String(assets)]);
      await nextMessage(child);
      contenders.push({ name, child, times: [] as number[] });
    }
    for (let round = -1; round < ROUNDS; round++) {
      for (const query of generateQueries(QUERIES)) {
        for (const { child, times } of contenders) {
          child.send(query);
          const elapsed = await nextMessage<number>(child);
          // The first round is a warm-up.
          if (round >= 0) times.push(elapsed);
        }
      }
    }
  } finally {
    for (const { child } of contenders) child.disconnect();
  }
  const [own, ...peers] = contenders;
  return peers.flatMap(({ name, times }) =>
    [0.5, 0.99].map((share) => {
      const [ours, theirs] = [quantile(own?.times ?? [], share), quantile(times, share)];
      const work = `keyword search, ${assets.toLocaleString('en')} assets, ${HITS} hits, p${100 * share}`;
      const [bindery, peer] = [`${ours.toFixed(2)} ms`, `${name} ${theirs.toFixed(2)} ms`];
      return ratioRow({ work, bindery, peer }, theirs / ours, { least: 3, unit: '× faster', digits: 1 });
    }),
  );
}

function miniSearch({ hits, finish }: Library) {
  const stored = new Map(hits().map((hit) => [hit.assetId, hit]));
  const index = new MiniSearch<Record<string, string>>({
    fields: ['title', 'tags', 'id', 'description'],
    tokenize: (text) => text.toLowerCase().match(/[a-z0-9]+/g) ?? [],
    searchOptions: { prefix: true, boost: { title: 3, tags: 2, id: 2, description: 1 } },
  });
  for (const { assetId: id, title, tags, description } of stored.values())
    index.add({ id, title: title ?? '', tags: tags.join(' '), description: description ?? '' });
  return (query: string) => {
    const found = index.search(query).slice(0, HITS);
    return found.map(({ id, score }) => finish(stored.get(id) as IndexedHit, score));
  };
}

function fts5({ hits, finish }: Library) {
  const db = new DatabaseSync(':memory:');
  db.exec(`
    create virtual table assets using fts5(
      title, tags, id, description, hit unindexed, prefix = '1 2 3', tokenize = 'ascii'
    )`);
  const insert = db.prepare('insert into assets (title, tags, id, description, hit) values (?, ?, ?, ?, ?)');
  db.exec('begin');
  for (const hit of hits()) {
    const { assetId, title, tags, description } = hit;
    insert.run(title ?? '', tags.join(' '), assetId, description ?? '', JSON.stringify(hit));
  }
  db.exec('commit');
  const select = db.prepare(`
    select hit, score from assets join (
      select rowid as found, bm25(assets, 3, 2, 2, 1) as score from assets where assets match ?
      order by score limit ${HITS}
    ) on found = assets.rowid order by score`);
  return (query: string) => {
    const match = (query.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((token) => `"${token}"*`).join(' OR ');
    return select.all(match).map(({ hit, score }) => finish(JSON.parse(String(hit)), Number(score)));
  };
}

/** One contender: replies to each query with the milliseconds that it took. */
if (import.meta.main) {
  const [name = '', assets] = process.argv.slice(2);
  const search = CONTENDERS[name]?.(keywordSearch(generateAssets(Number(assets)), HITS));
  process.on('message', async (query: string) => process.send?.(await timed(() => search?.(query))));
  process.send?.('ready');
}
