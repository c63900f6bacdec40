import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';

/** The shell comes first: without windows and menus it starts and draws at half the cost. */
const CHROMIUM = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** A Chromium of the machine; null where there is none. */
export const browserPath: string | null =
  process.env.BINDERY_TEST_CHROMIUM ?? CHROMIUM.find((path) => existsSync(path)) ?? null;

if (browserPath === null) {
  if (process.env.CI) throw new Error('Chromium is not installed; in CI nothing is skipped.');
  process.stderr.write('Chromium is not installed: the tests in it are skipped.\n');
}

/** How long a browser may take for one step, in milliseconds: only what hangs takes longer, on any machine. */
export const PATIENCE_MS = 120_000;

let shared: Promise<Browser> | undefined;

/** The browser of this test process, which ends with it. Each test has contexts of its own in it, and closes them. */
export async function sharedBrowser(): Promise<Browser> {
  if (!(await shared)?.isConnected()) shared = launch();
  return shared as Promise<Browser>;
}

function launch(): Promise<Browser> {
  if (browserPath === null) throw new Error('Chromium is not installed.');
  return chromium.launch({
    executablePath: browserPath,
    timeout: PATIENCE_MS,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}

/** Opens a page in a context of its own in the browser of this test process. */
export async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await (await sharedBrowser()).newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context.newPage();
}

/** What a page did that a strict page does not: broke its content policy, ran into an error, asked another host. */
export function watchComplaints(context: BrowserContext, origin: string): string[] {
  const complaints: string[] = [];
  context.on('console', (message) => {
    const text = message.text();
    if (/content security policy|refused to/i.test(text)) complaints.push(text);
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('request', (request) => {
    if (!request.url().startsWith(origin)) complaints.push(`request to ${request.url()}`);
  });
  return complaints;
}
