import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import type { CrossLibraryHit, Manifest, ManifestAsset } from '@bindery/contract';
import { DEFAULT_MODEL_NAME, INCLUDED_MODEL, listModels, modelFolder, modelId } from '@bindery/encoder';
import { createMember, OWNER, pathOf } from '@bindery/server/testing';
import { create, insertMultiple, search as searchOrama } from '@orama/orama';
import { bindery } from '../e2e/bindery.ts';
import { miniSearch } from './mini-search.ts';
import { withFolder } from './processes.ts';
import { DATA } from './real-assets.ts';
import { serve } from './world.ts';

/*
 * Search quality: pushes every library of a folder to a new service, with thumbnails and vectors, and runs the queries
 * of its `queries.json` in the specified order and by relevance, each with keywords alone and with vectors. Runs the
 * same queries with alternatives over the same texts, and prints the means by type of query.
 *
 *   npm run bench:quality                                        with siglip2 if installed, else the included model
 *   BINDERY_ENCODER=clip BINDERY_MODEL_DIR=… npm run bench:quality
 *   npm run bench:quality -- --data <folder> --json
 *
 * The folder holds one library in each folder with a `bindery.yml`, and `queries.json`: `[{q, type, relevant: [id]}]`.
 */

/** A query with the ids of the relevant assets. */
interface JudgedQuery {
  q: string;
  type: string;
  relevant: string[];
}

interface RankedQuery extends JudgedQuery {
  semantic: boolean;
  ranked: string[];
}

/** The results of each search method, by its name. */
type Answers = Record<string, RankedQuery[]>;

const { values } = parseArgs({ options: { data: { type: 'string' }, json: { type: 'boolean' } } });
const data = resolve(values.data ?? DATA);
if (!existsSync(join(data, 'queries.json'))) {
  process.stderr.write(`${data} has no queries.json: nothing to ask\n`);
  process.exit(values.data === undefined ? 0 : 2);
}
const models = modelFolder(process.env);
const wanted = modelId(process.env.BINDERY_ENCODER ?? DEFAULT_MODEL_NAME);
const isInstalled = (await listModels(models)).some(({ id, problem }) => id === wanted && problem === null);
const model = isInstalled ? wanted : INCLUDED_MODEL;
process.stderr.write(`encoder: ${model}\n`);
async function runQueries(home: string): Promise<Answers> {
  const queries = JSON.parse(await readFile(join(data, 'queries.json'), 'utf8')) as JudgedQuery[];
  const env = { HOME: home, BINDERY_MODEL_DIR: models };
  const dataDir = join(home, 'data');
  const token = await createMember(dataDir);
  const answers: Answers = {};
  const withVectors = await serve(dataDir, { ...env, BINDERY_ENCODER: model, BINDERY_MAX_DELAY_MS: 'off' });
  const { url } = withVectors;
  const names = (await readdir(data)).filter((name) => existsSync(join(data, name, 'bindery.yml')));
  try {
    for (const name of names) {
      process.stderr.write(`pushing ${name} …\n`);
      const pictures = model === INCLUDED_MODEL ? [] : ['--thumbnails'];
      const options = [...pictures, '--embed', '--model', model, '--visibility', 'public'];
      const words = ['library', 'push', join(data, name), `${OWNER}/${name}`, ...options];
      const pushed = await bindery(words, { env: { ...env, BINDERY_API_URL: url, BINDERY_TOKEN: token } });
      if (pushed.exitCode !== 0) throw new Error(`The push of ${name} failed: ${pushed.stderr}`);
    }
    answers.fusion = await search(url, names, queries, 'specified');
    answers['relevance, model'] = await search(url, names, queries, 'relevance');
    for (const [name, peer] of Object.entries(await peersOver(await assetsOf(url, names)))) {
      answers[name] = [];
      for (const query of queries)
        answers[name].push({ ...query, semantic: false, ranked: await peer(query.q) });
    }
  } finally {
    await withVectors.end();
  }
  const withoutVectors = await serve(dataDir, {
    ...env,
    BINDERY_ENCODER: 'off',
    BINDERY_MAX_DELAY_MS: 'off',
  });
  try {
    return {
      keywords: await search(withoutVectors.url, names, queries, 'specified'),
      'relevance, words': await search(withoutVectors.url, names, queries, 'relevance'),
      ...answers,
    };
  } finally {
    await withoutVectors.end();
  }
}

