import type {
  AdministeredWebhook,
  AdministeredWebhookPage,
  AuditPage,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
} from '@bindery/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MACHINE } from '../../src/access/viewer.ts';
import { createWebhookTransport } from '../../src/adapters/webhooks/http-transport.ts';
import {
  administeredDeliveries,
  administerWebhook,
  redeliverAsOperator,
} from '../../src/administration/webhooks.ts';
import { startSendingWebhooks } from '../../src/jobs/send-webhooks.ts';
import type { Actor } from '../actor.ts';
import { operator } from '../admin/operators.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const DAY = 86_400;

describe.each(databases)('the webhooks of all namespaces, over $name', ({ open }) => {
  let service: TestService;
  let receiver: Receiver;
  let ann: Actor;
  let olga: Actor;
  let team: string;
  let hook: Webhook;
  let teams = 0;

  beforeAll(async () => {
    service = await startService({
      database: await open(),
      stillClock: true,
      configuration: { webhookNetworks: ['loopback'] },
    });
    ann = await service.member('ann');
    olga = await operator(service, 'olga');
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    receiver = await startReceiver();
    team = `team-${++teams}`;
    await ann.post('/namespaces', { slug: team });
    ({ body: hook } = await ann.post<Webhook>(own(), { url: `${receiver.url}/a-secret-path` }));
  });
  afterEach(async () => {
    await service.context.db.deleteFrom('webhooks').execute();
    await receiver.close();
  });

  const own = () => `/namespaces/${team}/webhooks`;
  const at = () => `/admin/webhooks/${hook.id}`;
  const pause = (paused: boolean, by = olga) => by.patch<AdministeredWebhook>(at(), { paused });

  async function listed(query = ''): Promise<AdministeredWebhook[]> {
    const { status, body } = await olga.get<AdministeredWebhookPage>(`/admin/webhooks?${query}`);
    expect(status).toBe(200);
    return body.webhooks;
  }

  async function sendDue(): Promise<void> {
    const transport = createWebhookTransport({ networks: ['loopback'] });
    const sender = startSendingWebhooks(service.context, transport);
    await sender.sendDue();
    await sender.stop();
  }

  async function ping(): Promise<string> {
    const { body } = await ann.post<WebhookDelivery>(`${own()}/${hook.id}/ping`);
    return body.id;
  }

  test('are listed by namespace and state with counts of waiting and failed deliveries, without URL paths', async () => {
    const other = `other-${team}`;
    await ann.post('/namespaces', { slug: other });
    await ann.post(`/namespaces/${other}/webhooks`, { url: `${receiver.url}/hook` });
    receiver.answer = (response) => response.writeHead(500).end();
    await ping();
    await sendDue();
    await service.context.db
      .updateTable('webhook_deliveries')
      .set({ state: 'failed', due_at: null })
      .execute();
    await ping();
    expect(await listed(`search=${team}`)).toMatchObject([
      { namespace: other, state: 'active', waiting: 0, failed: 0 },
      {
        id: hook.id,
        namespace: team,
        host: new URL(receiver.url).host,
        state: 'failing',
        waiting: 1,
        failed: 1,
      },
    ]);
    expect((await listed(`search=${team}&state=failing`)).map(({ id }) => id)).toEqual([hook.id]);
    expect((await listed(`search=${team}&state=active`)).map(({ namespace }) => namespace)).toEqual([other]);
    expect(await listed(`search=${team}&state=paused`)).toEqual([]);
    expect(JSON.stringify(await listed())).not.toContain('a-secret-path');
    const first = await olga.get<AdministeredWebhookPage>(`/admin/webhooks?search=${team}&pageSize=1`);
    expect(first.body).toMatchObject({ total: 2, totalPages: 2, webhooks: [{ namespace: other }] });
    expect((await olga.get('/admin/webhooks?state=asleep')).status).toBe(400);
  });

  test('paused by an operator can be resumed only by an operator, and then send what waited', async () => {
    expect((await pause(true)).body).toMatchObject({
      state: 'paused',
      pauseReason: 'An operator of the service paused it.',
    });
    const id = await ping();
    await sendDue();
    expect(receiver.received).toEqual([]);
    const resumed = await ann.patch(`${own()}/${hook.id}`, { paused: false });
    expect(resumed).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    await ann.patch(`${own()}/${hook.id}`, { url: `${receiver.url}/elsewhere`, paused: true });
    expect((await ann.patch(`${own()}/${hook.id}`, { paused: false })).status).toBe(403);
    await sendDue();
    expect(receiver.received).toEqual([]);

    const { body: log } = await ann.get<AuditPage>(`/namespaces/${team}/audit?user=olga`);
    expect(log.entries).toMatchObject([
      { action: 'webhook.change', actor: 'olga', target: hook.id, details: { paused: true } },
    ]);
    expect((await pause(false)).body).toMatchObject({ state: 'active', pauseReason: null });
    await sendDue();
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([id]);
    await ann.patch(`${own()}/${hook.id}`, { paused: true });
    expect((await ann.patch(`${own()}/${hook.id}`, { paused: false })).status).toBe(200);
  });

  test('paused by the service can be resumed by an operator or by the owner', async () => {
    receiver.answer = (response) => response.writeHead(410).end();
    await ping();
    await sendDue();
    expect(await listed(`search=${team}&state=paused`)).toMatchObject([
      { pauseReason: 'It responded with 410 Gone.' },
    ]);
    expect((await pause(false)).body).toMatchObject({ state: 'active' });
    service.advance(DAY);
    await sendDue();
    expect((await listed(`search=${team}`))[0]?.state).toBe('paused');
    expect((await ann.patch(`${own()}/${hook.id}`, { paused: false })).status).toBe(200);
  });

  test('have deliveries that operators can list and send again', async () => {
    const id = await ping();
    await sendDue();
    const read = (query = '') => olga.get<WebhookDeliveryPage>(`${at()}/deliveries${query}`);
    expect((await read()).body.deliveries).toMatchObject([{ id, state: 'delivered', event: 'ping' }]);
    expect((await read('?state=failed')).body.deliveries).toEqual([]);
    const again = await olga.post<WebhookDelivery>(`${at()}/deliveries/${id}/redeliver`);
    expect(again).toMatchObject({ status: 202, body: { id, state: 'pending' } });
    await sendDue();
    expect(receiver.received).toHaveLength(2);
    expect((await olga.post(`${at()}/deliveries/msg_none/redeliver`)).status).toBe(404);
    expect((await olga.get('/admin/webhooks/none/deliveries')).status).toBe(404);
    expect((await olga.patch('/admin/webhooks/none', { paused: true })).status).toBe(404);
  });

  test('can also be paused, resumed and redelivered on the machine', async () => {
    const { context } = service;
    const id = await ping();
    expect(await administerWebhook(context, MACHINE, { webhookId: hook.id }, { paused: true })).toMatchObject(
      {
        state: 'paused',
        namespace: team,
      },
    );
    expect((await ann.patch(`${own()}/${hook.id}`, { paused: false })).status).toBe(403);
    expect(
      await administerWebhook(context, MACHINE, { webhookId: hook.id }, { paused: false }),
    ).toMatchObject({ state: 'active' });
    await sendDue();
    expect(await redeliverAsOperator(context, MACHINE, { webhookId: hook.id, deliveryId: id })).toMatchObject(
      { id, state: 'pending' },
    );
    expect(
      (await administeredDeliveries(context, { webhookId: hook.id }, { first: 5 })).deliveries,
    ).toMatchObject([{ id }]);
    await expect(
      administerWebhook(context, MACHINE, { webhookId: 'none' }, { paused: true }),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
