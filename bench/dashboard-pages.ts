import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OWNER } from '@bindery/server/testing';
import type { Browser, Page } from 'playwright-core';
import { dashboardFolder } from '../packages/dashboard/src/folder.ts';
import { startChromium } from '../packages/dashboard/test/viewer/host.ts';
import { publish, type WrittenAsset } from '../packages/server/test/libraries/publish.ts';
import { startService, type TestService } from '../packages/server/test/service.ts';
import { ASSETS_OF_WORD, manyAssets, WORDS } from '../test/generated-pages.ts';
import { childrenOf } from './processes.ts';
import { DATA, type RealAsset, realAssets } from './real-assets.ts';
import { type BenchmarkRow, limitRow, median } from './results.ts';

const ROUNDS = 5;
const [LIST, OPENED] = [`/app/${OWNER}/many`, `/app/${OWNER}/opened`];
const SCREENS = 40;
const LOOKED_AT = 50;
const SAMPLE_MS = 200;
/** Browsers release memory with a delay. */
const SETTLING_MS = 10_000;

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
    const opened = realAssets();
    await publishPages(service, opened);
    await using browser = await startChromium();
    const world = { url: service.url, browser };
    const rows = [
      await listScript(world, built),
      ...(await paints(world, 'home', '/app/')),
      ...(await paints(world, 'list of 5,000 assets', LIST)),
      await keyToPainted(world),
      await scrolling(world),
    ];
    if (opened.length === 0) return rows;
    await browser.close();
    return process.platform === 'linux' ? [...rows, ...(await memory(service.url, opened))] : rows;
  } finally {
    await service.close();
  }
}

/** Publishes `many` with 5,000 assets, and `opened` with the real ones. */
async function publishPages(service: TestService, opened: readonly RealAsset[]): Promise<void> {
  const owner = await service.member(OWNER);
  await publish(owner, `${OWNER}/many`, { visibility: 'public', ...(await manyAssets()) });
  if (opened.length === 0) return;
  const assets = opened.map(
    async ({ id, title, kind, format, entry, library, files }): Promise<WrittenAsset> => {
      const bytesOf = (path: string) => readFile(join(DATA, library, path));
      const contents = files.map(async ({ path }) => [`${library}/${path}`, await bytesOf(path)]);
      const read = Object.fromEntries(await Promise.all(contents));
      return { id, title, kind, format, entry: `${library}/${entry}`, files: read };
    },
  );
  await publish(owner, `${OWNER}/opened`, { visibility: 'public', assets: await Promise.all(assets) });
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

async function scrolling(world: PageWorld): Promise<BenchmarkRow> {
  const { clock, processor } = await medians(world, async (page, processorTime) => {
    await showList(page);
    // The browser itself records interactions of 16 ms and more.
    await page.evaluate(`{
      globalThis.interactions = [];
      new PerformanceObserver((list) => {
        for (const { interactionId, duration } of list.getEntries())
          if (interactionId) interactions.push(duration);
      }).observe({ type: 'event', durationThreshold: 16 });
    }`);
    const before = await processorTime();
    for (let pressed = 0; pressed < SCREENS; pressed++) await page.keyboard.press('PageDown');
    const processor = ((await processorTime()) - before) / SCREENS;
    if ((await page.evaluate<number>('scrollY / innerHeight')) < 1)
      throw new Error('the list was not scrolled');
    return [{ clock: await page.evaluate<number>('Math.max(0, ...interactions)'), processor }];
  });
  const note = `processor ${processor.toFixed(0)} ms a screen`;
  return row('longest interaction while scrolling 5,000 hits', clock, 200, 'ms', note);
}

/** Waits until an asset's page shows it. Throws if its viewer refuses it. */
async function waitForViewer(page: Page): Promise<void> {
  const ended = page.locator('[data-viewer=shown], [data-viewer=refused]');
  await ended.waitFor({ timeout: 120_000 });
  if ((await ended.getAttribute('data-viewer')) === 'refused')
    throw new Error(`${page.url()} is not shown: ${await ended.textContent()}`);
}

/**
 * Memory of the browser's renderers (their share of what processes share counted once) while a user opens fifty assets
 * in a row, and after returning to the list.
 */
async function memory(url: string, opened: readonly RealAsset[]): Promise<BenchmarkRow[]> {
  await using browser = await startChromium();
  return await withPage({ url, browser }, async (page) => {
    await showList(page, OPENED);
    const before = rendererMegabytes();
    let peak = 0;
    const sampling = setInterval(() => {
      peak = Math.max(peak, rendererMegabytes());
    }, SAMPLE_MS);
    for (let looked = 0; looked < LOOKED_AT; looked++) {
      const path = JSON.stringify(`${OPENED}/${opened[looked % opened.length]?.id}`);
      await page.evaluate(
        `history.pushState(null, '', ${path}); dispatchEvent(new PopStateEvent('popstate'))`,
      );
      await waitForViewer(page);
      await page.goBack();
      await page.locator('main article').first().waitFor();
    }
    clearInterval(sampling);
    let settled = Number.POSITIVE_INFINITY;
    for (const end = performance.now() + SETTLING_MS; performance.now() < end; await sleep(SAMPLE_MS))
      settled = Math.min(settled, rendererMegabytes());
    const note = `${before.toFixed(0)} MB before`;
    const list = `renderer memory, back at the list after ${LOOKED_AT} assets`;
    return [
      row(`renderer memory, at most while ${LOOKED_AT} assets are looked at`, peak, 700, 'MB'),
      row(list, settled, 350, 'MB', note),
    ];
  });
}

function rendererMegabytes(): number {
  let kibibytes = 0;
  const add = (pid: number) => {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer'))
        kibibytes += Number(
          /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0,
        );
      for (const child of childrenOf(pid)) add(child);
    } catch {
      // The process has exited.
    }
  };
  add(process.pid);
  return (kibibytes * 1_024) / 1e6;
}