async function search(url: string, names: string[], queries: readonly JudgedQuery[], rank: string) {
  const searchOnce = async (q: string) => {
    const libraries = names.map((name) => `${OWNER}/${name}`).join(',');
    const answer = await fetch(
      `${url}/library-search?${new URLSearchParams({ q, rank, libraries, limit: '200' })}`,
    );
    if (!answer.ok) throw new Error(`A search answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { semantic: boolean; hits: CrossLibraryHit[] };
  };
  // The model may still be loading at the first query.
  await searchOnce(queries[0]?.q ?? '');
  const ranked: RankedQuery[] = [];
  for (const query of queries) {
    const { semantic, hits } = await searchOnce(query.q);
    ranked.push({ ...query, semantic, ranked: hits.map(({ assetId }) => assetId) });
  }
  return ranked;
}

type Text = Record<'id' | 'title' | 'tags' | 'description', string>;

async function assetsOf(url: string, names: readonly string[]): Promise<ManifestAsset[]> {
  const manifests = names.map(async (name) => {
    return (await (await fetch(`${url}${pathOf(name)}/manifest`)).json()) as Manifest;
  });
  return (await Promise.all(manifests)).flatMap(({ assets }) => assets);
}

/** Returns the ids of assets, best first. */
type Peer = (query: string) => Promise<string[]> | string[];

/** Alternatives over the same texts, each configured as its documentation suggests for search as you type. */
async function peersOver(assets: readonly ManifestAsset[]): Promise<Record<string, Peer>> {
  const texts = assets.map(({ id, title = '', tags = [], description = '' }): Text => {
    return { id, title, tags: tags.join(' '), description };
  });
  const search = miniSearch(assets);
  return {
    MiniSearch: (query) => search(query).map(({ id }) => id),
    Orama: await orama(texts),
    'SQLite FTS5': fts5(texts),
  };
}

async function orama(texts: readonly Text[]): Promise<Peer> {
  const schema = { asset: 'string', title: 'string', tags: 'string', description: 'string' } as const;
  const index = create({ schema, components: { tokenizer: { stemming: true, language: 'english' } } });
  const documents = texts.map(({ id, ...text }) => ({ asset: id, ...text }));
  await insertMultiple(index, documents);
  return async (query) => {
    const boost = { title: 3, tags: 2, asset: 2 };
    const { hits } = await searchOrama(index, { term: query, tolerance: 1, boost, limit: 200 });
    return hits.map(({ document }) => document.asset);
  };
}

function fts5(texts: readonly Text[]): Peer {
  const db = new DatabaseSync(':memory:');
  const columns = 'title, tags, id, description';
  db.exec(`create virtual table assets using fts5(${columns}, tokenize = 'porter unicode61')`);
  const insert = db.prepare(`insert into assets (${columns}) values (?, ?, ?, ?)`);
  for (const { title, tags, id, description } of texts) insert.run(title, tags, id, description);
  const order = 'order by bm25(assets, 3, 2, 2, 1) limit 200';
  const select = db.prepare(`select id from assets where assets match ? ${order}`);
  return (query) => {
    const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    return select.all(words.map((word) => `"${word}"`).join(' OR ')).map(({ id }) => String(id));
  };
}

function report(answers: Answers): string {
  const { fusion = [] } = answers;
  const lines = ['| Queries | Number | Search | Recall@10 | MRR | NDCG@10 |'];
  lines.push('| ------- | ------ | ------ | --------- | --- | ------- |');
  for (const type of [...new Set(fusion.map((query) => query.type)), 'all']) {
    for (const [name, ranked] of Object.entries(answers)) {
      const own = ranked.filter((query) => type === 'all' || query.type === type);
      const mean = (measure: (query: RankedQuery) => number) =>
        (own.reduce((sum, query) => sum + measure(query), 0) / own.length).toFixed(3);
      lines.push(
        `| ${[type, own.length, name, mean(recall), mean(reciprocalRank), mean(ndcg)].join(' | ')} |`,
      );
    }
  }
  const semantic = fusion.filter((query) => query.semantic).length;
  return `${lines.join('\n')}\n${semantic} of ${fusion.length} searches with the model ran with vectors\n`;
}

const DEPTH = 10;

/** Whether each of the first ten is relevant. */
const hitsOf = ({ ranked, relevant }: RankedQuery) =>
  ranked.slice(0, DEPTH).map((id) => relevant.includes(id));

/** The share of the relevant assets among the first ten. */
const recall = (query: RankedQuery) => hitsOf(query).filter(Boolean).length / query.relevant.length;

/** 1 divided by the rank of the first relevant asset; 0 if none was found. */
function reciprocalRank({ ranked, relevant }: RankedQuery): number {
  const first = ranked.findIndex((id) => relevant.includes(id));
  return first < 0 ? 0 : 1 / (first + 1);
}

/** Discounted cumulative gain at 10 over that of the ideal order (Järvelin and Kekäläinen 2002, binary gains). */
function ndcg(query: RankedQuery): number {
  const gain = (hits: readonly boolean[]) =>
    hits.reduce((sum, hit, rank) => sum + (hit ? 1 / Math.log2(rank + 2) : 0), 0);
  return gain(hitsOf(query)) / gain(query.relevant.slice(0, DEPTH).map(() => true));
}

const answers = await withFolder(runQueries);
process.stdout.write(values.json ? `${JSON.stringify({ model, answers })}\n` : report(answers));
