import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Manifest } from '@bindery/contract';
import { DEFAULT_MODEL_NAME, INCLUDED_MODEL, listModels, modelFolder, modelId } from '@bindery/encoder';
import { BINDERY_SEARCH, serveFed } from './answers.ts';
import { withFolder } from './processes.ts';
import { type JudgedSet, qualified, readJudgedSet } from './quality/judged-set.ts';
import { qualityOf, type RankedQuery, silenceOf } from './quality/measures.ts';
import { openSearchPeers } from './quality/opensearch-peer.ts';
import { type PeerDocument, peersOver } from './quality/peers.ts';
import { answer, type Model, manifestsOf, Services } from './quality/services.ts';
import { stripped } from './quality/strip.ts';
import { writeJudgedSet } from './quality/write-set.ts';
import { DATA } from './real-assets.ts';

/*
 * Search quality: publishes the libraries of a judged set to a new service, and asks its queries in the specified order
 * and by relevance, with the model and with words alone. Asks other engines over the same texts; see docs/search-quality.md.
 *
 *   npm run bench:quality -- --data <folder>                 with siglip2 if installed, else the included model
 *   BINDERY_SEARCH=http://… npm run bench:quality            also through that OpenSearch, and by it alone
 *   BINDERY_ENCODER=clip BINDERY_MODEL_DIR=… npm run bench:quality -- --data <folder> --json
 *   npm run bench:quality -- --data <folder> --queries languages   also harder, described, judged-again, and stripped: the assets without a word
 *   npm run bench:quality -- --data <folder> --write <folder>    a folder that can be published as a library
 */

/** What each way of searching found, by its name. */
type Answers = Record<string, RankedQuery[]>;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    queries: { type: 'string', default: 'queries' },
    json: { type: 'boolean' },
    write: { type: 'string' },
  },
});
const data = resolve(values.data ?? DATA);
const set = readJudgedSet(data, `${values.queries}.json`);
if (set === null) {
  process.stderr.write(`${data} has no judged queries: nothing to ask\n`);
  process.exit(values.data === undefined ? 0 : 2);
}
const folder = modelFolder(process.env);
const wanted = modelId(process.env.BINDERY_ENCODER ?? DEFAULT_MODEL_NAME);
const isInstalled = (await listModels(folder)).some(({ id, problem }) => id === wanted && problem === null);
const model: Model = { id: isInstalled ? wanted : INCLUDED_MODEL, folder };
process.stderr.write(`encoder: ${model.id}\n`);

async function runQueries(
  home: string,
  { libraries, queries: asked, collections }: JudgedSet,
): Promise<Answers> {
  if (values.queries === 'stripped') return runStripped(home, { libraries, queries: asked, collections });
  const services = new Services(home, model);
  await services.fill(libraries);
  const names = libraries.map(({ name }) => name);
  const answers: Answers = {};
  const manifests = await services.with(true, async (service) => {
    const found = await manifestsOf(service, names);
    const queries = qualified(asked, found);
    answers['relevance, model'] = await answer(service, names, queries, 'relevance');
    answers['specified order, model'] = await answer(service, names, queries, 'specified');
    return found;
  });
  const queries = qualified(asked, manifests);
  await services.with(false, async (service) => {
    answers['relevance, words'] = await answer(service, names, queries, 'relevance');
    answers['specified order, words'] = await answer(service, names, queries, 'specified');
  });
  if (BINDERY_SEARCH !== undefined)
    for (const [way, model] of [
      ['model', true],
      ['words', false],
    ] as const)
      answers[`relevance, ${way}, search engine`] = await services.with(
        model,
        (service) => answer(service, names, queries, 'relevance'),
        serveFed,
      );
  const documents = documentsOf(manifests);
  const openSearch = BINDERY_SEARCH === undefined ? {} : openSearchPeers(BINDERY_SEARCH, documents);
  for (const [name, peer] of Object.entries({ ...(await peersOver(documents)), ...openSearch })) {
    const found = await peer(queries.map(({ q }) => q));
    answers[name] = queries.map((query, at) => ({ ...query, ranked: found[at] ?? [] }));
  }
  if (values.write !== undefined)
    await writeJudgedSet(resolve(values.write), { queries, manifests, collections });
  return answers;
}

/** Asks for assets without any text, by what is measured and seen of them. */
async function runStripped(home: string, { libraries, queries }: JudgedSet): Promise<Answers> {
  const pushed = new Services(home, model);
  await pushed.fill(libraries);
  const names = libraries.map(({ name }) => name);
  const found = await pushed.with(false, (service) => manifestsOf(service, names));
  const bare = new Map([...found].map(([name, manifest]) => [name, stripped(manifest)] as const));
  const services = new Services(`${home}/stripped`, model);
  await services.fill([...bare].map(([name, { manifest }]) => ({ name, manifest })));
  return services.with(true, async (service) => {
    const answers = await answer(service, names, queries, 'relevance');
    const named = (key: string) => {
      const [name = '', id = ''] = key.split('/');
      return `${name}/${bare.get(name)?.ids.get(id) ?? id}`;
    };
    return { relevance: answers.map((one) => ({ ...one, ranked: one.ranked.map(named) })) };
  });
}

function documentsOf(manifests: ReadonlyMap<string, Manifest>): PeerDocument[] {
  return [...manifests].flatMap(([library, { assets }]) =>
    assets.map(({ id, title = '', tags = [], description = '', category, kind, format, license }) => ({
      key: `${library}/${id}`,
      ...{ id, title, description, tags: tags.join(' ') },
      labels: [category, kind, format, license].filter(Boolean).join(' '),
    })),
  );
}

const rounded = (value: number) => value.toFixed(3);

/** A row per way of searching: recall at ten by type of query, then of all with its 95 % interval, then of those for what is not there. */
function report(answers: Answers): string {
  const [first = []] = Object.values(answers);
  const types = [...new Set(first.filter(({ relevant }) => relevant.length > 0).map(({ type }) => type))];
  const counted = types.map((type) => `${type} (${first.filter((query) => query.type === type).length})`);
  const heads = ['Search', ...counted, 'all', 'nDCG@10', 'MRR', 'Nothing for nothing', 'Hits for nothing'];
  const rows = Object.entries(answers).map(([name, ranked]) => {
    const all = qualityOf(ranked);
    const silence = silenceOf(ranked);
    const byType = types.map((type) => qualityOf(ranked.filter((query) => query.type === type)).recall);
    const [recall, margin, ndcg, reciprocal] = [all.recall, all.margin, all.ndcg, all.reciprocalRank].map(
      rounded,
    );
    const nothing = silence.queries === 0 ? ['', ''] : [silence.silent.toFixed(2), silence.hits.toFixed(0)];
    return [name, ...byType.map(rounded), `${recall} ± ${margin}`, ndcg, reciprocal, ...nothing];
  });
  return [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('');
}

const answers = await withFolder((home) => runQueries(home, set));
process.stdout.write(values.json ? `${JSON.stringify({ model: model.id, answers })}\n` : report(answers));
