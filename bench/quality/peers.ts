import { DatabaseSync } from 'node:sqlite';
import type { Manifest } from '@bindery/contract';
import { create, insertMultiple, search } from '@orama/orama';
import MiniSearch from 'minisearch';

/** The texts of an asset that every peer indexes. */
interface Text {
  id: string;
  title: string;
  tags: string;
  description: string;
}

/** Returns the ids of assets, best first. */
export type Peer = (query: string) => Promise<string[]> | string[];

/** Alternatives over the same texts, each configured as its documentation suggests for search as you type. */
export async function peersOver(manifests: readonly Manifest[]): Promise<Record<string, Peer>> {
  const texts = manifests.flatMap(({ assets }) =>
    assets.map(
      ({ id, title = '', tags = [], description = '' }): Text => ({
        id,
        title,
        tags: tags.join(' '),
        description,
      }),
    ),
  );
  return {
    MiniSearch: miniSearch(texts),
    Orama: await orama(texts),
    'SQLite FTS5': fts5(texts),
  };
}

function miniSearch(texts: readonly Text[]): Peer {
  const index = new MiniSearch<Text>({
    idField: 'key',
    fields: ['title', 'tags', 'id', 'description'],
    extractField: (text, field) => String({ ...text, key: texts.indexOf(text) }[field as keyof Text]),
    searchOptions: { prefix: true, fuzzy: 0.2, boost: { title: 3, tags: 2, id: 2 } },
  });
  index.addAll(texts);
  return (query) => index.search(query).map(({ id }) => texts[Number(id)]?.id ?? '');
}

async function orama(texts: readonly Text[]): Promise<Peer> {
  const schema = { asset: 'string', title: 'string', tags: 'string', description: 'string' } as const;
  const index = create({ schema, components: { tokenizer: { stemming: true, language: 'english' } } });
  await insertMultiple(
    index,
    texts.map(({ id, ...text }) => ({ asset: id, ...text })),
  );
  return async (query) => {
    const boost = { title: 3, tags: 2, asset: 2 };
    const { hits } = await search(index, { term: query, tolerance: 1, boost, limit: 200 });
    return hits.map(({ document }) => document.asset);
  };
}

function fts5(texts: readonly Text[]): Peer {
  const db = new DatabaseSync(':memory:');
  db.exec(
    `create virtual table assets using fts5(title, tags, id, description, tokenize = 'porter unicode61')`,
  );
  const insert = db.prepare('insert into assets (title, tags, id, description) values (?, ?, ?, ?)');
  for (const { title, tags, id, description } of texts) insert.run(title, tags, id, description);
  const select = db.prepare(
    'select id from assets where assets match ? order by bm25(assets, 3, 2, 2, 1) limit 200',
  );
  return (query) => {
    const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    return select.all(words.map((word) => `"${word}"`).join(' OR ')).map(({ id }) => String(id));
  };
}
