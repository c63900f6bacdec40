import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { startChromium } from '../packages/dashboard/test/viewer/host.ts';
import { dashboardRow } from './dashboard-row.ts';
import { openedAssets } from './dashboard-world.ts';
import type { BenchmarkRow } from './results-table.ts';
import { waitForViewer } from './wait-for-viewer.ts';

const LOOKED_AT = 50;
const LIST = '/app/bench/opened';
const SAMPLE_MS = 200;
/** Browsers release memory with a delay. */
const SETTLING_MS = 10_000;

/**
 * Memory of the browser's renderers (their share of what processes share counted once) while a user opens fifty assets
 * in a row, and after returning to the list. No rows without `/proc` or without assets to open.
 */
export async function benchMemory(url: string): Promise<BenchmarkRow[]> {
  const ids = openedAssets().map(({ id }) => id);
  if (ids.length === 0 || process.platform !== 'linux') return [];
  const browser = await startChromium();
  try {
    const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.goto(LIST);
    await page.locator('main article').first().waitFor();
    const before = rendererMegabytes();
    const peak = await peakWhile(() => lookAt(page, ids));
    const after = await settled();
    return [
      dashboardRow(`renderer memory, at most while ${LOOKED_AT} assets are looked at`, peak, 700, 'MB', {
        prototype: '524 MB',
      }),
      dashboardRow(`renderer memory, back at the list after ${LOOKED_AT} assets`, after, 350, 'MB', {
        prototype: '269 MB',
        note: `${before.toFixed(0)} MB before`,
      }),
    ];
  } finally {
    await browser.close();
  }
}

/** Navigates as a user does: from the list to an asset, and back. */
async function lookAt(page: Page, ids: readonly string[]): Promise<void> {
  for (let looked = 0; looked < LOOKED_AT; looked++) {
    const id = ids[looked % ids.length];
    await page.evaluate(
      `history.pushState(null, '', ${JSON.stringify(`${LIST}/${id}`)}); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await waitForViewer(page);
    await page.goBack();
    await page.locator('main article').first().waitFor();
  }
}

async function peakWhile(work: () => Promise<void>): Promise<number> {
  let peak = 0;
  let isOver = false;
  const watch = async () => {
    while (!isOver) {
      peak = Math.max(peak, rendererMegabytes());
      await sleep(SAMPLE_MS);
    }
  };
  const watching = watch();
  try {
    await work();
  } finally {
    isOver = true;
    await watching;
  }
  return peak;
}

/** Returns the minimum in use during some seconds. */
async function settled(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (const end = performance.now() + SETTLING_MS; performance.now() < end; await sleep(SAMPLE_MS))
    least = Math.min(least, rendererMegabytes());
  return least;
}

function rendererMegabytes(): number {
  const renderers = descendantsOf(process.pid).filter((pid) =>
    contentOf(pid, 'cmdline').includes('--type=renderer'),
  );
  const kibibytes = renderers.map((pid) =>
    Number(/^Pss:\s+(\d+)/m.exec(contentOf(pid, 'smaps_rollup'))?.[1] ?? 0),
  );
  return (kibibytes.reduce((sum, one) => sum + one, 0) * 1_024) / 1e6;
}

function descendantsOf(ancestor: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) && /^PPid:\s+(\d+)/m.exec(contentOf(Number(name), 'status'))?.[1];
    if (parent) parents.set(Number(name), Number(parent));
  }
  const descends = (pid: number | undefined): boolean =>
    pid !== undefined && (parents.get(pid) === ancestor || descends(parents.get(pid)));
  return [...parents.keys()].filter(descends);
}

/** Empty if the process has exited. */
function contentOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
