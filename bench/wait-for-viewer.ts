import type { Page } from 'playwright-core';

const TIMEOUT = 120_000;

/** Waits until an asset's page shows it. Throws if its viewer refuses it. */
export async function waitForViewer(page: Page): Promise<void> {
  const ended = page.locator('[data-viewer=shown], [data-viewer=refused]');
  await ended.waitFor({ timeout: TIMEOUT });
  if ((await ended.getAttribute('data-viewer')) === 'refused')
    throw new Error(`${page.url()} is not shown: ${await ended.textContent()}`);
}
