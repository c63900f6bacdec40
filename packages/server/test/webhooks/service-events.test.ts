import type { AdministeredWebhook, Webhook, WebhookDeliveryPage } from '@bindery/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MACHINE } from '../../src/access/viewer.ts';
import { changeUser } from '../../src/administration/users.ts';
import { administerWebhook } from '../../src/administration/webhooks.ts';
import { recordDamaged } from '../../src/objects/health/damage.ts';
import type { Actor } from '../actor.ts';
import { operator } from '../admin/operators.ts';
import { databases } from '../databases.ts';
import { Publisher } from '../libraries/publisher.ts';
import { startService, type TestService } from '../service.ts';

const RECEIVER = 'https://receiver.invalid/hook';

describe.each(databases)('service events for webhooks, over $name', ({ open }) => {
  let service: TestService;
  let olga: Actor;
  let hook: Webhook;
  let people = 0;

  beforeAll(async () => {
    service = await startService({ database: await open() });
    olga = await operator(service, 'olga');
    await olga.post('/namespaces', { slug: 'operations' });
    ({ body: hook } = await olga.post<Webhook>('/namespaces/operations/webhooks', { url: RECEIVER }));
    // Nothing is sent: what is queued is looked at.
    await olga.patch(own(), { paused: true });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    await tell(true);
    await service.context.db.deleteFrom('webhook_deliveries').execute();
  });

  const own = () => `/namespaces/operations/webhooks/${hook.id}`;
  const tell = (serviceEvents: boolean) =>
    olga.patch<AdministeredWebhook>(`/admin/webhooks/${hook.id}`, { serviceEvents });
  const newcomer = () => `person-${++people}`;

  /** What is queued, the oldest first. */
  async function told() {
    const { body } = await olga.get<WebhookDeliveryPage>(`${own()}/deliveries`);
    return body.deliveries
      .map(({ event, payload }) => ({ event, data: payload.data as Record<string, unknown> }))
      .reverse();
  }

  test('report accounts and namespaces that are created, changed, handed over or deleted', async () => {
    const ann = newcomer();
    const actor = await service.member(ann);
    await olga.patch(`/admin/users/${ann}`, { disabled: true });
    await changeUser(service.context, MACHINE, { userName: ann }, { operator: true });
    await olga.patch(`/admin/users/${ann}`, { disabled: false });
    await actor.post('/namespaces', { slug: `team-${ann}` });
    await olga.post(`/admin/namespaces/team-${ann}/hand-over`, { to: 'olga' });
    await olga.delete(`/namespaces/team-${ann}`);
    await olga.delete(`/admin/users/${ann}`);
    expect(await told()).toEqual([
      { event: 'account.created', data: { user: ann, operator: false, actor: null } },
      { event: 'account.changed', data: { user: ann, disabled: true, actor: 'olga' } },
      { event: 'account.changed', data: { user: ann, operator: true, actor: null } },
      { event: 'account.changed', data: { user: ann, disabled: false, actor: 'olga' } },
      { event: 'namespace.created', data: { namespace: `team-${ann}`, actor: ann } },
      {
        event: 'namespace.handed-over',
        data: { namespace: `team-${ann}`, user: 'olga', actor: 'olga' },
      },
      { event: 'namespace.deleted', data: { namespace: `team-${ann}`, actor: 'olga' } },
      { event: 'account.deleted', data: { user: ann, actor: 'olga' } },
    ]);
  });

  test('report a reached quota at most once a day', async () => {
    const ann = newcomer();
    const robots = new Publisher(await service.member(ann), ann, 'robots');
    await olga.patch(`/admin/namespaces/${ann}/quota`, { bytes: 3 });
    await service.context.db.deleteFrom('webhook_deliveries').execute();
    const refused = () => robots.publish({ 'a/b.txt': 'too much' });
    await expect(refused()).rejects.toThrow('quota_exceeded');
    const again = await Promise.allSettled([refused(), refused()]);
    for (const { status } of again) expect(status).toBe('rejected');
    expect(await told()).toMatchObject([
      { event: 'quota.reached', data: { namespace: ann, quota: 'bytes', limit: 3, used: 0, wanted: 8 } },
    ]);
    service.advance(86_401);
    await expect(refused()).rejects.toThrow('quota_exceeded');
    service.advance(-86_401);
    expect(await told()).toHaveLength(2);
  });

  test('report the number of damaged objects in a library, each object only once', async () => {
    const ann = newcomer();
    const robots = new Publisher(await service.member(ann), ann, 'robots');
    await robots.publish({ 'a/b.txt': 'x' });
    const { context } = service;
    const { store_id: storeId } = await context.db
      .selectFrom('libraries')
      .innerJoin('namespaces', 'namespaces.id', 'libraries.namespace_id')
      .select('store_id')
      .where('slug', '=', ann)
      .executeTakeFirstOrThrow();
    await context.db.deleteFrom('webhook_deliveries').execute();
    await recordDamaged(context, storeId, ['a'.repeat(64), 'b'.repeat(64)]);
    await recordDamaged(context, storeId, ['a'.repeat(64)]);
    expect(await told()).toEqual([
      { event: 'objects.damaged', data: { namespace: ann, library: 'robots', objects: 2 } },
    ]);
  });

  test('go only to webhooks chosen by an operator, until the owner changes the URL', async () => {
    expect((await tell(false)).body).toMatchObject({ serviceEvents: false, state: 'paused' });
    await service.member(newcomer());
    expect(await told()).toEqual([]);
    const chosen = await administerWebhook(
      service.context,
      MACHINE,
      { webhookId: hook.id },
      { serviceEvents: true },
    );
    expect(chosen).toMatchObject({ serviceEvents: true, state: 'paused' });
    const { body } = await olga.get<{ webhooks: Webhook[] }>('/namespaces/operations/webhooks');
    expect(body.webhooks).toMatchObject([{ serviceEvents: true }]);
    const moved = await olga.patch<Webhook>(own(), { url: `${RECEIVER}/elsewhere` });
    expect(moved.body.serviceEvents).toBe(false);
    await service.member(newcomer());
    expect(await told()).toEqual([]);
    const bob = await service.member(newcomer());
    expect((await bob.patch(`/admin/webhooks/${hook.id}`, { serviceEvents: true })).status).toBe(404);
    expect((await olga.patch(`/admin/webhooks/${hook.id}`, {})).status).toBe(400);
  });
});
