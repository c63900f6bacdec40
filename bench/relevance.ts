import { DESCRIPTOR_BYTES, DESCRIPTOR_PARTS, DESCRIPTOR_VERSION, MANIFEST_SCHEMA } from '@bindery/contract';
import { LibrariesInMemory, OWNER, seedDataFolder, seedLibrary } from '@bindery/server/testing';
import { generateAssets, generateQueries } from '../test/generated-texts.ts';
import { miniSearch } from './mini-search.ts';
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
import { serve } from './world.ts';

const ASSETS = scaled(50_000);
const QUERIES = 200;
const HITS = 50;
const ROUNDS = 3;
/** Many libraries, compared with the same assets in one. */
const MANY = { libraries: scaled(500), assets: 1_000 };

const many = ASSETS.toLocaleString('en');
const milliseconds = (value: number) => `${value.toFixed(2)} ms`;

/** Search by relevance: in this process, and the first search of a service in a separate process. */
export async function benchRelevance(): Promise<BenchmarkRow[]> {
  return [...(await benchLarge()), await benchMany(), await benchFirstSearch()];
}

/** One library of 50,000 assets: mixed queries compared with MiniSearch, facets, and completion. */
async function benchLarge(): Promise<BenchmarkRow[]> {
  const assets = generateAssets(ASSETS);
  const queries = generateQueries(QUERIES);
  const library = new LibrariesInMemory([assets]);
  const peer = miniSearch(assets);

  const [ours = [], counted = [], theirs = []] = await measureInterleaved(queries, [
    (q) => library.search({ q, limit: HITS }),
    (q) => library.search({ q, limit: HITS, facets: true }),
    (q) => peer(q).slice(0, HITS),
  ]);
  const [completed = []] = await measureInterleaved(queries.flatMap(beginningsOf), [
    (q) => library.complete(q),
  ]);
  const facets = counted.map((time, at) => time - (ours[at] ?? 0));
  return [
    ...[0.5, 0.99].map((share): BenchmarkRow => {
      const [own, other] = [quantile(ours, share), quantile(theirs, share)];
      const work = `search by relevance, ${many} assets, ${HITS} hits, p${100 * share}`;
      const peer = `MiniSearch, fuzzy and prefix ${milliseconds(other)}`;
      const limit = { least: 5, unit: '× faster', digits: 1 };
      return ratioRow({ work, bindery: milliseconds(own), peer }, other / own, limit);
    }),
    limitRow('the same with facets, p99 of what they add', quantile(facets, 0.99), 5, 'ms', 2),
    limitRow(`completion as typed over ${many} assets, p99`, quantile(completed, 0.99), 2, 'ms', 2),
  ];
}

async function benchMany(): Promise<BenchmarkRow> {
  const assets = generateAssets(MANY.libraries * MANY.assets, { described: false });
  const context = Array.from({ length: MANY.libraries }, (_, at) =>
    assets.slice(at * MANY.assets, (at + 1) * MANY.assets),
  );
  const [apart, together] = [new LibrariesInMemory(context), new LibrariesInMemory([assets])];
  const times = await measureInterleaved(generateQueries(QUERIES / 4), [
    (q) => apart.search({ q, limit: HITS }),
    (q) => together.search({ q, limit: HITS }),
  ]);
  const [own = 0, other = 0] = times.map((each) => each.reduce((sum, time) => sum + time, 0) / each.length);
  const size = `${MANY.libraries} libraries of ${MANY.assets.toLocaleString('en')} assets`;
  const work = `search by relevance, ${size}, mean`;
  const peer = `the same in one library ${milliseconds(other)}`;
  const limit = { most: 2, unit: '× its time' };
  return ratioRow({ work, bindery: milliseconds(own), peer }, own / other, limit);
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

/** The first search after starting a service with one library of 50,000 assets: median milliseconds. */
function benchFirstSearch(): Promise<BenchmarkRow> {
  return withFolder(async (dataDir) => {
    const manifest = Buffer.from(JSON.stringify({ schema: MANIFEST_SCHEMA, assets: generateAssets(ASSETS) }));
    const library = { name: 'large', manifest, visibility: 'public' } as const;
    await seedDataFolder(dataDir, (seeding) => seedLibrary(seeding, library));
    const times = await repeated(5, async () => {
      const service = await serve(dataDir, { BINDERY_ENCODER: 'off' });
      try {
        return await timed(async () => {
          const answer = await fetch(`${service.url}/search?q=blue+gripper&facets=true`);
          await answer.arrayBuffer();
          if (!answer.ok) throw new Error(`The search answered ${answer.status}.`);
        });
      } finally {
        await service.end();
      }
    });
    return limitRow(`the first search after the start, ${many} assets`, median(times), 1_000, 'ms');
  });
}

const SIMILAR_QUERIES = 200;

/** What is similar to an asset, to a model and to a picture, each one request, over one library of 50,000 assets. */
export function benchSimilar(): Promise<BenchmarkRow[]> {
  return withFolder(async (dataDir) => {
    const assets = generateAssets(ASSETS, { described: false }).map((asset, at) => ({
      ...asset,
      meta: { statistics: { descriptor: `${DESCRIPTOR_VERSION}:${base64(generateDescriptor(at))}` } },
    }));
    const manifest = Buffer.from(JSON.stringify({ schema: MANIFEST_SCHEMA, assets }));
    await seedDataFolder(dataDir, (seeding) =>
      seedLibrary(seeding, { name: 'large', manifest, visibility: 'public' }),
    );
    const service = await serve(dataDir, { BINDERY_ENCODER: 'off' });
    const ask = (path: string, body?: object) =>
      timed(async () => {
        const answer = await fetch(`${service.url}${path}`, {
          ...(body && {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ version: DESCRIPTOR_VERSION, ...body }),
          }),
        });
        const { total } = (await answer.json()) as { total: number };
        if (!answer.ok || total === 0) throw new Error(`${path} answered ${answer.status}, ${total} hits.`);
      });
    const { shape } = DESCRIPTOR_PARTS.model;
    const ways: [string, (at: number) => Promise<number>][] = [
      ['an asset', (at) => ask(`/namespaces/${OWNER}/libraries/large/assets/${assets[at]?.id}/similar`)],
      ['a model', (at) => ask('/search/similar', { model: base64(generateDescriptor(at)) })],
      [
        'a picture',
        (at) => {
          const picture = generateDescriptor(at).subarray(shape, shape + DESCRIPTOR_BYTES.picture);
          return ask('/search/similar', { picture: base64(picture) });
        },
      ],
      [
        'an asset, with filters',
        (at) => ask(`/namespaces/${OWNER}/libraries/large/assets/${assets[at]?.id}/similar?bytes=0..`),
      ],
    ];
    try {
      const rows: BenchmarkRow[] = [];
      for (const [what, way] of ways) {
        const times: number[] = [];
        for (let at = -20; at < SIMILAR_QUERIES; at++) {
          const time = await way((Math.abs(at) * 97) % ASSETS);
          if (at >= 0) times.push(time);
        }
        rows.push(limitRow(`similar to ${what}, ${many} assets, p95`, quantile(times, 0.95), 20, 'ms', 1));
      }
      return rows;
    } finally {
      await service.end();
    }
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
