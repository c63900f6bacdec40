import type { ManifestAsset } from '@bindery/contract';
import MiniSearch from 'minisearch';
import type { RelevanceRequest } from '../packages/server/src/search/relevance/search-by-relevance.ts';
import { benchFirstSearch } from './relevance/first-search.ts';
import { LibraryWorld } from './relevance/world.ts';
import { type BenchmarkRow, table } from './results-table.ts';
import { generateAssets, generateQueries } from './search-corpus.ts';

const ASSETS = 50_000;
const QUERIES = 200;
const HITS = 50;
const ROUNDS = 3;

/** Many libraries, compared with the same assets in one. */
const MANY = { libraries: 500, assets: 1_000 };

const [PEER_TARGET, FACETS_TARGET, COMPLETION_TARGET, MANY_TARGET] = [5, 5, 2, 2];

/** Search by relevance: in this process, and the first search of a service in a separate process. */
export async function benchRelevance(): Promise<BenchmarkRow[]> {
  return [...(await benchLarge()), ...(await benchMany()), ...(await benchFirstSearch())];
}

/** One library of 50,000 assets: mixed queries compared with MiniSearch, facets, and completion. */
async function benchLarge(): Promise<BenchmarkRow[]> {
  const assets = generateAssets(ASSETS);
  const queries = generateQueries(QUERIES);
  const world = new LibraryWorld([assets]);
  const peer = miniSearch(assets);
  const search = (more: Partial<RelevanceRequest>) => (q: string) =>
    world.search({ q, limit: HITS, ...more });
  const [ours, counted, theirs] = await measureInterleaved(queries, [
    search({}),
    search({ facets: true }),
    peer,
  ]);
  const beginnings = queries.flatMap((query) => beginningsOf(query));
  const [completed] = await measureInterleaved(beginnings, [(q) => world.complete(q)]);
  if (!ours || !counted || !theirs || !completed) throw new Error('Nothing was measured.');
  const facets = difference(counted.times, ours.times);
  return [
    ...(['p50', 'p99'] as const).map((percentile): BenchmarkRow => {
      const ratio = theirs[percentile] / ours[percentile];
      return {
        work: `search by relevance, 50,000 assets, 50 hits, ${percentile}`,
        bindery: milliseconds(ours[percentile]),
        peer: `MiniSearch, fuzzy and prefix ${milliseconds(theirs[percentile])}`,
        ratio: `${ratio.toFixed(1)} × faster`,
        target: `${PEER_TARGET} × faster`,
        met: ratio >= PEER_TARGET,
      };
    }),
    absoluteRow('the same with facets, p99 of what they add', facets, FACETS_TARGET),
    absoluteRow('completion as typed over 50,000 assets, p99', completed.p99, COMPLETION_TARGET),
  ];
}

async function benchMany(): Promise<BenchmarkRow[]> {
  const assets = generateAssets(MANY.libraries * MANY.assets, { described: false });
  const queries = generateQueries(QUERIES / 4);
  const parts = Array.from({ length: MANY.libraries }, (_, at) =>
    assets.slice(at * MANY.assets, (at + 1) * MANY.assets),
  );
  const [many, one] = [new LibraryWorld(parts), new LibraryWorld([assets])];
  const [apart, together] = await measureInterleaved(queries, [
    (q) => many.search({ q, limit: HITS }),
    (q) => one.search({ q, limit: HITS }),
  ]);
  if (!apart || !together) throw new Error('Nothing was measured.');
  const ratio = apart.mean / together.mean;
  return [
    {
      work: `search by relevance, ${MANY.libraries} libraries of ${MANY.assets.toLocaleString('en')} assets, mean`,
      bindery: milliseconds(apart.mean),
      peer: `the same in one library ${milliseconds(together.mean)}`,
      ratio: `${ratio.toFixed(2)} × its time`,
      target: `${MANY_TARGET} × its time`,
      met: ratio <= MANY_TARGET,
    },
  ];
}

interface Times {
  times: number[];
  mean: number;
  p50: number;
  p99: number;
}

/** Milliseconds per method and text, in turn: the best of several rounds, to reduce the effect of other load. */
async function measureInterleaved(
  texts: readonly string[],
  ways: readonly ((text: string) => unknown)[],
): Promise<Times[]> {
  const times = ways.map(() => texts.map(() => Number.POSITIVE_INFINITY));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, text] of texts.entries()) {
      for (const [n, way] of ways.entries()) {
        const own = times[n] as number[];
        const since = performance.now();
        await way(text);
        own[at] = Math.min(own[at] as number, performance.now() - since);
      }
    }
  }
  return times.map((own) => {
    const sorted = own.toSorted((a, b) => a - b);
    const at = (quantile: number) => sorted[Math.floor(quantile * (sorted.length - 1))] as number;
    return {
      times: own,
      mean: own.reduce((sum, time) => sum + time, 0) / own.length,
      p50: at(0.5),
      p99: at(0.99),
    };
  });
}

/** The 99th percentile of the differences between corresponding elements. */
function difference(longer: readonly number[], shorter: readonly number[]): number {
  const added = longer.map((time, at) => time - (shorter[at] as number)).sort((a, b) => a - b);
  return added[Math.floor(0.99 * (added.length - 1))] as number;
}

/** The contents of a search field while the last word is typed: prefixes of increasing length. */
function beginningsOf(query: string): string[] {
  const last = query.lastIndexOf(' ') + 1;
  return [1, 2, 3, 5]
    .filter((length) => last + length <= query.length)
    .map((length) => query.slice(0, last + length));
}

function miniSearch(assets: readonly ManifestAsset[]): (query: string) => unknown {
  const search = new MiniSearch<Record<string, string>>({
    fields: ['title', 'tags', 'id', 'description'],
    searchOptions: { prefix: true, fuzzy: 0.2, boost: { title: 3, tags: 2, id: 2 } },
  });
  search.addAll(
    assets.map(({ id, title = '', tags = [], description = '' }) => ({
      id,
      title,
      tags: tags.join(' '),
      description,
    })),
  );
  const byId = new Map(assets.map((asset) => [asset.id, asset]));
  return (query) =>
    search
      .search(query)
      .slice(0, HITS)
      .map(({ id, score }) => ({ ...byId.get(id), score }));
}

function absoluteRow(work: string, value: number, target: number): BenchmarkRow {
  return {
    work,
    bindery: milliseconds(value),
    peer: '',
    ratio: '',
    target: `${target} ms`,
    met: value <= target,
  };
}

function milliseconds(value: number): string {
  return `${value.toFixed(2)} ms`;
}

if (import.meta.main) console.log(table(await benchRelevance()));
