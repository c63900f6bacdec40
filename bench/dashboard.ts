import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { dashboardFolder } from '../packages/dashboard/src/folder.ts';
import { startChromium, startHost, ViewerTab } from '../packages/dashboard/test/viewer/host.ts';
import type { BenchmarkRow } from './results-table.ts';

const DATA = fileURLToPath(new URL('../../shared/data/', import.meta.url));
const ROUNDS = 3;

/** The assets to open, the limit of the time to the first frame in seconds, and the time of the prototype. */
const OPENED = [
  { work: 'MJCF robot', id: 'trs_so_arm100', target: 2.5, prototype: '1.2–1.6 s' },
  { work: 'URDF robot', id: 'jpl-t12', target: 1.5, prototype: '0.6–0.75 s' },
  { work: 'glTF', id: 'Suzanne', target: 1.5, prototype: '0.55–0.75 s' },
  { work: 'splat of 91,000', id: 'guitar', target: 2.5, prototype: '1.1–1.5 s' },
] as const;

interface DescribedAsset {
  id: string;
  library: string;
  kind: string;
  entry: string;
  files: { path: string; size: number }[];
}

/**
 * Time from loading the frame to its first picture, drawn by Chromium's software renderer: the best of three, each with
 * an empty cache. No rows without the libraries.
 */
export async function benchViewers(): Promise<BenchmarkRow[]> {
  if (!existsSync(DATA)) {
    process.stderr.write(`There is no ${DATA}: nothing to open.\n`);
    return [];
  }
  const built = await dashboardFolder();
  if (built === null) throw new Error('the dashboard cannot be built');
  const { assets } = JSON.parse(await readFile(`${DATA}assets.json`, 'utf8')) as { assets: DescribedAsset[] };
  const host = await startHost(built, DATA);
  const browser = await startChromium();
  try {
    const rows: BenchmarkRow[] = [];
    for (const { work, id, target, prototype } of OPENED) {
      const asset = assets.find((one) => one.id === id);
      if (asset === undefined) throw new Error(`no asset ${id}`);
      const files = asset.files.map(({ path, size }) => ({ path, size }));
      const seconds: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const tab = await ViewerTab.open(browser, host);
        const opened = await tab.openFolder({ kind: asset.kind, entry: asset.entry, files }, asset.library);
        if (opened.status !== 'shown') throw new Error(`${id}: ${opened.reason}`);
        seconds.push(opened.milliseconds / 1000);
        await tab.page.close();
      }
      const best = Math.min(...seconds);
      rows.push({
        work: `viewer, first frame: ${work}`,
        bindery: `${best.toFixed(2)} s`,
        peer: `prototype ${prototype}`,
        ratio: '',
        target: `at most ${target} s`,
        met: best <= target,
      });
    }
    return rows;
  } finally {
    await browser.close();
    await host.close();
  }
}
