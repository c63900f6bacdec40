import { DESCRIPTOR_BYTES, DESCRIPTOR_PARTS, DESCRIPTOR_VERSION, MANIFEST_SCHEMA } from '@bindery/contract';
import { LibrariesInMemory, pathOf, seedDataFolder, seedLibrary } from '@bindery/server/testing';
import MiniSearch from 'minisearch';
import { generateAssets, generateQueries } from '../test/generated-texts.ts';
import { withFolder } from './processes.ts';
import { type BenchmarkRow, limitRow, quantile, ratioRow, repeated, scaled, timed } from './results.ts';
import { withService } from './world.ts';

const ASSETS = scaled(50_000);
const QUERIES = generateQueries(200);
const HITS = 50;
const ROUNDS = 3;

const many = ASSETS.toLocaleString('en');

/** Search by relevance of one library of 50,000 assets, compared with MiniSearch, configured as it suggests for search as you type. */
export async function benchRelevance(): Promise<BenchmarkRow[]> {
  const assets = generateAssets(ASSETS);
  const library = new LibrariesInMemory([assets]);
  const index = new MiniSearch<Record<string, string>>({
    idField: 'number',
    fields: ['title', 'tags', 'id', 'description'],
    searchOptions: { prefix: true, fuzzy: 0.2, boost: { title: 3, tags: 2, id: 2 } },
  });
  for (const [number, { id, title = '', tags = [], description = '' }] of assets.entries())
    index.add({ number: String(number), id, title, tags: tags.join(' '), description });
  const [ours = [], counted = [], theirs = []] = await measureInterleaved(QUERIES, [
    (q) => library.search({ q, limit: HITS }),
    (q) => library.search({ q, limit: HITS, facets: true }),
    (q) =>
      index
        .search(q)
        .slice(0, HITS)
        .map(({ id }) => ({ ...assets[id] })),
  ]);
  const rows = [0.5, 0.99].map((share) => {
    const [own, other] = [quantile(ours, share), quantile(theirs, share)];
    const work = `search by relevance, ${many} assets, ${HITS} hits, p${100 * share}`;
    const peer = `MiniSearch, fuzzy and prefix ${other.toFixed(2)} ms`;
    const row = { work, bindery: `${own.toFixed(2)} ms`, peer };
    return ratioRow(row, other / own, { least: 5, unit: '× faster', digits: 1 });
  });
  const facets = counted.map((time, at) => time - (ours[at] ?? 0));
  return [
    ...rows,
    limitRow('the same with facets, p99 of what they add', quantile(facets, 0.99), 5, 'ms', 2),
  ];
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
  return withFolder(async (dataDir) => {
    const manifest = Buffer.from(JSON.stringify({ schema: MANIFEST_SCHEMA, assets }));
    const library = { name: 'large', manifest, visibility: 'public' } as const;
    await seedDataFolder(dataDir, (seeding) => seedLibrary(seeding, library));
    return withService(dataDir, { BINDERY_ENCODER: 'off' }, async ({ url }) => {
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
    });
  });
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
