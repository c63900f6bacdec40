import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, useDashboard } from './dashboard.ts';

describe.skipIf(browserPath === null)('buttons of a list say to screen readers what they act on', () => {
  let sketch = '';
  const dashboard = useDashboard(['ada'], async (service) => {
    const ada = await service.member('ada');
    await Promise.all(['bo', 'cy'].map((userName) => service.member(userName)));
    for (const name of ['kitchen', 'robots']) {
      await publish(ada, `ada/${name}`, { assets: [{ id: 'mug', files: { 'mug/mug.obj': 'v 0 0 0\n' } }] });
      await ada.delete(`/namespaces/ada/libraries/${name}`);
    }
    for (const slug of ['team', 'club']) await ada.post('/namespaces', { slug });
    const projects = ['plans', 'tests'];
    for (const slug of projects) await ada.post('/namespaces/ada/projects', { displayName: slug, slug });
    const { body } = await ada.post<{ id: string }>('/namespaces/ada/notes', { name: 'Sketch', projects });
    sketch = body.id;
    for (const userName of ['bo', 'cy']) {
      await ada.put(`/namespaces/team/members/${userName}`, { role: 'member' });
      await ada.put(`/namespaces/ada/projects/plans/grants/${userName}`, { role: 'reader' });
    }
    // Last, so that no deliveries are listed.
    for (const port of [1, 2])
      await ada.post('/namespaces/ada/webhooks', { url: `http://127.0.0.1:${port}/` });
  });

  /** The names of all buttons outside dialogs, as screen readers read them. */
  const namesOn = async (page: Page) => {
    const lines = (await page.getByRole('main').ariaSnapshot()).split('\n');
    return lines.flatMap((line) => line.match(/^\s*- '?button "(.*?)"/)?.[1] ?? []);
  };

  test.each([
    [
      '/app/ada/-/trash',
      ['Restore ada/kitchen', 'Purge ada/kitchen', 'Restore ada/robots', 'Purge ada/robots'],
    ],
    ['/app/team/-/members', ['Remove bo', 'Remove cy']],
    ['/app/ada/-/projects/plans', ['Revoke the role of bo', 'Revoke the role of cy']],
    ['/app/ada/-/webhooks', ['Remove: http://127.0.0.1:1/', 'New secret: http://127.0.0.1:2/']],
  ])('on %s', async (path, names) => {
    const page = await dashboard.open(path, { userName: 'ada' });
    await expect.poll(() => namesOn(page)).toEqual(expect.arrayContaining(names));
    const found = await namesOn(page);
    expect(found).toEqual([...new Set(found)]);
  });

  test('on the page of a Note', async () => {
    const page = await dashboard.open(`/app/ada/-/notes/${sketch}`, { userName: 'ada' });
    await expect
      .poll(() => namesOn(page))
      .toEqual(expect.arrayContaining(['Remove from plans', 'Remove from tests']));
  });

  test('on the page of the account', async () => {
    const elsewhere = await dashboard.open('/app/', { userName: 'ada' });
    await elsewhere.getByRole('button', { name: 'ada Menu' }).waitFor();
    const page = await dashboard.open('/app/-/account', { userName: 'ada' });
    await page.getByLabel('Name', { exact: true }).fill('laptop');
    await page.getByRole('button', { name: 'Create token' }).click();
    await expect
      .poll(() => namesOn(page))
      .toEqual(
        expect.arrayContaining([
          'Revoke the token laptop',
          'Leave team',
          'Leave club',
          expect.stringMatching(/^Sign out .+, signed in since /),
        ]),
      );
  });
});
