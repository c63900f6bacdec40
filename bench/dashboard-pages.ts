import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { dashboardFolder } from '../packages/dashboard/src/folder.ts';
import { startChromium } from '../packages/dashboard/test/viewer/host.ts';
import { startService } from '../packages/server/test/service.ts';
import { dashboardRow } from './dashboard-row.ts';
import { publishPages } from './dashboard-world.ts';
import { FIRST_PAINT } from './in-page.ts';
import type { Row } from './row.ts';

const ROUNDS = 3;
const LIST = '/app/bench/many';

/** The pages of the dashboard in Chromium without a graphics card, against the real service in this process. */
export async function benchPages(): Promise<Row[]> {
  const built = await dashboardFolder();
  if (built === null) throw new Error('the dashboard cannot be built');
  const service = await startService({ dashboardFolder: built });
  try {
    await publishPages(service);
    return await inBrowser(service.url, async (bench) => [
      await bench.listScript(built),
      await bench.firstPaint(),
    ]);
  } finally {
    await service.close();
  }
}

async function inBrowser(url: string, measure: (bench: PageBench) => Promise<Row[]>): Promise<Row[]> {
  const browser = await startChromium();
  try {
    return await measure(new PageBench(url, browser));
  } finally {
    await browser.close();
  }
}

class PageBench {
  readonly #url: string;
  readonly #browser: Browser;

  constructor(url: string, browser: Browser) {
    this.#url = url;
    this.#browser = browser;
  }

  async listScript(built: string): Promise<Row> {
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

  async firstPaint(): Promise<Row> {
    const best = await this.#bestOf(async (page) => {
      await showList(page);
      return page.evaluate<number>(FIRST_PAINT);
    });
    return dashboardRow('first contentful paint, list of 5,000 assets', best, 800, 'ms', {
      prototype: '272–600 ms',
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

  async #bestOf(measure: (page: Page) => Promise<number>): Promise<number> {
    const figures: number[] = [];
    for (let round = 0; round < ROUNDS; round++) figures.push(await this.#withPage(measure));
    return Math.min(...figures);
  }
}

async function showList(page: Page): Promise<void> {
  await page.goto(LIST);
  await page.locator('main article').first().waitFor();
}
