import type { Manifest } from '@bindery/contract';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { MACHINE } from '../../server/src/access/viewer.ts';
import { changeQuota } from '../../server/src/administration/namespaces.ts';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, findAccessibilityProblems, openMenu, useDashboard } from './dashboard.ts';
import { choose, folderWith } from './folders.ts';

const OBJ = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';
const BOWL = { 'bowl.obj': OBJ };
const LIBRARIES = [
  'signed-out',
  'handed',
  'expired',
  'trashed',
  'purged',
  'opened',
  'closed',
  'edited',
  'listed',
];

describe.skipIf(browserPath === null)('interrupted work', () => {
  const dashboard = useDashboard(['ada', 'bo'], async (service) => {
    const ada = await service.member('ada');
    for (const name of LIBRARIES) {
      await publish(ada, `ada/${name}`, {
        visibility: name === 'closed' ? 'public' : 'private',
        library: { title: `The ${name}` },
        assets: [
          { id: 'mug', title: 'Mug', kind: 'mesh', entry: 'mug/mug.obj', files: { 'mug/mug.obj': OBJ } },
        ],
      });
    }
  });

  /** Returns a page on which a bowl is ready to be pushed to a library. */
  async function aboutToPush(library: string): Promise<Page> {
    const page = await dashboard.open(`/app/ada/${library}/-/push`, { userName: 'ada' });
    await choose(page, folderWith(BOWL, 'bowl'));
    await page.getByText('1 added').waitFor();
    return page;
  }

  const publishChanges = (page: Page) => page.getByRole('button', { name: 'Publish changes' }).click();

  async function assetsOf(library: string): Promise<string[]> {
    const ada = await dashboard.service.member('ada');
    const { body } = await ada.get<Manifest>(`/namespaces/ada/libraries/${library}/manifest`);
    return body.assets.map(({ id }) => id);
  }

  async function signIn(page: Page, userName: string): Promise<void> {
    await page.goto('/sign-in?next=/app/');
    await page.getByLabel('E-mail address').fill(`${userName}@example.org`);
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/app/');
  }

  async function signOut(page: Page): Promise<void> {
    await openMenu(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
  }

  test('by a quota: a push names the limit, links to the quota, and resumes once there is room', async () => {
    const bo = await dashboard.service.member('bo');
    const mug = { id: 'mug', title: 'Mug', files: { 'mug/mug.obj': `${OBJ}# mug\n` } };
    await publish(bo, 'bo/full', { assets: [mug] });
    await changeQuota(dashboard.service.context, MACHINE, { namespace: 'bo' }, { files: 1, libraries: 5 });
    const page = await dashboard.open('/app/bo/full/-/push', { userName: 'bo' });
    await choose(page, folderWith(BOWL, 'bowl'));
    await page.getByText('1 added').waitFor();
    await publishChanges(page);
    const refused = page.getByRole('alert').filter({ hasText: 'is limited to 1 files and has 1' });
    await refused.waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Storage of the namespace' }).press('Enter');
    const namespace = await opened;
    await namespace.waitForURL('**/app/bo#quota');
    const quota = namespace.getByRole('list', { name: 'Quota' });
    await quota.getByText('1 file of at most 1 file').waitFor();
    await namespace.getByText('There is little space left.').waitFor();
    await expect.poll(() => quota.getByRole('meter').count()).toBe(2);
    expect(await findAccessibilityProblems(namespace)).toEqual([]);
    await changeQuota(dashboard.service.context, MACHINE, { namespace: 'bo' }, { files: 2 });
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.getByText('Published as revision 2.').waitFor();
    await changeQuota(
      dashboard.service.context,
      MACHINE,
      { namespace: 'bo' },
      { files: null, libraries: null },
    );
  });

  describe('by a sign-out', () => {
    test('in another tab: a page clears its content, says so, and shows it again after another sign-in', async () => {
      const page = await dashboard.open('/app/ada/listed', { userName: 'ada' });
      await page.getByRole('heading', { name: 'The listed' }).waitFor();
      const other = await page.context().newPage();
      await other.goto('/app/');
      await signOut(other);
      await page.getByText('You have been signed out.').waitFor();
      await expect.poll(() => page.getByText('The listed').count()).toBe(0);
      expect(await findAccessibilityProblems(page)).toEqual([]);
      await signIn(other, 'ada');
      await page.getByRole('heading', { name: 'The listed' }).waitFor();
      await expect.poll(() => page.getByText('You have been signed out.').count()).toBe(0);
    });

    test('in another tab: a push keeps its folder and resumes after another sign-in', async () => {
      const page = await aboutToPush('signed-out');
      const other = await page.context().newPage();
      await other.goto('/app/');
      await signOut(other);
      await page.getByText(/^You are signed out\. Nothing was published/).waitFor();
      await expect.poll(() => page.getByText('1 added').count()).toBe(0);
      expect(await findAccessibilityProblems(page)).toEqual([]);
      await signIn(other, 'ada');
      await page.getByText('1 added').waitFor();
      await publishChanges(page);
      await page.getByText('Published as revision 2.').waitFor();
    });

    test('and a sign-in as someone else: the new user sees nothing of a push', async () => {
      const page = await aboutToPush('handed');
      const other = await page.context().newPage();
      await other.goto('/app/');
      await signOut(other);
      await signIn(other, 'bo');
      await page.getByRole('heading', { name: 'Not found' }).waitFor();
      await expect.poll(() => page.getByText(/bowl/).count()).toBe(0);
    });

    test('that a push notices only as it publishes: it publishes nothing until the next sign-in', async () => {
      const page = await aboutToPush('expired');
      await page.context().clearCookies();
      dashboard.service.advance(20 * 60);
      await publishChanges(page);
      await page.getByText(/^You are signed out\. Nothing was published/).waitFor();
      const other = await page.context().newPage();
      await signIn(other, 'ada');
      await page.getByText('1 added').waitFor();
      await publishChanges(page);
      await page.getByText('Published as revision 2.').waitFor();
    });

    test('is not reported if only the access token expired', async () => {
      const page = await dashboard.open('/app/ada/listed', { userName: 'ada' });
      await page.getByRole('article').getByRole('heading', { name: 'Mug' }).waitFor();
      dashboard.service.advance(20 * 60);
      await page.getByRole('article').getByRole('link').first().click();
      await page.getByRole('heading', { name: 'Mug', level: 1 }).waitFor();
      await expect.poll(() => page.getByText('You have been signed out.').count()).toBe(0);
    });
  });

  describe('by a change to the library that is pushed to', () => {
    test('moved to the Trash: says so, publishes nothing, and resumes once it is restored', async () => {
      const page = await aboutToPush('trashed');
      const ada = await dashboard.service.member('ada');
      await ada.delete('/namespaces/ada/libraries/trashed');
      await publishChanges(page);
      await page.getByText(/^The library was moved to the Trash\. Nothing was published/).waitFor();
      expect(await findAccessibilityProblems(page)).toEqual([]);
      await ada.post('/namespaces/ada/libraries/trashed/restore', {});
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
      await page.getByText(/^Published as revision/).waitFor();
      expect(await assetsOf('trashed')).toEqual(['bowl', 'mug']);
    });

    test('purged: says so, and creates the library again only on request', async () => {
      const page = await aboutToPush('purged');
      const ada = await dashboard.service.member('ada');
      await ada.delete('/namespaces/ada/libraries/purged');
      await ada.delete('/namespaces/ada/libraries/purged/purge');
      await publishChanges(page);
      await page.getByText(/^The library was purged\. Nothing was published/).waitFor();
      expect((await ada.get('/namespaces/ada/libraries/purged')).status).toBe(404);
      await page.getByRole('button', { name: 'Review again' }).click();
      await page.getByRole('button', { name: 'Publish library' }).click();
      await page.getByText(/^Published as revision/).waitFor();
      expect(await assetsOf('purged')).toEqual(['bowl']);
    });

    test.each([
      { library: 'opened', visibility: 'public', says: /^The library is now public/ },
      { library: 'closed', visibility: 'private', says: /^The library is now private/ },
    ])('made $visibility: says so, and publishes only on request', async ({ library, visibility, says }) => {
      const page = await aboutToPush(library);
      const ada = await dashboard.service.member('ada');
      await ada.post(`/namespaces/ada/libraries/${library}`, { visibility });
      await publishChanges(page);
      await page.getByText(says).waitFor();
      expect(await assetsOf(library)).toEqual(['mug']);
      await page.getByRole('button', { name: 'Review again' }).click();
      await page.getByText('1 added').waitFor();
      await publishChanges(page);
      await page.getByText(/^Published as revision/).waitFor();
      const { body } = await ada.get(`/namespaces/ada/libraries/${library}`);
      expect(body).toMatchObject({ visibility, assetCount: 2 });
    });

    test('edited in another tab: says so, and publishes both changes after another review', async () => {
      const page = await aboutToPush('edited');
      const other = await page.context().newPage();
      await other.goto('/app/ada/edited?tab=settings');
      await other.getByRole('textbox', { name: 'Title' }).fill('Edited elsewhere');
      await other.getByRole('button', { name: 'Save' }).click();
      await other.getByRole('heading', { name: 'Edited elsewhere', level: 1 }).waitFor();
      await publishChanges(page);
      await page.getByText(/^Somebody else published in the meantime/).waitFor();
      await page.getByRole('button', { name: 'Review again' }).click();
      await page.getByText('1 added').waitFor();
      await publishChanges(page);
      await page.getByText('Published as revision 3.').waitFor();
      const ada = await dashboard.service.member('ada');
      const { body } = await ada.get('/namespaces/ada/libraries/edited');
      expect(body).toMatchObject({ title: 'Edited elsewhere', assetCount: 2 });
    });
  });

  describe('by a network failure', () => {
    test('after the service published but before it responded: the push is published once', async () => {
      const page = await aboutToPush('listed');
      await page.context().route('**/register', async (route) => {
        await route.fetch();
        await route.abort('connectionreset');
      });
      await publishChanges(page);
      await page.getByText(/^The service cannot be reached\./).waitFor();
      await page.context().unroute('**/register');
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
      await page.getByText('Published as revision 2.').waitFor();
      expect(await assetsOf('listed')).toEqual(['bowl', 'mug']);
    });

    test('before the upload: the push of a public library resumes when online, and stays public', async () => {
      const page = await dashboard.open('/app/-/new', { userName: 'ada' });
      await choose(page, folderWith(BOWL, 'everybodys'));
      await page.getByText('1 added').waitFor();
      await page.getByRole('radio', { name: /^Everybody/ }).check();
      await page.context().route('**/upload-authorizations', (route) => route.abort('connectionreset'));
      await page.getByRole('button', { name: 'Publish library' }).click();
      await page.getByText(/^The service cannot be reached\./).waitFor();
      await page.context().unroute('**/upload-authorizations');
      await page.evaluate("dispatchEvent(new Event('online'))");
      await page.getByText('Published as revision 1.').waitFor();
      const ada = await dashboard.service.member('ada');
      const { body } = await ada.get('/namespaces/ada/libraries/everybodys');
      expect(body).toMatchObject({ visibility: 'public' });
    });

    test('while editing: the typed text stays, and can be saved once the network is back', async () => {
      const page = await dashboard.open('/app/ada/listed?tab=settings', { userName: 'ada' });
      await page.getByRole('textbox', { name: 'Title' }).fill('Typed while away');
      await page.context().setOffline(true);
      await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
      await page.getByRole('button', { name: 'Save' }).click();
      await page
        .getByText(/cannot be reached/)
        .first()
        .waitFor();
      await page.context().setOffline(false);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Typed while away', level: 1 }).waitFor();
    });
  });
});
