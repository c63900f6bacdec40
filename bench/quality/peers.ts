import { spawnSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { create, insertMultiple, search as searchOrama } from '@orama/orama';
import MiniSearch from 'minisearch';
import { stemmer } from 'stemmer';

/** An asset as other engines index it. */
export interface PeerDocument {
  /** `<library>/<id>` */
  key: string;
  id: string;
  title: string;
  tags: string;
  /** Category, kind, format and licence. */
  labels: string;
  description: string;
}

/** How much a match in each field counts. */
export const BOOST = { title: 3, tags: 2, id: 2, labels: 2, description: 1 };
export const FIELDS = Object.keys(BOOST) as (keyof typeof BOOST)[];
/** How many documents a peer returns at most. */
export const LIMIT = 200;

/** Answers queries, each with the keys of documents, best first. */
export type Peer = (queries: readonly string[]) => Promise<string[][]> | string[][];

/**
 * Other engines over the same texts: words are stemmed, titles count most, any word of a query is enough, and words may
 * be misspelt or incomplete where an engine can do that. Those that are not installed are left out.
 */
export async function peersOver(documents: readonly PeerDocument[]): Promise<Record<string, Peer>> {
  const tantivyPeer = tantivy(documents);
  return {
    MiniSearch: miniSearch(documents),
    Orama: await orama(documents),
    'SQLite FTS5': fts5(documents),
    ...(tantivyPeer && { Tantivy: tantivyPeer }),
  };
}

function miniSearch(documents: readonly PeerDocument[]): Peer {
  const index = new MiniSearch<PeerDocument>({
    idField: 'key',
    fields: FIELDS,
    processTerm: (term) => stemmer(term.toLowerCase()),
    searchOptions: { prefix: true, fuzzy: 0.2, boost: BOOST },
  });
  index.addAll(documents);
  return (queries) => queries.map((query) => index.search(query).map(({ id }) => id));
}

async function orama(documents: readonly PeerDocument[]): Promise<Peer> {
  const schema = {
    key: 'string',
    title: 'string',
    tags: 'string',
    name: 'string',
    labels: 'string',
    description: 'string',
  } as const;
  const index = create({ schema, components: { tokenizer: { stemming: true, language: 'english' } } });
  await insertMultiple(
    index,
    documents.map(({ id, ...texts }) => ({ ...texts, name: id })),
  );
  const properties = ['title', 'tags', 'name', 'labels', 'description'] as const;
  const boost = { title: BOOST.title, tags: BOOST.tags, name: BOOST.id, labels: BOOST.labels };
  return (queries) =>
    Promise.all(
      queries.map(async (term) => {
        const { hits } = await searchOrama(index, {
          term,
          properties: [...properties],
          tolerance: 1,
          boost,
          limit: LIMIT,
        });
        return hits.map(({ document }) => document.key);
      }),
    );
}

function fts5(documents: readonly PeerDocument[]): Peer {
  const db = new DatabaseSync(':memory:');
  db.exec(
    `create virtual table assets using fts5(key unindexed, ${FIELDS.join(', ')}, tokenize = 'porter unicode61')`,
  );
  const insert = db.prepare(`insert into assets values (?${', ?'.repeat(FIELDS.length)})`);
  for (const document of documents) insert.run(document.key, ...FIELDS.map((field) => document[field]));
  const weights = FIELDS.map((field) => BOOST[field]).join(', ');
  const select = db.prepare(
    `select key from assets where assets match ? order by bm25(assets, 0, ${weights}) limit ${LIMIT}`,
  );
  return (queries) =>
    queries.map((query) => {
      const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
      return select.all(words.map((word) => `"${word}"`).join(' OR ')).map(({ key }) => String(key));
    });
}

/** Runs in the Python of BINDERY_BENCH_PYTHON, which needs the package `tantivy`; null if it lacks it. */
function tantivy(documents: readonly PeerDocument[]): Peer | null {
  const python = process.env.BINDERY_BENCH_PYTHON ?? 'python3';
  if (spawnSync(python, ['-c', 'import tantivy']).status !== 0) return null;
  return (queries) => {
    const { status, stdout, stderr } = spawnSync(
      python,
      [fileURLToPath(new URL('tantivy-peer.py', import.meta.url))],
      {
        input: JSON.stringify({ documents, queries, boost: BOOST, limit: LIMIT }),
        encoding: 'utf8',
        maxBuffer: 64 * 1024 ** 2,
      },
    );
    if (status !== 0) throw new Error(`Tantivy failed: ${stderr}`);
    return JSON.parse(stdout) as string[][];
  };
}
