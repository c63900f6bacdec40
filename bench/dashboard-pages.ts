import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { dashboardFolder } from '../packages/dashboard/src/folder.ts';
import { startChromium } from '../packages/dashboard/test/viewer/host.ts';
import { SentBytes } from '../packages/server/test/sent-bytes.ts';
import { startService } from '../packages/server/test/service.ts';
import { benchMemory } from './dashboard-memory.ts';
import { dashboardRow } from './dashboard-row.ts';
import { ASSETS_OF_WORD, openedAssets, publishPages, WORDS } from './dashboard-world.ts';
import { MainThread } from './main-thread.ts';
import {
  FIRST_PAINT,
  KEY_TO_PAINTED,
  LONGEST_INTERACTION,
  SCREENS_SCROLLED,
  WATCH_INTERACTIONS,
  watchKey,
} from './page-scripts.ts';
import type { BenchmarkRow } from './results-table.ts';
import { waitForViewer } from './wait-for-viewer.ts';

const ROUNDS = 5;
const LIST = '/app/bench/many';
const SCREENS = 40;

/** One asset per kind of load: WebAssembly, many meshes, textures, Spark. */
const VISITED = ['trs_so_arm100', 'jpl-t12', 'Suzanne', 'guitar'];

/**
 * The pages of the dashboard in Chromium without a GPU, with the real service in this process. Times are medians of
 * several rounds; the CPU time of the page's main thread is reported as well, because it does not depend on other load.
 */
export async function benchPages(): Promise<BenchmarkRow[]> {
  const built = await dashboardFolder();
  if (built === null) throw new Error('the dashboard cannot be built');
  using sent = new SentBytes();
  // Presigned URLs stay the same while the clock is frozen.
  const service = await startService({ dashboardFolder: built, stillClock: true });
  try {
    await publishPages(service);
    const rows = await inBrowser(service.url, async (bench) => [
      await bench.listScript(built),
      await bench.firstPaint(),
      await bench.keyToPainted(),
      await bench.scrolling(),
      ...(openedAssets().length > 0 ? [await bench.secondVisits(sent)] : []),
    ]);
    return [...rows, ...(await benchMemory(service.url))];
  } finally {
    await service.close();
  }
}

async function inBrowser(
  url: string,
  measure: (bench: PageBench) => Promise<BenchmarkRow[]>,
): Promise<BenchmarkRow[]> {
  const browser = await startChromium();
  try {
    return await measure(new PageBench(url, browser));
  } finally {
    await browser.close();
  }
}

/** Milliseconds of wall-clock time, and of CPU time of the page's main thread. */
interface ElapsedTime {
  clock: number;
  processor: number;
}

class PageBench {
  readonly #url: string;
  readonly #browser: Browser;

  constructor(url: string, browser: Browser) {
    this.#url = url;
    this.#browser = browser;
  }

