import {
  DESCRIPTOR_BYTES,
  DESCRIPTOR_PARTS,
  DESCRIPTOR_VERSION,
  MANIFEST_SCHEMA,
  type ManifestAsset,
} from '@bindery/contract';
import {
  keywordSearch,
  LibrariesInMemory,
  pathOf,
  seedDataFolder,
  seedLibrary,
} from '@bindery/server/testing';
import MiniSearch from 'minisearch';
import { generateAssets, generateQueries } from '../test/generated-texts.ts';
import { withFolder } from './processes.ts';
import {
  type BenchmarkRow,
  limitRow,
  median,
  quantile,
  ratioRow,
  repeated,
  scaled,
  timed,
} from './results.ts';
import { withService } from './world.ts';

const ASSETS = scaled(50_000);
const QUERIES = generateQueries(200);
const HITS = 50;
const ROUNDS = 3;

const many = ASSETS.toLocaleString('en');
const milliseconds = (value: number) => `${value.toFixed(2)} ms`;

/** Search by relevance: in this process, and the first search of a service in a separate process. */
export async function benchRelevance(): Promise<BenchmarkRow[]> {
  return [...(await benchLarge()), await benchFirstSearch()];
}

/** One library of 50,000 assets: mixed queries compared with MiniSearch, facets, and completion. */
async function benchLarge(): Promise<BenchmarkRow[]> {
  const assets = generateAssets(ASSETS);
  const library = new LibrariesInMemory([assets]);
  const found = await beside(assets, 'search by relevance', 5, [
    (q) => library.search({ q, limit: HITS }),
    (q) => library.search({ q, limit: HITS, facets: true }),
  ]);
  const [ours = [], counted = []] = found.times;
  const [completed = []] = await measureInterleaved(QUERIES.flatMap(beginningsOf), [
    (q) => library.complete(q),
  ]);
  const facets = counted.map((time, at) => time - (ours[at] ?? 0));
  return [
    ...found.rows,
    limitRow('the same with facets, p99 of what they add', quantile(facets, 0.99), 5, 'ms', 2),
    limitRow(`completion as typed over ${many} assets, p99`, quantile(completed, 0.99), 2, 'ms', 2),
  ];
}

/** Searches one library of 50,000 assets in the specified order, by keyword. */
export async function benchSearch(): Promise<BenchmarkRow[]> {
  const assets = generateAssets(ASSETS);
  return (await beside(assets, 'keyword search', 3, [keywordSearch(assets, HITS)])).rows;
}

/** Compares the first of several ways to search with MiniSearch, configured as it suggests for search as you type. */
async function beside(
  assets: readonly ManifestAsset[],
  work: string,
  least: number,
  ways: readonly ((query: string) => unknown)[],
) {
  const index = new MiniSearch<Record<string, string>>({
    idField: 'number',
    fields: ['title', 'tags', 'id', 'description'],
    searchOptions: { prefix: true, fuzzy: 0.2, boost: { title: 3, tags: 2, id: 2 } },
  });
  for (const [number, { id, title = '', tags = [], description = '' }] of assets.entries())
    index.add({ number: String(number), id, title, tags: tags.join(' '), description });
  const peer = (query: string) =>
    index
      .search(query)
      .slice(0, HITS)
      .map(({ id }) => ({ ...assets[id] }));
  const times = await measureInterleaved(QUERIES, [...ways, peer]);
  const [ours = [], theirs = []] = [times[0], times.at(-1)];
  const rows = [0.5, 0.99].map((share) => {
    const [own, other] = [quantile(ours, share), quantile(theirs, share)];
    const row = {
      work: `${work}, ${many} assets, ${HITS} hits, p${100 * share}`,
      bindery: milliseconds(own),
    };
    const peer = `MiniSearch, fuzzy and prefix ${milliseconds(other)}`;
    return ratioRow({ ...row, peer }, other / own, { least, unit: '× faster', digits: 1 });
  });
  return { times, rows };
}

/** Milliseconds per method and text, in turn: the best of several rounds, to reduce the effect of other load. */
async function measureInterleaved(
  texts: readonly string[],
  ways: readonly ((text: string) => unknown)[],
): Promise<number[][]> {
  const times = ways.map(() => texts.map(() => Number.POSITIVE_INFINITY));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, text] of texts.entries()) {
      for (const [n, way] of ways.entries()) {
        const own = times[n] as number[];
        own[at] = Math.min(own[at] as number, await timed(() => way(text)));
      }
    }
  }
  return times;
}

