import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OWNER } from '@bindery/server/testing';
import type { Browser, Page } from 'playwright-core';
import { dashboardFolder } from '../packages/dashboard/src/folder.ts';
import { startChromium } from '../packages/dashboard/test/viewer/host.ts';
import { publish } from '../packages/server/test/libraries/publish.ts';
import { startService } from '../packages/server/test/service.ts';
import { ASSETS_OF_WORD, manyAssets, WORDS } from '../test/generated-pages.ts';
import { type BenchmarkRow, limitRow, median } from './results.ts';

const ROUNDS = 5;
const LIST = `/app/${OWNER}/many`;

/**
 * The pages of the dashboard in Chromium without a GPU, with the real service in this process. Times are medians of
 * several rounds; the CPU time of the page's main thread is reported as well, because it does not depend on other load.
 */
export async function benchPages(): Promise<BenchmarkRow[]> {
  const built = await dashboardFolder();
  if (built === null) throw new Error('the dashboard cannot be built');
  // Presigned URLs stay the same while the clock is frozen.
  const service = await startService({ dashboardFolder: built, stillClock: true });
  try {
    const owner = await service.member(OWNER);
    await publish(owner, `${OWNER}/many`, { visibility: 'public', ...(await manyAssets()) });
    await using browser = await startChromium();
    const world = { url: service.url, browser };
    return [
      await listScript(world, built),
      ...(await paints(world, 'home', '/app/')),
      ...(await paints(world, 'list of 5,000 assets', LIST)),
      await keyToPainted(world),
    ];
  } finally {
    await service.close();
  }
}

interface PageWorld {
  url: string;
  browser: Browser;
}

async function withPage<Result>({ browser, url }: PageWorld, use: (page: Page) => Promise<Result>) {
  await using context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } });
  return await use(await context.newPage());
}

/** Milliseconds of wall-clock time, and of CPU time of the page's main thread. */
type ElapsedTime = Record<'clock' | 'processor', number>;

/** Medians over several rounds, each in a browser context with an empty cache. */
async function medians(
  world: PageWorld,
  measure: (page: Page, processor: () => Promise<number>) => Promise<ElapsedTime[]>,
): Promise<ElapsedTime> {
  const took: ElapsedTime[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const times = await withPage(world, async (page) => {
      const session = await page.context().newCDPSession(page);
      await session.send('Performance.enable', { timeDomain: 'threadTicks' });
      return measure(page, async () => {
        const { metrics } = await session.send('Performance.getMetrics');
        return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
      });
    });
    took.push(...times);
  }
  return {
    clock: median(took.map((time) => time.clock)),
    processor: median(took.map((time) => time.processor)),
  };
}

/** A value with an upper limit, and a note. */
function row(work: string, value: number, limit: number, unit: string, note = '', digits = 0): BenchmarkRow {
  const { bindery, ...others } = limitRow(`dashboard, ${work}`, value, limit, unit, digits);
  return { ...others, bindery: bindery + (note && ` (${note})`) };
}

async function showList(page: Page, list = LIST): Promise<void> {
  await page.goto(list);
  await page.locator('main article').first().waitFor();
}

async function listScript(world: PageWorld, built: string): Promise<BenchmarkRow> {
  const scripts = new Set<string>();
  await withPage(world, async (page) => {
    page.on('request', (request) => {
      if (request.resourceType() === 'script') scripts.add(new URL(request.url()).pathname);
    });
    await showList(page);
  });
  const sizeOf = async (path: string) => (await stat(join(built, `${path.slice('/app/'.length)}.br`))).size;
  const sizes = await Promise.all([...scripts].map(sizeOf));
  const kilobytes = sizes.reduce((sum, size) => sum + size, 0) / 1_000;
  return row('JavaScript of the list page, brotli', kilobytes, 150, 'kB');
}

// Code that runs in pages is in strings, because browser and Node types conflict.

/** When a page first shows anything and its largest part, in milliseconds, and how far it shifts. */
async function paints(world: PageWorld, name: string, path: string): Promise<BenchmarkRow[]> {
  const seen: Record<'first' | 'largest' | 'shift', number>[] = [];
  const { processor } = await medians(world, async (page, processorTime) => {
    const before = await processorTime();
    await showList(page, path);
    const processor = (await processorTime()) - before;
    await page.waitForLoadState('networkidle');
    seen.push(
      await page.evaluate(`new Promise((resolve) => {
        const entries = { paint: [], 'largest-contentful-paint': [], 'layout-shift': [] };
        for (const type of Object.keys(entries))
          new PerformanceObserver((list) => entries[type].push(...list.getEntries())).observe({ type, buffered: true });
        setTimeout(() => resolve({
          first: entries.paint.find(({ name }) => name === 'first-contentful-paint').startTime,
          largest: entries['largest-contentful-paint'].at(-1).startTime,
          shift: entries['layout-shift'].reduce((sum, { value }) => sum + value, 0),
        }), 500);
      })`),
    );
    return [{ clock: 0, processor }];
  });
  const medianOf = (key: keyof (typeof seen)[number]) => median(seen.map((one) => one[key]));
  const note = `processor ${processor.toFixed(0)} ms until it shows`;
  return [
    row(`first contentful paint, ${name}`, medianOf('first'), 500, 'ms', note),
    row(`largest contentful paint, ${name}`, medianOf('largest'), 1_000, 'ms'),
    row(`layout shift, ${name}`, medianOf('shift'), 0.02, '', '', 3),
  ];
}

async function keyToPainted(world: PageWorld): Promise<BenchmarkRow> {
  const { clock, processor } = await medians(world, async (page, processorTime) => {
    await showList(page);
    const results = page.getByRole('region', { name: 'Search' });
    const took: ElapsedTime[] = [];
    for (const word of WORDS) {
      await page.getByRole('searchbox').focus();
      // The search matches word prefixes from two letters on.
      const [first = '', second = ''] = word.toLowerCase();
      await page.keyboard.press(first);
      await results.getByRole('heading', { name: 'No results' }).waitFor();
      await page.evaluate(watchKey(`${ASSETS_OF_WORD} results`));
      const before = await processorTime();
      await page.keyboard.press(second);
      const clock = await page.evaluate<number>('keyToPainted');
      took.push({ clock, processor: (await processorTime()) - before });
      for (let typed = 0; typed < 2; typed++) await page.keyboard.press('Backspace');
      await results.getByText(/^5,000 assets/).waitFor();
    }
    return took;
  });
  const note = `processor ${processor.toFixed(0)} ms`;
  // A search follows 150 ms after the last key.
  return row('key pressed to results painted, 5,000 assets', clock, 300, 'ms', note);
}

/** Stores in `keyToPainted` the time from the next key press to the paint that shows a text in the main element. */
const watchKey = (shown: string) => `{
  const isShown = () => document.querySelector('main').textContent.includes(${JSON.stringify(shown)});
  globalThis.keyToPainted = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('the page does not show ' + ${JSON.stringify(shown)})), 30_000);
    addEventListener('keydown', () => {
      const pressed = performance.now();
      const look = () => {
        if (!isShown()) return requestAnimationFrame(look);
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - pressed)));
      };
      look();
    }, { capture: true, once: true });
  });
  undefined;
}`;
