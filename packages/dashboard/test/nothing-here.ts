import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/**
 * Expects all pages to show the same "nothing here" content, but for the names in their own addresses, once their pending
 * responses have arrived.
 */
export async function expectNothingHere(pages: readonly Page[]): Promise<void> {
  for (const page of pages) await page.getByRole('heading', { name: 'Not found' }).waitFor();
  const shown = () =>
    Promise.all(
      pages.map(async (page) => {
        const [, , ...names] = new URL(page.url()).pathname.split('/').map(decodeURIComponent);
        const html = await page.locator('main').innerHTML();
        return names.reduce(
          (text, name, at) => (name === '' ? text : text.replaceAll(name, `{${at}}`)),
          html,
        );
      }),
    );
  await expect.poll(async () => new Set(await shown()).size).toBe(1);
}
