import { describe, expect, test } from 'vitest';
import { MACHINE } from '../../server/src/access/viewer.ts';
import { changeUser } from '../../server/src/administration/users.ts';
import type { Actor } from '../../server/test/actor.ts';
import { startReceiver } from '../../server/test/webhooks/receiver.ts';
import { browserPath, findAccessibilityProblems, type PageOptions, useDashboard } from './dashboard.ts';

describe.skipIf(browserPath === null)('the Admin page of all webhooks', () => {
  let ann: Actor;
  const dashboard = useDashboard(['olga'], async (service) => {
    await changeUser(service.context, MACHINE, { userName: 'olga' }, { operator: true });
    ann = await service.member('ann');
    await service.member('bob');
  });

  const looks: PageOptions[] = [
    { width: 1280, colorScheme: 'light' },
    { width: 320, colorScheme: 'dark' },
  ];
  test.each(looks)('lists, pauses and resumes webhooks and sends deliveries again, with %j', async (look) => {
    const receiver = await startReceiver();
    try {
      const { host } = new URL(receiver.url);
      const { body: hook } = await ann.post<{ id: string }>('/namespaces/ann/webhooks', {
        url: `${receiver.url}/secret-path`,
      });
      await ann.post(`/namespaces/ann/webhooks/${hook.id}/ping`);
      await expect.poll(() => receiver.received.length).toBe(1);

      const page = await dashboard.open('/app/-/admin', { ...look, userName: 'olga' });
      const nav = page.getByRole('navigation', { name: 'Admin pages' });
      await nav.getByRole('link', { name: 'Webhooks' }).click();
      const card = page.getByRole('region', { name: `ann to ${host}` });
      await card.getByText('Active · all events · 0 pending, 0 failed').waitFor();
      expect(await page.getByText('secret-path').count()).toBe(0);

      await card.getByText('Deliveries').click();
      await card.getByRole('button', { name: /^Redeliver: ping/ }).click();
      await expect.poll(() => receiver.received.length).toBe(2);

      await card.getByRole('button', { name: `Send service events: ann to ${host}` }).click();
      await card.getByText('It also gets events of the service').waitFor();
      await card.getByRole('button', { name: `Stop service events: ann to ${host}` }).click();
      await card.getByText('It also gets events of the service').waitFor({ state: 'detached' });

      await card.getByRole('button', { name: `Pause: ann to ${host}` }).click();
      await card.getByText('An operator of the service paused it.').waitFor();
      expect(await findAccessibilityProblems(page)).toEqual([]);
      await page.getByLabel('State').selectOption('failing');
      await page.getByRole('heading', { name: 'There are no such webhooks' }).waitFor();
      await page.getByLabel('State').selectOption('paused');
      await card.getByRole('button', { name: `Resume: ann to ${host}` }).click();
      await page.getByRole('heading', { name: 'There are no such webhooks' }).waitFor();
      expect(new URL(page.url()).search).toBe('?state=paused');
      await ann.delete(`/namespaces/ann/webhooks/${hook.id}`);
    } finally {
      await receiver.close();
    }
  });
});
