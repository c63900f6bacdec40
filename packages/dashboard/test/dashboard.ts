import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Configuration } from '../../server/src/configuration/configuration.ts';
import type { Encoder } from '../../server/src/search/encoder.ts';
import { PATIENCE_MS, sharedBrowser } from '../../server/test/pages/browser.ts';
import { createPerson } from '../../server/test/people.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { dashboardFolder } from '../src/folder.ts';

export { browserPath } from '../../server/test/pages/browser.ts';

const PASSWORD = 'correct horse battery';

export interface PageOptions {
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
  /** Whether each request is held back for a time of its own, so that answers come in another order than they are asked for. */
  isUneven?: boolean;
}

/** The built dashboard, served by the real service, in Chromium. */
export interface TestDashboard {
  readonly service: TestService;
  /** Opens a page below `/app` in a separate browser context, signed in as `userName` if that is given. */
  open(path: string, look?: PageOptions & { userName?: string }): Promise<Page>;
}

/** The object store of a service, instead of its own disk. */
export interface OtherStore {
  origin: string;
  configuration: Partial<Configuration>;
}

/**
 * Starts service and browser for the tests of a file, with users who can sign in. After each test it checks that every
 * page kept its policy, wrote nothing to the console and sent requests only to the service and its store. Chromium's
 * own messages about 4xx responses, lost connections and drawing without a GPU are ignored.
 */
export function useDashboard(
  people: readonly string[],
  prepare: (service: TestService) => Promise<void>,
  store?: () => Promise<OtherStore | null>,
  encoder?: Encoder,
): TestDashboard {
  let service: TestService | undefined;
  let browser: Browser | undefined;
  let contexts: BrowserContext[] = [];
  let complaints: string[] = [];
  const origins: string[] = [];

  beforeAll(async () => {
    const other = await store?.();
    if (other) origins.push(other.origin);
    service = await startService({
      dashboardFolder: await dashboardFolder(),
      configuration: { webhookNetworks: ['loopback'], ...other?.configuration },
      ...(encoder && { encoder }),
    });
    const { context } = service;
    await Promise.all(people.map((userName) => createPerson(context, personOf(userName))));
    await prepare(service);
    browser = await sharedBrowser();
  });
  afterAll(async () => {
    await service?.close();
  });
  afterEach(async () => {
    const found = complaints;
    complaints = [];
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    expect(found).toEqual([]);
  });

  return {
    get service() {
      if (!service) throw new Error('The service has not started.');
      return service;
    },
    async open(path, { width = 1280, height = 800, colorScheme = 'light', isUneven = false, userName } = {}) {
      if (!browser) throw new Error('The browser has not started.');
      const { url } = this.service;
      const context = await browser.newContext({ baseURL: url, viewport: { width, height }, colorScheme });
      contexts.push(context);
      context.setDefaultTimeout(PATIENCE_MS);
      complaints = watch(context, [url, ...origins], complaints);
      if (userName !== undefined) await signIn(context, userName);
      if (isUneven) await delayUnevenly(context);
      const page = await context.newPage();
      await page.goto(path);
      return page;
    },
  };
}

/** At most this long a request is held back, in milliseconds. */
const LONGEST_DELAY = 400;

async function delayUnevenly(context: BrowserContext): Promise<void> {
  let requests = 0;
  await context.route('**', async (route) => {
    const [byte = 0] = createHash('sha256').update(`${requests++} ${route.request().url()}`).digest();
    await sleep((byte / 255) * LONGEST_DELAY);
    // The page might have been closed, or the request given up.
    await route.continue().catch(() => {});
  });
}

function personOf(userName: string) {
  return { userName, email: `${userName}@example.org`, password: PASSWORD };
}

/** Signs in with the request that the sign-in form sends; tests of that page fill in the form itself. */
async function signIn({ request }: BrowserContext, userName: string): Promise<void> {
  const { email, password } = personOf(userName);
  const answer = await request.post('/sign-in', { form: { email, password }, maxRedirects: 0 });
  if (answer.status() !== 303) throw new Error(`Signing in as ${userName} answered ${answer.status()}.`);
}

const OF_CHROMIUM =
  /^Failed to load resource: (the server responded with a status of 4\d\d|net::ERR_)|GL Driver Message|Autofocus processing was blocked because a document already has a focused element/;

function watch(context: BrowserContext, origins: readonly string[], complaints: string[]): string[] {
  context.on('console', (message) => {
    if (!OF_CHROMIUM.test(message.text())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('request', (request) => {
    const url = request.url();
    const isKnown = origins.some((origin) => url.startsWith(`${origin}/`));
    if (!isKnown && !/^(blob|data):/.test(url)) complaints.push(`request to ${url}`);
  });
  return complaints;
}

/** Waits for two frames and for the end of finite animations. */
const SHOWN = `(async () => {
  for (const frame of [1, 2]) await new Promise(requestAnimationFrame);
  const ending = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime < Infinity);
  await Promise.allSettled(ending.map(({ finished }) => finished));
})()`;

/**
 * Opens an address and waits until its page is complete: it has a heading, no request is in progress, and it sends no
 * more requests after showing the last response.
 */
export async function openUntilIdle(page: Page, path: string): Promise<void> {
  const open = new Set<Request>();
  let begun = 0;
  const begin = (request: Request) => {
    // Requests of the previous page do not count.
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) open.clear();
    open.add(request);
    begun++;
  };
  const end = (request: Request) => open.delete(request);
  // Chromium does not report the end of every request of a removed frame.
  const isGone = (request: Request) => !request.isNavigationRequest() && request.frame().isDetached();
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end);
  await page.goto(path);
  await page.locator('main h1').first().waitFor();
  const isComplete = async () => {
    const before = begun;
    await page.evaluate(SHOWN);
    return begun === before && [...open].every(isGone);
  };
  await expect.poll(isComplete, { interval: 10 }).toBe(true);
  page.off('request', begin).off('requestfinished', end).off('requestfailed', end);
}

/** Adds up in `shifted` how much of a page moved while it was loading. */
export const SHIFTS = `globalThis.shifted = 0; new PerformanceObserver((list) => {
  for (const shift of list.getEntries()) if (!shift.hadRecentInput) globalThis.shifted += shift.value;
}).observe({ type: 'layout-shift', buffered: true });`;

/** Opens the menu of whoever looks at the page. */
export async function openMenu(page: Page): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: /menu$/i }).click();
}

/** Half as long as the source that the module itself exports, and sent to each page that is checked. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the sizes of all texts on the page, in pixels. */
export async function findTextSizes(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('body *')]
    .filter(({ childNodes }) => [...childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== ''))
    .map((element) => getComputedStyle(element).fontSize)`);
}

/** Returns the accessibility violations that axe finds, and whether the page scrolls horizontally. */
export async function findAccessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const violations = await page.evaluate<AxeResults['violations']>(
    `axe.run({ exclude: ['iframe'] }, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  const faults = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
  );
  const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
  return isWide ? [...faults, 'scrolls sideways'] : faults;
}
