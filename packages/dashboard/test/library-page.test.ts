import { describe, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, findAccessibilityProblems, useDashboard } from './dashboard.ts';

const OBJ = 'v 0 0 0\n';

describe.skipIf(browserPath === null)('the page of a library', () => {
  const dashboard = useDashboard(['ada', 'bob', 'rita'], async (service) => {
    const ada = await service.member('ada');
    await publish(ada, 'ada/robots', {
      visibility: 'public',
      library: { title: 'Robots', description: 'Arms and hands, of which some can be taken apart.' },
      assets: [
        {
          id: 'arm',
          title: 'Arm',
          description: 'Six joints',
          kind: 'mjcf',
          license: 'MIT',
          files: { 'arm/arm.xml': '<mujoco/>' },
        },
        { id: 'hand', title: 'Hand', kind: 'mesh', license: 'Apache-2.0', files: { 'hand/hand.obj': OBJ } },
        { id: 'leg', title: 'Leg', kind: 'mesh', license: 'MIT', files: { 'leg/leg.obj': OBJ } },
      ],
      generated: { '.bindery/source/README.md': 'All about robots.' },
    });
    for (const title of ['First legs', 'Second legs'])
      await publish(ada, 'ada/legs', {
        visibility: 'public',
        library: { title },
        assets: [{ id: 'leg', files: { 'leg/leg.obj': OBJ + title } }],
      });
    await publish(ada, 'ada/nothing', { visibility: 'public', assets: [] });
    await ada.put('/namespaces/ada/members/rita', { role: 'reader' });
  });

  test('shows its robots and the line that pulls them without scrolling', async () => {
    const page = await dashboard.open('/app/ada/robots', { userName: 'ada' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const card = page.getByRole('article').first();
    await card.waitFor();
    await page.getByText('Arms and hands').waitFor();
    await expect.poll(async () => (await card.boundingBox())?.y).toBeLessThan(420);
    await page.getByRole('button', { name: 'Copy: Pull the whole library' }).click();
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toBe(`bindery library pull ada/robots -o robots --api-url ${dashboard.service.url}`);
  });

  test('lets those who manage it go back to an earlier revision, and says what the history costs', async () => {
    const reader = await dashboard.open('/app/ada/legs?tab=history', { userName: 'rita' });
    await reader.getByText('Revision 1').waitFor();
    expect(await reader.getByRole('button', { name: 'Restore' }).count()).toBe(0);
    const page = await dashboard.open('/app/ada/legs?tab=settings', { userName: 'ada' });
    await page.getByText('1 replaced revision is kept').waitFor();
    await page
      .getByRole('navigation', { name: 'Parts of this library' })
      .getByRole('link', { name: 'History' })
      .click();
    await page.getByText('bindery library pull ada/legs#1 -o legs-1').waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('region', { name: 'History' }).getByText('Revision 3').waitFor();
    await page.getByRole('heading', { name: 'First legs' }).waitFor();
  });

  test('has tabs with addresses of their own, through which Back leads', async () => {
    const page = await dashboard.open('/app/ada/robots?q=arm', { userName: 'ada' });
    const tabs = page.getByRole('navigation', { name: 'Parts of this library' });
    const chosen = tabs.locator('[aria-current=page]');
    await expect.poll(() => chosen.allTextContents()).toEqual(['Assets']);
    await tabs.getByRole('link', { name: 'README' }).click();
    await page.waitForURL('**/app/ada/robots?tab=readme');
    await page.getByText('All about robots.').waitFor();
    await tabs.getByRole('link', { name: 'History' }).click();
    await page.getByText('3 assets added').waitFor();
    await expect.poll(() => chosen.allTextContents()).toEqual(['History']);
    await page.goBack();
    await page.getByText('All about robots.').waitFor();
    await page.goBack();
    await page.waitForURL('**/app/ada/robots?q=arm');
    await page.getByText('1 result').waitFor();
  });

  test('keeps its tabs in one line on a phone', async () => {
    const page = await dashboard.open('/app/ada/robots', { width: 390, userName: 'ada' });
    const tabs = page.getByRole('navigation', { name: 'Parts of this library' });
    await tabs.getByRole('link', { name: 'Settings' }).waitFor();
    await expect.poll(async () => (await tabs.boundingBox())?.height).toBeLessThan(60);
  });

  test('filters by the kind and the licence that a card names', async () => {
    const page = await dashboard.open('/app/ada/robots');
    const hand = page.getByRole('article').filter({ hasText: 'Hand' });
    await page.getByText('Six joints').waitFor();
    await hand.getByRole('link', { name: 'mesh' }).click();
    await page.waitForURL('**/app/ada/robots?kind=mesh');
    await page.getByText('2 assets', { exact: true }).waitFor();
    await page.getByRole('article').filter({ hasText: 'Leg' }).getByRole('link', { name: 'MIT' }).click();
    await page.waitForURL('**/app/ada/robots?kind=mesh&license=MIT');
    await page.getByText('1 asset', { exact: true }).waitFor();
  });

  test('of an empty one offers those who may publish the way there, with its own name filled in', async () => {
    const page = await dashboard.open('/app/ada/nothing', { userName: 'ada' });
    await page.getByRole('heading', { name: 'This library is empty' }).waitFor();
    await page.getByText(`bindery login --api-url ${dashboard.service.url}`).waitFor();
    await page.getByText('bindery library push ./robots ada/nothing').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'Push a folder' }).last().click();
    await page.waitForURL('**/app/ada/nothing/-/push');

    const reader = await dashboard.open('/app/ada/nothing', { userName: 'rita' });
    await reader.getByRole('heading', { name: 'This library is empty' }).waitFor();
    await expect.poll(() => reader.getByText('bindery library push').count()).toBe(0);
  });

  test('of a namespace offers a new library there to those who may create one', async () => {
    const page = await dashboard.open('/app/bob', { userName: 'bob' });
    await page.getByRole('heading', { name: 'No libraries yet' }).waitFor();
    await page.getByText('bindery library push ./robots bob/robots').waitFor();
    await page.goto('/app/ada');
    await page.getByRole('heading', { name: 'Robots' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'New library' }).count()).toBe(0);

    const owner = await dashboard.open('/app/ada', { userName: 'ada' });
    await owner.getByRole('link', { name: 'New library' }).click();
    await owner.waitForURL('**/app/-/new?namespace=ada');
    await expect.poll(() => owner.getByLabel('Namespace').inputValue()).toBe('ada');

    const reader = await dashboard.open('/app/ada', { userName: 'rita' });
    await reader.getByRole('heading', { name: 'Robots' }).waitFor();
    await reader.getByRole('link', { name: 'Members' }).waitFor();
    await expect.poll(() => reader.getByRole('link', { name: 'New library' }).count()).toBe(0);
  });
});
