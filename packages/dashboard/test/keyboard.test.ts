import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, findAccessibilityProblems, openMenu, useDashboard } from './dashboard.ts';

const HOSTILE = '"><svg onload=alert(1)>';

describe.skipIf(browserPath === null)('the dashboard', () => {
  const dashboard = useDashboard(['kay', 'lee'], async (service) => {
    const kay = await service.member('kay');
    await publish(kay, 'kay/robots', {
      visibility: 'public',
      library: { title: 'Robots' },
      assets: [
        {
          id: 'arm',
          title: 'Robot arm',
          kind: 'mesh',
          entry: 'arm/a.obj',
          files: { 'arm/a.obj': 'v 0 0 0\n' },
        },
        { id: 'leg', title: HOSTILE, kind: 'mesh', files: { 'leg/a.obj': 'v 1 0 0\n' } },
      ],
    });
    await kay.post('/namespaces/kay/projects', { displayName: 'Walking' });
    await kay.post('/namespaces/kay/projects', { displayName: 'Public walk', visibility: 'public' });
    await kay.post('/namespaces/kay/projects', { displayName: 'Arm wrestling' });
  });

  test('lets users find and open an asset and copy its pull command by keyboard alone', async () => {
    const page = await dashboard.open('/app/');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('heading', { name: 'Robots' }).waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('link', { name: 'Skip to the content' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('main:focus').waitFor();

    await page.keyboard.press('/');
    await page.keyboard.type('arm');
    await page.getByRole('link', { name: 'Robot arm' }).waitFor();
    await tabTo(page, 'article a');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('link', { name: 'Robot arm' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/app/kay/robots/arm');
    await page.getByRole('heading', { name: 'Robot arm' }).waitFor();

    await tabTo(page, 'button[aria-label="Copy: Terminal"]');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toContain('library pull kay/robots');
  });

  test('goes from the search to the hits with ↓', async () => {
    const page = await dashboard.open('/app/kay/robots');
    await page.getByRole('link', { name: 'Robot arm' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('robot');
    await page.waitForURL('**?q=robot');
    await page.getByRole('link', { name: 'Robot arm' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('link', { name: 'Robot arm' }).and(page.locator(':focus')).waitFor();
  });

  test('does not say in the palette that nothing has a name before it knows', async () => {
    const page = await dashboard.open('/app/');
    await page.getByRole('heading', { name: 'Robots' }).waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(/\/search\?q=leg/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog');
    await palette.getByRole('combobox').fill('leg wheel');
    await palette.getByText('Searching…').waitFor();
    expect(await palette.getByText('No results').count()).toBe(0);
    held.resolve();
    await expect.poll(() => palette.getByText('Searching…').count()).toBe(0);
  });

  test.each([
    ['Control+k', 'combobox'],
    ['?', 'dialog'],
  ] as const)('knows %s in the frame of an asset too', async (keys, shown) => {
    const page = await dashboard.open('/app/kay/robots/arm');
    await page.locator('[data-viewer=shown], [data-viewer=refused]').waitFor();
    await page.locator('iframe').focus();
    await page.keyboard.press(keys);
    await page.getByRole(shown).waitFor();
  });

  test('goes to libraries, assets, projects and pages from the palette, and shows names as text', async () => {
    const page = await dashboard.open('/app/', { userName: 'kay' });
    await page.getByRole('heading', { name: 'Robots' }).waitFor();
    const goTo = async (typed: string, option: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Go to' }).waitFor();
      await page.keyboard.type(typed);
      const place = page.getByRole('option', { name: option }).first();
      await place.waitFor();
      while ((await place.getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowDown');
      expect(await findAccessibilityProblems(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await goTo('walking', 'Walking');
    await page.waitForURL('**/app/kay/-/projects/walking');
    await goTo('svg', HOSTILE);
    await page.waitForURL('**/app/kay/robots/leg');
    await goTo('robots', 'Robots');
    await page.waitForURL('**/app/kay/robots');
    await goTo('notes of', 'Notes of kay');
    await page.waitForURL('**/app/kay/-/notes');
    await goTo('account', 'Your account');
    await page.waitForURL('**/app/-/account');
  });

  test('puts text that is typed while the palette loads into the palette', async () => {
    const page = await dashboard.open('/app/', { userName: 'kay' });
    await page.getByRole('heading', { name: 'Robots' }).waitFor();
    const typed = Promise.withResolvers<void>();
    await page.route('**/assets/palette-*.js', async (route) => {
      await typed.promise;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('walking');
    typed.resolve();
    await page.getByRole('option', { name: 'Walking' }).first().waitFor();
    await page.keyboard.type(' x');
    await expect.poll(() => page.getByRole('combobox', { name: 'Go to' }).inputValue()).toBe('walking x');
  });

  test('keeps the selected palette entry when an earlier entry is found later', async () => {
    const page = await dashboard.open('/app/', { userName: 'kay' });
    await page.getByRole('heading', { name: 'Robots' }).waitFor();
    const chosen = Promise.withResolvers<void>();
    await page.route('**/namespaces/kay/projects?*', async (route) => {
      await chosen.promise;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).fill('arm');
    await page.getByRole('option', { name: 'Robot arm', selected: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    chosen.resolve();
    await page.getByRole('option', { name: 'Arm wrestling' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/app/kay/robots/arm');
  });

  test('shows a stranger no hidden projects in the palette', async () => {
    const page = await dashboard.open('/app/', { userName: 'lee' });
    await page.getByRole('heading', { name: 'Robots' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).fill('walking');
    await page.getByText('No results').waitFor();
  });

  test('shows the list of keys on a question mark, closes it on Escape, and restores the focus', async () => {
    const page = await dashboard.open('/app/', { width: 320, colorScheme: 'dark' });
    await page.getByRole('heading', { name: 'Robots' }).waitFor();
    await page.getByRole('button', { name: 'Go to…' }).focus();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Go to…' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('?');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  test('lets shortcuts of a single key be turned off, in this browser', async () => {
    const page = await dashboard.open('/app/kay/robots');
    await page.getByRole('link', { name: 'Robot arm' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('checkbox', { name: /^Shortcuts without Ctrl/ }).uncheck();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: 'Robot arm' }).waitFor();
    await page.keyboard.press('?');
    await page.keyboard.press('/');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByRole('combobox').and(page.locator(':focus')).count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('keyboard');
    await page.getByRole('option', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: /^Shortcuts without Ctrl/ }).check();
  });

  test('signs out the other tab after a sign-out in one, and clears what it showed', async () => {
    const page = await dashboard.open('/app/kay/-/projects/walking', { userName: 'kay' });
    await page.getByRole('heading', { name: 'Walking' }).waitFor();
    const other = await page.context().newPage();
    await other.goto('/app/');
    await openMenu(other);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.waitForURL('**/sign-in');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor();
  });

  test('silently renews a token that expires while a page is open', async () => {
    const page = await dashboard.open('/app/kay', { userName: 'kay' });
    await page.getByRole('heading', { name: 'Robots' }).waitFor();
    dashboard.service.advance(11 * 60);
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByText('3 projects').waitFor();
  });

  test('reports that the service is unreachable, and continues once it is back', async () => {
    const page = await dashboard.open('/app/kay');
    await page.getByRole('heading', { name: 'Robots' }).waitFor();
    await page.route('**/namespaces/kay/projects*', (route) => route.abort());
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByText('The service cannot be reached.').waitFor();
    await page.unroute('**/namespaces/kay/projects*');
    await page.getByText('1 project', { exact: true }).waitFor();
  });
});

const MAX_TABS = 60;

/** Presses Tab until an element that matches has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let at = 0; at < MAX_TABS; at++) {
    await page.keyboard.press('Tab');
    if ((await page.locator(selector).and(page.locator(':focus')).count()) > 0) return;
  }
  throw new Error(`Tab does not lead to ${selector}.`);
}
