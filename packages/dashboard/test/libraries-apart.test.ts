import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, useDashboard } from './dashboard.ts';
import { choose, folderWith } from './folders.ts';

const OBJ = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';

const model = (library: string) => `${OBJ}# ${library}\n`;

/** A GIF of one pixel height whose bytes are valid text, because the tests' files are strings. */
const picture = (width: string) =>
  `GIF89a${width}\0\u0001\0\0\0\0,\0\0\0\0\u0001\0\u0001\0\0\u0002\u0002D\u0001\0;`;
const README = '# The same text\n\n![Picture](pot/side.gif)\n';

/** The first of two libraries has pictures of this many pixels' width, the second one of another. */
const WIDTHS = { first: 1, second: 2 };

describe.skipIf(browserPath === null)('going straight from one library to another', () => {
  const dashboard = useDashboard(['ada'], async (service) => {
    const ada = await service.member('ada');
    for (const [name, width] of Object.entries(WIDTHS)) {
      await publish(ada, `ada/${name}`, {
        library: { title: `The ${name}` },
        assets: [
          {
            id: 'pot',
            title: `Pot of the ${name}`,
            kind: 'mesh',
            entry: 'pot/pot.obj',
            files: {
              'pot/pot.obj': model(name),
              'pot/README.md': README.replace('pot/', ''),
              'pot/side.gif': picture(String.fromCharCode(width)),
            },
          },
        ],
        generated: { '.bindery/source/README.md': README },
      });
    }
  });

  /** Returns a page whose history holds two pages of the app without a load of the document between them. */
  async function between(first: string, second: string): Promise<Page> {
    const page = await dashboard.open('/app/', { userName: 'ada' });
    await page.getByRole('heading', { name: 'The first' }).waitFor();
    await page.evaluate(
      `for (const path of ${JSON.stringify([first, second])}) history.pushState({}, '', path)`,
    );
    await page.goBack();
    return page;
  }

  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

  test('a folder that was planned for one is not planned for the other', async () => {
    const page = await between('/app/ada/first/-/push', '/app/ada/second/-/push');
    await choose(page, folderWith({ 'bowl.obj': OBJ }, 'bowl'));
    await page.getByText('1 added').waitFor();
    await page.goForward();
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('The second').waitFor();
    await page.getByRole('button', { name: 'Choose a folder' }).waitFor();
    await expect.poll(() => page.getByText('1 added').count()).toBe(0);
  });

  test('the result of a push to one is not shown at the other', async () => {
    const page = await between('/app/ada/first/-/push', '/app/ada/second/-/push');
    await choose(page, folderWith({ 'jug.obj': OBJ }, 'jug'));
    await page.getByText('1 added').waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.context().route('**/register', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Publish changes' }).click();
    await page.getByText('Sending…').waitFor();
    page.once('dialog', (dialog) => dialog.accept());
    await page.goForward();
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('The second').waitFor();
    release();
    await page.getByRole('button', { name: 'Choose a folder' }).waitFor();
    await expect.poll(() => page.getByText(/Published as revision/).count()).toBe(0);
  });

  test('an edit that was begun at one does not go to the other', async () => {
    const page = await between('/app/ada/first?tab=settings', '/app/ada/second?tab=settings');
    const title = page.getByRole('textbox', { name: 'Title' });
    await title.fill('Meant for the first');
    await page.goForward();
    await heading(page, 'The second').waitFor();
    await expect.poll(() => title.inputValue()).toBe('The second');
  });

  test.each([
    { what: 'a library', path: '?tab=readme' },
    { what: 'an asset with the same name', path: '/pot' },
  ])('the README of $what with the same text shows the pictures beside it', async ({ path }) => {
    const page = await between(`/app/ada/first${path}`, `/app/ada/second${path}`);
    const shown = page.getByRole('region', { name: 'README' }).getByRole('img', { name: 'Picture' });
    const width = () => shown.evaluate(({ naturalWidth }: HTMLImageElement) => naturalWidth);
    await shown.scrollIntoViewIfNeeded();
    await expect.poll(width).toBe(WIDTHS.first);
    await page.goForward();
    await heading(page, path !== '/pot' ? 'The second' : 'Pot of the second').waitFor();
    await shown.scrollIntoViewIfNeeded();
    await expect.poll(width).toBe(WIDTHS.second);
  });

  test('the viewer reads the files of the asset that the page shows, also of one that was shown before', async () => {
    const page = await between('/app/ada/first/pot', '/app/ada/second/pot');
    const shown = page.locator('[data-viewer=shown]');
    await heading(page, 'Pot of the first').waitFor();
    await shown.waitFor();
    const reads: string[] = [];
    page.on('request', (request) => reads.push(request.url()));
    const readsOf = (name: keyof typeof WIDTHS) =>
      reads.filter((url) => url.includes(digest(model(name)))).length;
    await page.goForward();
    await heading(page, 'Pot of the second').waitFor();
    await expect.poll(() => readsOf('second')).toBe(1);
    await shown.waitFor();
    await page.goBack();
    await heading(page, 'Pot of the first').waitFor();
    await expect.poll(() => readsOf('first')).toBe(1);
  });
});

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
