import { type BenchmarkRow, table } from './results.ts';

/** `sizes` are those of libraries and assets that were asked for, such as `100x5000`. */
type Bench = (sizes: string[]) => Promise<BenchmarkRow[]>;

/**
 * The benchmarks, selected by name or the part before the hyphen: `npm run bench -- start transfer`, and `many` by size
 * as well: `npm run bench -- many 135x5000`.
 */
const BENCHES: Record<string, () => Promise<Bench>> = {
  start: async () => (await import('./start.ts')).benchStart,
  'transfer-many': async () => (await import('./transfer.ts')).benchManyFiles,
  'transfer-large': async () => (await import('./transfer.ts')).benchLargeFile,
  'transfer-s3': async () => (await import('./transfer-s3.ts')).benchBucket,
  distant: async () => (await import('./distant.ts')).benchDistant,
  relevance: async () => (await import('./relevance.ts')).benchRelevance,
  similar: async () => (await import('./relevance.ts')).benchSimilar,
  vectors: async () => (await import('./vectors.ts')).benchVectors,
  register: async () => (await import('./register.ts')).benchRegister,
  many: async () => (await import('./many.ts')).benchMany,
  hidden: async () => (await import('./hidden.ts')).benchHidden,
  discovery: async () => (await import('./discovery.ts')).benchDiscovery,
  render: async () => (await import('./render.ts')).benchRender,
  'dashboard-pages': async () => (await import('./dashboard-pages.ts')).benchPages,
  'dashboard-viewers': async () => (await import('./dashboard-viewers.ts')).benchViewers,
};

const isSize = (word: string) => /^[1-9]\d*x[1-9]\d*$/.test(word);
const sizes = process.argv.slice(2).filter(isSize);
const chosen = process.argv.slice(2).filter((word) => !isSize(word));
const chooses = (choice: string, name: string) => name === choice || name.startsWith(`${choice}-`);
const unknown = chosen.filter((choice) => !Object.keys(BENCHES).some((name) => chooses(choice, name)));
if (unknown.length > 0) {
  const known = Object.keys(BENCHES).join(', ');
  process.stderr.write(`There is no bench ${unknown.join(', ')}; there are ${known}.\n`);
  process.exit(2);
}
const rows: BenchmarkRow[] = [];
for (const [name, load] of Object.entries(BENCHES)) {
  if (chosen.length > 0 && !chosen.some((choice) => chooses(choice, name))) continue;
  process.stderr.write(`${name} …\n`);
  const own = await (await load())(sizes);
  process.stdout.write(`${table(own)}\n`);
  rows.push(...own);
}
process.exitCode = rows.some(({ met }) => met === false) ? 1 : 0;
