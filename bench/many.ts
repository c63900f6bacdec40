import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { forEachBounded } from '@bindery/concurrency';
import { MANIFEST_PATH, MANIFEST_SCHEMA } from '@bindery/contract';
import { Client, CONTENT, OWNER, seedDataFolder, seedLibrary } from '@bindery/server/testing';
import { generateAssets, generateQueries } from '../test/generated-texts.ts';
import { type Answer, ask, askAll, type Service, served, untilIdle, WAITS } from './answers.ts';
import { peakMebibytes, processorMeter, withFolder } from './processes.ts';
import { type BenchmarkRow, median, quantile, ratioRow, scaled, table } from './results.ts';

/** Libraries and assets in each. Sizes with as many assets share a data folder that grows. */
const SIZES = ['20x50000', '100x5000', '135x5000', '200x5000', '300x5000', '10000x100'];
const FILES = 5;
const QUERIES = generateQueries(20);
const ROUNDS = 3;

interface Size {
  libraries: number;
  assets: number;
}

/** What was measured with libraries of one size. */
interface Measurement {
  work: string;
  /** In the unit; times are processor time unless said otherwise. */
  value: number;
  unit?: string;
  limit?: number | undefined;
  /** A value that is less noisy, whose growth is shown. */
  typical?: number;
  shown?: string;
  beside?: string;
  /** Whether a request was not answered, or only in part. */
  failed?: boolean;
}

type Measured = Size & { measurements: Measurement[] };

/**
 * Search over everything, completion, the list of libraries and a register, with many libraries, in processor time of a
 * service in a separate process; with `BINDERY_SEARCH`, through that search engine. Takes an hour, and 12 GB of disk; single
 * sizes take less.
 */
export async function benchMany(chosen: string[]): Promise<BenchmarkRow[]> {
  const sizes = (chosen.length > 0 ? chosen : SIZES).map((size) => {
    const [libraries = 0, assets = 0] = size.split('x').map(Number);
    return { libraries: scaled(libraries), assets };
  });
  const rows: BenchmarkRow[] = [];
  const all: Measured[] = [];
  for (const family of Map.groupBy(sizes, ({ assets }) => assets).values()) {
    await withFolder(async (dataDir) => {
      let before: Measured | undefined;
      for (const size of family.toSorted((a, b) => a.libraries - b.libraries)) {
        const token = await seed(dataDir, before?.libraries ?? 0, size);
        const measured = { ...size, measurements: await measure(dataDir, token, size) };
        rows.push(...rowsOf(measured, before));
        all.push(measured);
        before = measured;
        process.stderr.write(`${table(rows)}\n`);
      }
    });
  }
  return [...rows, ...comparisons(all)];
}

/** Adds libraries of different ordinary texts until there are as many. */
function seed(dataDir: string, from: number, { libraries, assets }: Size): Promise<string> {
  process.stderr.write(`${libraries} × ${assets}: making libraries …\n`);
  return seedDataFolder(dataDir, async (seeding) => {
    const numbers = Array.from({ length: libraries - from }, (_, at) => from + at);
    // One worker of the service builds the index of one while the next is generated here.
    await forEachBounded(numbers, { concurrency: 4 }, async (number) => {
      const generated = generateAssets(assets, { seed: 1_000 + number, files: FILES });
      const manifest = Buffer.from(JSON.stringify({ schema: MANIFEST_SCHEMA, assets: generated }));
      await seedLibrary(seeding, { name: `library-${number}`, manifest, visibility: 'public' });
    });
    return seeding.token;
  });
}

async function measure(dataDir: string, token: string, size: Size): Promise<Measurement[]> {
  const searches = QUERIES.map(searchOf);
  const withFacets = searches.map((path) => `${path}&facets=true`);
  const measured = await served(dataDir, token, async (service) => {
    const used = processorMeter(service.pid);
    await untilIdle(service);
    const prepared = used();
    await askAll(service, searches, 1);
    // What searches have the service prepare begins within some seconds.
    await delay(3_000);
    await untilIdle(service);
    return [
      summary('search over everything', await askAll(service, searches, ROUNDS), 150),
      summary('the same with facets', await askAll(service, withFacets, 1)),
      summary('completion', await askAll(service, QUERIES.slice(0, 10).flatMap(keystrokes), 2), 10),
      ...(await measurePages(service)),
      { work: 'after the first start, until idle', value: prepared },
      { work: 'memory, peak', value: peakMebibytes(service.pid), limit: 2_048, unit: 'MiB' },
      ...(await measureRegister(service, size)),
    ];
  });
  const first = await served(dataDir, token, (service) => ask(service, searches[0] ?? ''));
  return [...measured, summary('first search after a start', [first], 3_000)];
}

function summary(work: string, answers: readonly Answer[], limit?: number): Measurement {
  const processor = answers.map((answer) => answer.processor);
  const wall = answers.map((answer) => answer.wall);
  const [typical, value] = [median(processor), quantile(processor, 0.95)];
  const failed = answers.filter(({ end }) => end !== 'whole');
  const ends = [...Map.groupBy(failed, ({ end }) => end)].map(([end, { length }]) => `${length} ${end}`);
  return {
    ...{ work, value, typical, limit, failed: failed.length > 0 },
    shown: `p50 ${ms(typical)}, p95 ${ms(value)}`,
    beside: `wall ${ms(median(wall))}, ${ms(quantile(wall, 0.95))}; ${answers.length} asked, ${ends.join(', ') || 'all whole'}`,
  };
}

