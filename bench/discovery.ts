import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuSeconds } from './cpu-seconds.ts';
import { writeTree } from './discovery/tree.ts';
import type { BenchmarkRow } from './results-table.ts';

const DISCOVER_ONCE = fileURLToPath(new URL('discovery/discover-once.ts', import.meta.url));
const ROUNDS = 3;
const [COLD_TARGET, UNCHANGED_TARGET] = [3, 0.3];

/** Discovery of 10,000 files in 500 assets, compared with reading their heads, in CPU seconds; the best of three. */
export async function benchDiscovery(): Promise<BenchmarkRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-bench-'));
  try {
    const tree = join(folder, 'tree');
    const { assets, files } = writeTree(tree);
    const heads = best(() => secondsOfHeads(tree));
    const cold = best(() => secondsOfDiscovery(tree, assets));
    const cache = join(folder, 'cache');
    secondsOfDiscovery(tree, assets, cache);
    const unchanged = best(() => secondsOfDiscovery(tree, assets, cache));
    const work = `discovery of ${files.toLocaleString('en')} files in ${assets} assets`;
    return [
      {
        work: `${work}, cold`,
        bindery: `${cold.toFixed(2)} s`,
        peer: `find -type f -exec head -c 4096 ${heads.toFixed(2)} s`,
        ratio: `${(cold / heads).toFixed(2)} × its time`,
        target: `at most ${COLD_TARGET} ×`,
        met: cold <= COLD_TARGET * heads,
      },
      {
        work: `${work}, nothing changed`,
        bindery: `${unchanged.toFixed(2)} s`,
        peer: '',
        ratio: '',
        target: `${UNCHANGED_TARGET} s`,
        met: unchanged <= UNCHANGED_TARGET,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function best(measure: () => number): number {
  return Math.min(...Array.from({ length: ROUNDS }, measure));
}

function secondsOfDiscovery(tree: string, expected: number, ...cache: string[]): number {
  const answer = execFileSync(process.execPath, [DISCOVER_ONCE, tree, ...cache], { encoding: 'utf8' });
  const { assets, processorSeconds } = JSON.parse(answer) as { assets: number; processorSeconds: number };
  if (assets !== expected) throw new Error(`Discovery found ${assets} assets, not ${expected}.`);
  return processorSeconds;
}

function secondsOfHeads(tree: string): number {
  const command = `find '${tree}' -type f -exec head -c 4096 {} \\; > /dev/null`;
  return cpuSeconds(['bash', '-c', command]).seconds;
}
