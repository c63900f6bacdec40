import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { writeDescribedRobots } from '../test/generated-files.ts';
import { cpuSeconds, withFolder } from './processes.ts';
import { type BenchmarkRow, limitRow, ratioRow, scaled } from './results.ts';

const ASSETS = scaled(500);
const ROUNDS = 3;

/** Discovery of 10,000 files in 500 assets, compared with reading their heads, in CPU seconds; the best of three. */
export function benchDiscovery(): Promise<BenchmarkRow[]> {
  return withFolder(async (folder) => {
    const [tree, cache] = [join(folder, 'tree'), join(folder, 'cache')];
    const files = writeDescribedRobots(tree, ASSETS);
    const best = (measure: () => number) => Math.min(...Array.from({ length: ROUNDS }, measure));
    const command = `find '${tree}' -type f -exec head -c 4096 {} \\; > /dev/null`;
    const heads = best(() => cpuSeconds(['bash', '-c', command]).seconds);
    const cold = best(() => discoveryOf(tree));
    discoveryOf(tree, cache);
    const unchanged = best(() => discoveryOf(tree, cache));
    const peer = `find -type f -exec head -c 4096 ${heads.toFixed(2)} s`;
    const limit = { most: 3, unit: '× its time' };
    const work = `discovery of ${files.toLocaleString('en')} files in ${ASSETS} assets`;
    return [
      ratioRow({ work: `${work}, cold`, bindery: `${cold.toFixed(2)} s`, peer }, cold / heads, limit),
      limitRow(`${work}, nothing changed`, unchanged, 0.3, 's', 2),
    ];
  });
}

/** CPU seconds of a discovery in a separate process. */
function discoveryOf(tree: string, ...cache: string[]): number {
  const words = [import.meta.filename, tree, ...cache];
  const [assets, seconds] = JSON.parse(
    execFileSync(process.execPath, words, { encoding: 'utf8' }),
  ) as number[];
  if (assets !== ASSETS) throw new Error(`Discovery found ${assets} assets, not ${ASSETS}.`);
  return seconds ?? Number.NaN;
}

if (import.meta.main) {
  const { discoverLibrary } = await import('../packages/sdk/src/local-discovery/discover-library.ts');
  const [folder = '', cacheFolder] = process.argv.slice(2);
  const before = process.cpuUsage();
  const { assets } = discoverLibrary(folder, { cacheFolder });
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(JSON.stringify([assets.length, (user + system) / 1e6]));
}