const searchOf = (q: string) => `/search?q=${encodeURIComponent(q)}`;

/** What is in a search field after each keystroke of a query. */
function keystrokes(query: string): string[] {
  const texts = Array.from(query, (_, at) => query.slice(0, at + 1)).filter((text) => !text.endsWith(' '));
  return texts.map((text) => `/search/complete?q=${encodeURIComponent(text)}`);
}

/** The first and the last page of the libraries of a namespace; the same request while that list has no pages. */
async function measurePages(service: Service): Promise<Measurement[]> {
  const list = `/namespaces/${OWNER}/libraries`;
  const paged = await ask(service, `${list}?limit=100`);
  const first = paged.end === 'refused' ? list : `${list}?limit=100`;
  let last = first;
  for (let { body } = paged; body.pageInfo?.hasNextPage; ) {
    last = `${first}&after=${encodeURIComponent(body.pageInfo.endCursor ?? '')}`;
    ({ body } = await ask(service, last));
  }
  return [
    summary('first page of libraries', await askAll(service, [first], 5), 20),
    summary('last page of libraries', await askAll(service, [last], 5), 20),
  ];
}

/** The time until a search over everything finds a new library, and what such a register costs without a search. */
async function measureRegister(service: Service, { libraries }: Size): Promise<Measurement[]> {
  const client = new Client(service.url, service.token);
  const register = async (name: string) => {
    const files = [{ path: 'model.stl', size: CONTENT.length, sha256: hash('sha256', CONTENT) }];
    const assets = [{ id: name, title: `${name} lighthouse`, files }];
    const manifest = Buffer.from(JSON.stringify({ schema: MANIFEST_SCHEMA, assets }));
    const model = { path: 'model.stl', content: CONTENT };
    await client.upload(name, [model, { path: MANIFEST_PATH, content: manifest }]);
    await client.register(name, { manifestSha256: hash('sha256', manifest), visibility: 'public' });
  };
  const found = `found-${libraries}`;
  await register(found);
  const begin = performance.now();
  const passed = () => performance.now() - begin;
  const isFound = async () => {
    const { body } = await ask(service, searchOf(`${found} lighthouse`));
    return body.hits?.some(({ library }) => library === found) ?? false;
  };
  while (!(await isFound()) && passed() < WAITS.all) await delay(10);
  const [value, failed] = [passed(), passed() > WAITS.all];
  const used = processorMeter(service.pid);
  await register(`idle-${libraries}`);
  await untilIdle(service);
  return [
    { work: 'wall from a register of one asset until it is found', value, limit: 1_000, failed },
    { work: 'a register of one asset, until idle', value: used() },
  ];
}

const ms = (value: number) => `${value.toFixed(value < 100 ? 1 : 0)} ms`;
const nameOf = ({ libraries, assets }: Size) =>
  `${libraries.toLocaleString('en')} × ${assets.toLocaleString('en')}`;
const typicalOf = (measurement?: Measurement) => measurement?.typical ?? measurement?.value ?? Number.NaN;

/** Their ratios are the exponents by which measurements grow with the libraries of the size before. */
function rowsOf(size: Measured, before?: Measured): BenchmarkRow[] {
  return size.measurements.map((measurement) => {
    const { work, value, limit, unit = 'ms', shown, beside = '', failed } = measurement;
    const smaller = before?.measurements.find((each) => each.work === work);
    const growth = Math.log(typicalOf(measurement) / typicalOf(smaller));
    const exponent = growth / Math.log(size.libraries / (before?.libraries ?? 1));
    return {
      work: `${nameOf(size)}: ${work}`,
      bindery: shown ?? `${value.toFixed(0)} ${unit}`,
      peer: beside,
      ratio: Number.isFinite(exponent) ? `exponent ${exponent.toFixed(2)} from ${before?.libraries}` : '',
      target: limit === undefined ? '' : `${limit} ${unit}`,
      met: limit === undefined ? null : value <= limit && !failed,
    };
  });
}

/** Searches of as many assets in more libraries. */
function comparisons(sizes: readonly Measured[]): BenchmarkRow[] {
  const sameTotal = Map.groupBy(sizes, ({ libraries, assets }) => libraries * assets).values();
  return [...sameTotal].flatMap((same) => {
    const [few, ...others] = same.toSorted((a, b) => a.libraries - b.libraries);
    const least = typicalOf(few?.measurements[0]);
    return others.map((many) => {
      const own = typicalOf(many.measurements[0]);
      const work = `${nameOf(many)}: search over everything, p50, beside as many assets in fewer`;
      const row = { work, bindery: ms(own), peer: `${nameOf(few ?? many)} ${ms(least)}` };
      return ratioRow(row, own / least, { most: 1.5, unit: '× its time' });
    });
  });
}
