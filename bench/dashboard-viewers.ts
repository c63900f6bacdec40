import { dashboardFolder } from '../packages/dashboard/src/folder.ts';
import { startChromium, startHost, ViewerTab } from '../packages/dashboard/test/viewer/host.ts';
import { DATA, realAssets } from './real-assets.ts';
import { type BenchmarkRow, limitRow, repeated } from './results.ts';

/** The assets to open and the limit of the time to the first frame in seconds. */
const OPENED = [
  { work: 'MJCF robot', id: 'trs_so_arm100', limit: 2.5 },
  { work: 'URDF robot', id: 'jpl-t12', limit: 1.5 },
  { work: 'glTF', id: 'Suzanne', limit: 1.5 },
  { work: 'splat of 91,000', id: 'guitar', limit: 2.5 },
];

/**
 * Time from loading the frame to its first picture, drawn by Chromium's software renderer: the best of three, each with
 * an empty cache. No rows without the libraries.
 */
export async function benchViewers(): Promise<BenchmarkRow[]> {
  const assets = realAssets();
  if (assets.length === 0) return [];
  const built = await dashboardFolder();
  if (built === null) throw new Error('the dashboard cannot be built');
  const host = await startHost(built, DATA);
  await using browser = await startChromium();
  try {
    const rows: BenchmarkRow[] = [];
    for (const { work, id, limit } of OPENED) {
      const { kind, entry, files, library } = assets.find((one) => one.id === id) ?? {};
      if (!kind || !entry || !files) throw new Error(`no asset ${id}`);
      const seconds = await repeated(3, async () => {
        const tab = await ViewerTab.open(browser, host);
        const opened = await tab.openFolder({ kind, entry, files }, library ?? '');
        if (opened.status !== 'shown') throw new Error(`${id}: ${opened.reason}`);
        await tab.page.close();
        return opened.milliseconds / 1000;
      });
      rows.push(limitRow(`viewer, first frame: ${work}`, Math.min(...seconds), limit, 's', 2));
    }
    return rows;
  } finally {
    await host.close();
  }
}
