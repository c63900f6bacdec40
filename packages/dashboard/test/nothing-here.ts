import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Expects all pages to show the same "nothing here" content, once their pending responses have arrived. */
export async function expectNothingHere(pages: readonly Page[]): Promise<void> {
  for (const page of pages) await page.getByRole('heading', { name: 'Not found' }).waitFor();
  const shown = () => Promise.all(pages.map((page) => page.locator('main').innerHTML()));
  await expect.poll(async () => new Set(await shown()).size).toBe(1);
}