/** The contents of a search field while the last word is typed: prefixes of increasing length. */
function beginningsOf(query: string): string[] {
  const last = query.lastIndexOf(' ') + 1;
  return [1, 2, 3, 5]
    .filter((length) => last + length <= query.length)
    .map((length) => query.slice(0, last + length));
}

/** Uses a data folder with one public library of the assets. */
function withLibrary<Result>(assets: readonly ManifestAsset[], use: (dataDir: string) => Promise<Result>) {
  return withFolder(async (dataDir) => {
    const manifest = Buffer.from(JSON.stringify({ schema: MANIFEST_SCHEMA, assets }));
    const library = { name: 'large', manifest, visibility: 'public' } as const;
    await seedDataFolder(dataDir, (seeding) => seedLibrary(seeding, library));
    return use(dataDir);
  });
}

/** The first search after starting a service with one library of 50,000 assets: median milliseconds. */
function benchFirstSearch(): Promise<BenchmarkRow> {
  return withLibrary(generateAssets(ASSETS), async (dataDir) => {
    const firstSearch = ({ url }: { url: string }) =>
      timed(async () => {
        const answer = await fetch(`${url}/search?q=blue+gripper&facets=true`);
        await answer.arrayBuffer();
        if (!answer.ok) throw new Error(`The search answered ${answer.status}.`);
      });
    const times = await repeated(5, () => withService(dataDir, { BINDERY_ENCODER: 'off' }, firstSearch));
    return limitRow(`the first search after the start, ${many} assets`, median(times), 1_000, 'ms');
  });
}

const SIMILAR_QUERIES = 200;

/** What is similar to an asset, to a model and to a picture, each one request, over one library of 50,000 assets. */
export function benchSimilar(): Promise<BenchmarkRow[]> {
  const assets = generateAssets(ASSETS, { described: false }).map((asset, at) => ({
    ...asset,
    meta: { statistics: { descriptor: `${DESCRIPTOR_VERSION}:${base64(generateDescriptor(at))}` } },
  }));
  const pathOfSimilar = (at: number) => `${pathOf('large')}/assets/${assets[at]?.id}/similar`;
  const { shape } = DESCRIPTOR_PARTS.model;
  const pictureOf = (at: number) => generateDescriptor(at).subarray(shape, shape + DESCRIPTOR_BYTES.picture);
  const ways: Record<string, (at: number) => [path: string, body?: object]> = {
    'an asset': (at) => [pathOfSimilar(at)],
    'a model': (at) => ['/search/similar', { model: base64(generateDescriptor(at)) }],
    'a picture': (at) => ['/search/similar', { picture: base64(pictureOf(at)) }],
    'an asset, with filters': (at) => [`${pathOfSimilar(at)}?bytes=0..`],
  };
  return withLibrary(assets, (dataDir) =>
    withService(dataDir, { BINDERY_ENCODER: 'off' }, async ({ url }) => {
      const ask = async (path: string, body?: object) => {
        const headers = { 'content-type': 'application/json' };
        const sent = body && JSON.stringify({ version: DESCRIPTOR_VERSION, ...body });
        const answer = await fetch(`${url}${path}`, sent ? { method: 'POST', headers, body: sent } : {});
        const { total } = (await answer.json()) as { total: number };
        if (!answer.ok || total === 0) throw new Error(`${path} answered ${answer.status}, ${total} hits.`);
      };
      const rows: BenchmarkRow[] = [];
      for (const [what, requestOf] of Object.entries(ways)) {
        const times = await repeated(20 + SIMILAR_QUERIES, (at) =>
          timed(() => ask(...requestOf((at * 97) % ASSETS))),
        );
        const p95 = quantile(times.slice(20), 0.95);
        rows.push(limitRow(`similar to ${what}, ${many} assets, p95`, p95, 20, 'ms', 1));
      }
      return rows;
    }),
  );
}

/** Descriptors of a few hundred kinds of things, each a little different. */
function generateDescriptor(number: number): Uint8Array {
  const kind = number % 300;
  let state = number + 1;
  return Uint8Array.from({ length: DESCRIPTOR_BYTES.model }, (_, at) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 20 + (((at + 1) * (kind + 7)) % 41) + Math.floor((state / 2 ** 32) * 6);
  });
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
