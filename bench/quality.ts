import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { CrossLibraryHit, Manifest } from '@bindery/contract';
import { DEFAULT_MODEL_NAME, INCLUDED_MODEL, listModels, modelFolder, modelId } from '@bindery/encoder';
import { bindery, serve } from '../e2e/bindery.ts';
import { type JudgedQuery, meanQuality, type Quality, qualityOf } from './quality/measures.ts';
import { peersOver } from './quality/peers.ts';

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
const DATA = fileURLToPath(new URL('../../shared/data', import.meta.url));
const OWNER = 'bench';

interface RankedQuery extends JudgedQuery {
  semantic: boolean;
  ranked: string[];
}

/** The results of each search method, by its name. */
type Answers = Record<string, RankedQuery[]>;

type Order = 'specified' | 'relevance';

const { values } = parseArgs({ options: { data: { type: 'string' }, json: { type: 'boolean' } } });
const data = resolve(values.data ?? DATA);
if (!existsSync(join(data, 'queries.json'))) {
  process.stderr.write(`${data} has no queries.json: nothing to ask\n`);
  process.exit(values.data === undefined ? 0 : 2);
}
const home = await mkdtemp(join(tmpdir(), 'bindery-quality-'));
try {
  const model = await chooseModel();
  process.stderr.write(`encoder: ${model.id}\n`);
  const answers = await runQueries(data, home, model);
  process.stdout.write(values.json ? `${JSON.stringify({ model: model.id, answers })}\n` : report(answers));
} finally {
  await rm(home, { recursive: true, force: true });
}

interface ChosenModel {
  id: string;
  folder: string;
}

async function chooseModel(): Promise<ChosenModel> {
  const folder = modelFolder(process.env);
  const id = modelId(process.env.BINDERY_ENCODER ?? DEFAULT_MODEL_NAME);
  const installed = (await listModels(folder)).some((model) => model.id === id && model.problem === null);
  return { id: installed ? id : INCLUDED_MODEL, folder };
}

async function runQueries(data: string, home: string, model: ChosenModel): Promise<Answers> {
  const queries: JudgedQuery[] = JSON.parse(await readFile(join(data, 'queries.json'), 'utf8'));
  const env = { HOME: home, BINDERY_MODEL_DIR: model.folder };
  const dataDir = join(home, 'data');
  const withVectors = await serve({ dataDir, env: { ...env, BINDERY_ENCODER: model.id } });
  let libraries: string[];
  const answers: Answers = {};
  try {
    libraries = await pushAll(data, { ...env, BINDERY_API_URL: withVectors.url }, dataDir, model);
    const { url } = withVectors;
    answers.fusion = await search(url, libraries, queries, 'specified');
    answers['relevance, model'] = await search(url, libraries, queries, 'relevance');
    for (const [name, peer] of Object.entries(await peersOver(await manifestsOf(url, libraries)))) {
      answers[name] = [];
      for (const query of queries)
        answers[name].push({ ...query, semantic: false, ranked: await peer(query.q) });
    }
  } finally {
    await withVectors.end();
  }
  const withoutVectors = await serve({ dataDir, env: { ...env, BINDERY_ENCODER: 'off' } });
  try {
    const { url } = withoutVectors;
    return {
      keywords: await search(url, libraries, queries, 'specified'),
      'relevance, words': await search(url, libraries, queries, 'relevance'),
      ...answers,
    };
  } finally {
    await withoutVectors.dispose();
  }
}

/** Publishes every library of the folder; returns their addresses. */
async function pushAll(
  data: string,
  env: Record<string, string>,
  dataDir: string,
  model: ChosenModel,
): Promise<string[]> {
  const where = ['--data-dir', dataDir];
  const account = ['admin', 'create-user', OWNER, '--email', `${OWNER}@example.org`, '--password-stdin'];
  await run([...account, ...where], env, 'correct horse battery\n');
  const made = await run(['admin', 'create-token', OWNER, '--scope', 'write', '--json', ...where], env);
  const { token } = JSON.parse(made) as { token: string };
  const names = (await readdir(data)).filter((name) => existsSync(join(data, name, 'bindery.yml')));
  for (const name of names) {
    process.stderr.write(`pushing ${name} …\n`);
    const pictures = model.id === INCLUDED_MODEL ? [] : ['--thumbnails'];
    const options = [...pictures, '--embed', '--model', model.id, '--visibility', 'public'];
    await run(['library', 'push', join(data, name), `${OWNER}/${name}`, ...options], {
      ...env,
      BINDERY_TOKEN: token,
    });
  }
  return names.map((name) => `${OWNER}/${name}`);
}

async function run(words: string[], env: Record<string, string>, input?: string): Promise<string> {
  const { exitCode, stdout, stderr } = await bindery(words, {
    env,
    ...(input === undefined ? {} : { input }),
  });
  if (exitCode !== 0)
    throw new Error(`bindery ${words.slice(0, 2).join(' ')} ended with ${exitCode}: ${stderr}`);
  return stdout;
}

function manifestsOf(url: string, libraries: readonly string[]): Promise<Manifest[]> {
  return Promise.all(
    libraries.map(async (library) => {
      const answer = await fetch(`${url}/namespaces/${library.replace('/', '/libraries/')}/manifest`);
      return (await answer.json()) as Manifest;
    }),
  );
}

async function search(
  url: string,
  libraries: string[],
  queries: readonly JudgedQuery[],
  rank: Order,
): Promise<RankedQuery[]> {
  // The model may still be loading at the first query.
  await searchOnce(url, libraries, queries[0]?.q ?? '', rank);
  const ranked: RankedQuery[] = [];
  for (const query of queries) {
    const { semantic, hits } = await searchOnce(url, libraries, query.q, rank);
    ranked.push({ ...query, semantic, ranked: hits.map(({ assetId }) => assetId) });
  }
  return ranked;
}

async function searchOnce(url: string, libraries: string[], q: string, rank: Order) {
  const parameters = new URLSearchParams({ q, rank, libraries: libraries.join(','), limit: '200' });
  const answer = await fetch(`${url}/library-search?${parameters}`);
  if (!answer.ok) throw new Error(`A search answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as { semantic: boolean; hits: CrossLibraryHit[] };
}

function report(answers: Answers): string {
  const { fusion = [] } = answers;
  const types = [...new Set(fusion.map(({ type }) => type))];
  const lines = [
    '| Queries | Number | Search | Recall@10 | MRR | NDCG@10 |',
    '| ------- | ------ | ------ | --------- | --- | ------- |',
  ];
  for (const type of [...types, 'all']) {
    for (const [name, ranked] of Object.entries(answers)) {
      const own = ranked.filter((query) => type === 'all' || query.type === type);
      lines.push(
        line(type, own.length, name, meanQuality(own.map((one) => qualityOf(one.ranked, one.relevant)))),
      );
    }
  }
  const semantic = fusion.filter((query) => query.semantic).length;
  return `${lines.join('\n')}\n${semantic} of ${fusion.length} searches with the model ran with vectors\n`;
}

function line(type: string, count: number, search: string, quality: Quality): string {
  const { recall, reciprocalRank, ndcg } = quality;
  return `| ${[type, count, search, recall.toFixed(3), reciprocalRank.toFixed(3), ndcg.toFixed(3)].join(' | ')} |`;
}
