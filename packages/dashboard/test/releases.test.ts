import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { publish, type WrittenLibrary } from '../../server/test/libraries/publish.ts';
import type { TestService } from '../../server/test/service.ts';
import { browserPath, findAccessibilityProblems, useDashboard } from './dashboard.ts';

const triangle = (width: number) => `v 0 0 0\nv ${width} 0 0\nv 0 1 0\nf 1 2 3\n`;
const FIRST = triangle(1);
const SECOND = triangle(22);

const kitchen = (mug: string, readme: string): WrittenLibrary => ({
  visibility: 'public',
  library: { title: 'Kitchen' },
  assets: [{ id: 'mug', title: 'Mug', kind: 'mesh', entry: 'mug/mug.obj', files: { 'mug/mug.obj': mug } }],
  generated: { '.bindery/source/README.md': readme },
});
const LID = { id: 'lid', title: 'Lid', kind: 'mesh', files: { 'lid/lid.obj': triangle(3) } };

describe.skipIf(browserPath === null)('releases', () => {
  const dashboard = useDashboard(['ada', 'bob'], async (service) => {
    const ada = await service.member('ada');
    await publish(ada, 'ada/kitchen', kitchen(FIRST, 'As it was.'));
    await release(service, 'ada/kitchen', 'v1', 'As in <b>the</b> paper');
    const now = kitchen(SECOND, 'As it is.');
    await publish(ada, 'ada/kitchen', { ...now, assets: [...now.assets, LID] });
    await publish(ada, 'ada/bare', kitchen(FIRST, 'No releases.'));
  });

  test('are listed, and choosing one by keyboard shows the whole page as of that release', async () => {
    const page = await dashboard.open('/app/ada/kitchen?q=mug', { userName: 'ada' });
    await page.getByRole('link', { name: 'Releases 1' }).press('Enter');
    await page.getByText('As in the paper').waitFor();
    await page.getByText(/Revision 1 · 1 asset · .* by ada$/).waitFor();
    await page.getByRole('link', { name: 'v1', exact: true }).press('Enter');
    await page.waitForURL('**/app/ada/kitchen?release=v1');
    await page.getByText('This is release v1.').waitFor();
    await page.getByText('1 asset', { exact: true }).first().waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Lid' }).count()).toBe(0);
    await page.getByText('bindery library pull ada/kitchen@v1 -o kitchen').waitFor();
    // A release cannot be changed.
    await expect.poll(() => page.getByText('Push a folder').count()).toBe(0);
    await expect.poll(() => page.getByRole('link', { name: 'Settings' }).count()).toBe(0);
    await page.getByRole('link', { name: 'README' }).press('Enter');
    await page.getByText('As it was.').waitFor();

    await page.getByRole('link', { name: 'Go to the newest revision' }).press('Enter');
    await page.getByText('As it is.').waitFor();
    await page.getByText('Push a folder').waitFor();
    await page.getByRole('link', { name: 'Assets' }).press('Enter');
    await page.getByRole('link', { name: 'Lid' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test('use their own files in the viewer and the file list, and their name in the commands', async () => {
    const page = await dashboard.open('/app/ada/kitchen?release=v1');
    const fetched = watchFiles(page);
    await page.getByRole('link', { name: 'Mug' }).click();
    await page.waitForURL('**/app/ada/kitchen/mug?release=v1');
    await page.getByText('This is release v1.').waitFor();
    await page.locator('[data-viewer="shown"]').waitFor();
    await expect.poll(fetched).toEqual([digest(FIRST)]);
    await page.getByText('bindery library pull ada/kitchen@v1').waitFor();
    await page.getByRole('tab', { name: 'Python' }).click();
    await page.getByText('"ada/kitchen@v1/mug"').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText('bindery use ada/kitchen@v1/mug').waitFor();
    await page.getByText(digest(FIRST).slice(0, 12)).waitFor();

    await page.getByRole('link', { name: 'Go to the newest revision' }).click();
    await page.getByText(digest(SECOND).slice(0, 12)).waitFor();
    await expect.poll(fetched).toEqual([digest(FIRST), digest(SECOND)]);
    await page.goBack();
    await page.getByText('This is release v1.').waitFor();
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Kitchen' }).click();
    await page.waitForURL('**/app/ada/kitchen?release=v1');
  });

  test('lack assets that were added later, and every page names the release', async () => {
    const page = await dashboard.open('/app/ada/kitchen/lid?release=v1', { width: 320, colorScheme: 'dark' });
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.getByText('This is release v1.').waitFor();
    for (const path of ['/app/ada/kitchen', '/app/ada/kitchen/mug', '/app/ada/kitchen/-/credits']) {
      await page.goto(`${path}?release=v1`);
      await page.getByText('This is release v1.').waitFor();
      await page.getByText('As in the paper').first().waitFor();
      expect(await findAccessibilityProblems(page), path).toEqual([]);
    }
    await page.goto('/app/ada/kitchen?release=v2');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.goto('/app/ada/bare?tab=releases');
    await page.getByText('There are no releases yet.').waitFor();
  });

  test.each([
    { width: 1280, colorScheme: 'light' as const },
    { width: 320, colorScheme: 'dark' as const },
  ])('are created and deleted only by writers, from the keyboard, with %j', async (look) => {
    const bob = await dashboard.service.member('bob');
    const tools = `tools-${look.width}`;
    const at = `/namespaces/bob/libraries/${tools}/releases`;
    await publish(bob, `bob/${tools}`, kitchen(FIRST, 'Tools.'));
    const page = await dashboard.open(`/app/bob/${tools}?tab=releases`, { ...look, userName: 'bob' });
    const name = page.getByLabel('Name of the release');
    await name.fill('latest');
    await page.getByText('and is not “latest”').waitFor();
    expect(await page.getByRole('button', { name: 'Create a release', exact: true }).isDisabled()).toBe(true);
    await name.fill('v1');
    await page.getByLabel('Notes').fill('The first one');
    await name.press('Enter');
    await page.getByText('Revision 1 is now v1.').waitFor();
    await page.getByRole('link', { name: 'Releases 1' }).waitFor();
    await page.getByText('The first one').waitFor();

    await publish(bob, `bob/${tools}`, kitchen(SECOND, 'Other tools.'));
    await name.fill('as-seen');
    await name.press('Enter');
    await page.getByText('Revision 1 is now as-seen.').waitFor();
    await bob.delete(`${at}/as-seen`);
    await page.reload();
    await page.getByText('A release is a permanent name for the current revision (2)').waitFor();
    await name.fill('v1');
    await name.press('Enter');
    await page.getByRole('alert').getByText('already has a release "v1"').waitFor();
    expect((await bob.get<{ total: number }>(at)).body.total).toBe(1);
    expect(await findAccessibilityProblems(page)).toEqual([]);

    await page.getByRole('link', { name: 'v1', exact: true }).press('Enter');
    await page.waitForURL(`**/app/bob/${tools}?release=v1`);
    await page.getByText('This is release v1.').waitFor();
    await page.getByRole('link', { name: 'Releases 1' }).press('Enter');
    await page.getByRole('button', { name: 'Delete v1' }).waitFor();
    expect(await page.getByLabel('Name of the release').count()).toBe(0);
    await page.getByRole('button', { name: 'Delete v1' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete the release v1?' });
    await dialog.getByText(/That frees .* objects?\)\./).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).press('Enter');
    expect((await bob.get<{ total: number }>(at)).body.total).toBe(1);
    await page.getByRole('button', { name: 'Delete v1' }).press('Enter');
    await dialog.getByRole('button', { name: 'Delete v1' }).press('Enter');
    await page.waitForURL((url) => url.search === '?tab=releases');
    await page.getByText('There are no releases yet.').waitFor();
    await page.getByRole('link', { name: 'README' }).press('Enter');
    await page.getByText('Other tools.').waitFor();
    expect((await bob.get<{ total: number }>(at)).body.total).toBe(0);

    const stranger = await dashboard.open('/app/ada/kitchen?tab=releases');
    await stranger.getByText('As in the paper').waitFor();
    expect(await stranger.getByRole('button', { name: 'Delete v1' }).count()).toBe(0);
    expect(await stranger.getByLabel('Name of the release').count()).toBe(0);
  });

  test('show no search hits of another revision while their own are loading', async () => {
    const page = await dashboard.open('/app/ada/kitchen');
    await page.getByRole('link', { name: 'Lid' }).waitFor();
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await page.route('**/search?**release=v1**', async (route) => {
      asked.resolve();
      await held.promise;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Releases 1' }).click();
    await page.getByRole('link', { name: 'v1', exact: true }).click();
    await asked.promise;
    await page.getByText('This is release v1.').waitFor();
    await expect.poll(() => page.getByRole('article').count()).toBe(0);
    held.resolve();
    await page.getByRole('link', { name: 'Mug' }).waitFor();
  });

  test('of a private library can be opened with its share link', async () => {
    const ada = await dashboard.service.member('ada');
    await publish(ada, 'ada/secret', { ...kitchen(FIRST, 'Secret.'), visibility: 'private', share: true });
    await release(dashboard.service, 'ada/secret', 'v1', null);
    const { body } = await ada.get<{ shareToken: string }>('/namespaces/ada/libraries/secret');
    const page = await dashboard.open(`/app/ada/secret?share=${body.shareToken}`);
    await page.getByRole('link', { name: 'Releases 1' }).click();
    await page.getByRole('link', { name: 'v1', exact: true }).click();
    await page.getByRole('link', { name: 'Mug' }).click();
    await page.getByText(`--share ${body.shareToken}`).waitFor();
    await page.getByText('bindery library pull ada/secret@v1').waitFor();
    await expect.poll(() => page.getByText('by ada').count()).toBe(0);
  });
});

async function release(
  service: TestService,
  library: string,
  name: string,
  notes: string | null,
): Promise<void> {
  const [namespace, slug] = library.split('/');
  const owner = await service.member(namespace as string);
  const { status } = await owner.post(`/namespaces/${namespace}/libraries/${slug}/releases`, {
    name,
    ...(notes !== null && { notes }),
  });
  if (status !== 201) throw new Error(`The release was answered ${status}.`);
}

/** Returns the digests of the models that a page has fetched, in order, without duplicates. */
function watchFiles(page: Page): () => string[] {
  const known = [FIRST, SECOND].map(digest);
  const fetched = new Set<string>();
  page.on('request', (request) => {
    for (const one of known) if (request.url().includes(one)) fetched.add(one);
  });
  return () => [...fetched];
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