  async listScript(built: string): Promise<BenchmarkRow> {
    const scripts = new Set<string>();
    await this.#withPage(async (page) => {
      page.on('request', (request) => {
        if (request.resourceType() === 'script') scripts.add(new URL(request.url()).pathname);
      });
      await showList(page);
    });
    const sizes = await Promise.all(
      [...scripts].map(async (path) => (await stat(join(built, `${path.slice('/app/'.length)}.br`))).size),
    );
    const kilobytes = sizes.reduce((sum, size) => sum + size, 0) / 1_000;
    return dashboardRow('JavaScript of the list page, brotli', kilobytes, 150, 'kB', { prototype: '108 kB' });
  }

  async firstPaint(): Promise<BenchmarkRow> {
    const { clock, processor } = await this.#medians(async (page, thread) => {
      const before = await thread.milliseconds();
      await showList(page);
      const processor = (await thread.milliseconds()) - before;
      return [{ clock: await page.evaluate<number>(FIRST_PAINT), processor }];
    });
    return dashboardRow('first contentful paint, list of 5,000 assets', clock, 800, 'ms', {
      prototype: '272–600 ms',
      note: `processor ${processor.toFixed(0)} ms until the assets show`,
    });
  }

  async keyToPainted(): Promise<BenchmarkRow> {
    const { clock, processor } = await this.#medians(async (page, thread) => {
      await showList(page);
      const results = page.getByRole('region', { name: 'Search' });
      const took: ElapsedTime[] = [];
      for (const word of WORDS) {
        await page.getByRole('searchbox').focus();
        // The search matches word prefixes from two letters on.
        const [first = '', second = ''] = word.toLowerCase();
        await page.keyboard.press(first);
        await results.getByText(/^0 hits/).waitFor();
        await page.evaluate(watchKey(`${ASSETS_OF_WORD} hits`));
        const before = await thread.milliseconds();
        await page.keyboard.press(second);
        const clock = await page.evaluate<number>(KEY_TO_PAINTED);
        took.push({ clock, processor: (await thread.milliseconds()) - before });
        await page.keyboard.press('Backspace');
        await page.keyboard.press('Backspace');
        await results.getByText(/^5,000 assets/).waitFor();
      }
      return took;
    });
    return dashboardRow('key pressed to results painted, 5,000 assets', clock, 150, 'ms', {
      prototype: '83–124 ms',
      note: `processor ${processor.toFixed(0)} ms`,
    });
  }

  async scrolling(): Promise<BenchmarkRow> {
    const { clock, processor } = await this.#medians(async (page, thread) => {
      await showList(page);
      await page.evaluate(WATCH_INTERACTIONS);
      const before = await thread.milliseconds();
      for (let pressed = 0; pressed < SCREENS; pressed++) await page.keyboard.press('PageDown');
      const processor = ((await thread.milliseconds()) - before) / SCREENS;
      if ((await page.evaluate<number>(SCREENS_SCROLLED)) < 1) throw new Error('the list was not scrolled');
      return [{ clock: await page.evaluate<number>(LONGEST_INTERACTION), processor }];
    });
    return dashboardRow('longest interaction while scrolling 5,000 hits', clock, 200, 'ms', {
      note: `processor ${processor.toFixed(0)} ms a screen`,
    });
  }

  /** Bytes of a second visit as a share of the first; the worst of several assets. */
  async secondVisits(sent: SentBytes): Promise<BenchmarkRow> {
    const shares = [];
    for (const id of VISITED) {
      shares.push(
        await this.#withPage(async (page) => {
          const visit = async () => {
            await page.goto('about:blank');
            const before = sent.total;
            await page.goto(`/app/bench/opened/${id}`);
            await waitForViewer(page);
            return sent.total - before;
          };
          const first = await visit();
          const second = await visit();
          return { id, first, second, percent: (second / first) * 100 };
        }),
      );
    }
    const [worst] = shares.sort((a, b) => b.percent - a.percent);
    if (worst === undefined) throw new Error('nothing was visited');
    const { id, first, second, percent } = worst;
    return dashboardRow('bytes of a second visit to an asset, at worst', percent, 5, '% of the first', {
      digits: 1,
      note: `${id}: ${kilobytes(second)} after ${kilobytes(first)}`,
    });
  }

  async #withPage<Result>(use: (page: Page) => Promise<Result>): Promise<Result> {
    const viewport = { width: 1280, height: 800 };
    const context = await this.#browser.newContext({ baseURL: this.#url, viewport });
    try {
      return await use(await context.newPage());
    } finally {
      await context.close();
    }
  }

  /** Medians over several rounds, each in a browser context with an empty cache. */
  async #medians(measure: (page: Page, thread: MainThread) => Promise<ElapsedTime[]>): Promise<ElapsedTime> {
    const took: ElapsedTime[] = [];
    for (let round = 0; round < ROUNDS; round++)
      took.push(...(await this.#withPage(async (page) => measure(page, await MainThread.of(page)))));
    return {
      clock: median(took.map(({ clock }) => clock)),
      processor: median(took.map(({ processor }) => processor)),
    };
  }
}

async function showList(page: Page): Promise<void> {
  await page.goto(LIST);
  await page.locator('main article').first().waitFor();
}

const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(0)} kB`;

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
