import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { AuditPage, Webhook, WebhookDelivery, WebhookDeliveryPage } from '@bindery/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { servePrometheus } from '../../src/adapters/metrics/prometheus.ts';
import { createWebhookTransport } from '../../src/adapters/webhooks/http-transport.ts';
import { recordAudit } from '../../src/audit/audit-log.ts';
import { deleteExpired } from '../../src/jobs/index.ts';
import { startSendingWebhooks } from '../../src/jobs/send-webhooks.ts';
import type { WebhookTransport } from '../../src/webhooks/transport.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { Publisher } from '../libraries/publisher.ts';
import { startService, type TestService } from '../service.ts';
import { type Received, type Receiver, respondNoContent, startReceiver } from './receiver.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;

type Made = Webhook & { secret: string };

describe.each(databases)('webhooks, over $name', ({ open }) => {
  let service: TestService;
  let metrics: Awaited<ReturnType<typeof servePrometheus>>;
  let receiver: Receiver;
  let ada: Actor;
  let team: string;
  let teams = 0;

  beforeAll(async () => {
    metrics = await servePrometheus({ host: '127.0.0.1', port: 0 });
    service = await startService({
      database: await open(),
      metrics,
      stillClock: true,
      configuration: { webhookNetworks: ['loopback'], webhookDays: 10 },
    });
    ada = await service.member('ada');
  });
  afterAll(async () => {
    await service.close();
    await metrics.close();
  });
  beforeEach(async () => {
    receiver = await startReceiver();
    team = `team-${++teams}`;
    await ada.post('/namespaces', { slug: team });
  });
  afterEach(async () => {
    await service.context.db.deleteFrom('webhooks').execute();
    await receiver.close();
  });

  const at = () => `/namespaces/${team}/webhooks`;

  async function webhook(body: Record<string, unknown> = {}): Promise<Made> {
    const made = await ada.post<Made>(at(), { url: `${receiver.url}/hook`, ...body });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return made.body;
  }

  async function read(id: string): Promise<Webhook | undefined> {
    const { body } = await ada.get<{ webhooks: Webhook[] }>(at());
    return body.webhooks.find((one) => one.id === id);
  }

  async function deliveries(id: string, query = ''): Promise<WebhookDelivery[]> {
    const { status, body } = await ada.get<WebhookDeliveryPage>(`${at()}/${id}/deliveries${query}`);
    expect(status).toBe(200);
    return body.deliveries;
  }

  /** Another process over the same database, or one in its place. */
  function another(transport: WebhookTransport = createWebhookTransport({ networks: ['loopback'] })) {
    return startSendingWebhooks(service.context, transport);
  }

  /** Sends all that is due now. */
  async function sendDue(transport?: WebhookTransport): Promise<void> {
    const sender = another(transport);
    await sender.sendDue();
    await sender.stop();
  }

  /** Lets a webhook that failed lately be tried, and sends what is due then. */
  async function sendLater(seconds: number): Promise<void> {
    service.advance(seconds);
    await sendDue();
  }

  const eventOf = ({ body }: Received) => JSON.parse(body) as { type: string; data: Record<string, unknown> };
  const ping = (id: string) => ada.post<WebhookDelivery>(`${at()}/${id}/ping`);

  /** The values of webhooks' metrics, by name and label. */
  async function measured(): Promise<Record<string, number>> {
    const text = await (await fetch(metrics.url)).text();
    const lines = text.matchAll(/^bindery_webhook_(\w+)(?:\{\w+="(\w+)"\})? (\S+)$/gm);
    return Object.fromEntries(
      [...lines].map(([, name, label, value]) => [[name, label].filter(Boolean).join(' '), Number(value)]),
    );
  }

  test('have metrics of waiting deliveries, the longest wait, and delivered, deferred and failed attempts', async () => {
    const before = await measured();
    const since = async (name: string) => ((await measured())[name] ?? 0) - (before[name] ?? 0);
    const { id } = await webhook();
    await ada.patch(`${at()}/${id}`, { paused: true });
    await ping(id);
    await ping(id);
    service.advance(90);
    expect(await measured()).toMatchObject({
      'deliveries_waiting active': 0,
      'deliveries_waiting paused': 2,
      oldest_waiting_seconds: 0,
    });
    receiver.answer = (response) => response.writeHead(500).end();
    await ada.patch(`${at()}/${id}`, { paused: false });
    expect(await measured()).toMatchObject({ 'deliveries_waiting active': 2, oldest_waiting_seconds: 90 });
    await sendDue();
    await expect.poll(() => since('attempts_total deferred')).toBe(1);
    await service.context.db.updateTable('webhook_deliveries').set({ attempts: 11 }).execute();
    await sendLater(3_600);
    await expect.poll(() => since('attempts_total failed')).toBe(1);
    receiver.answer = respondNoContent;
    await sendLater(3_600);
    await expect.poll(() => since('attempts_total delivered')).toBe(1);
    expect(await measured()).toMatchObject({ 'deliveries_waiting active': 0, oldest_waiting_seconds: 0 });
  });

  test('send events about libraries, releases, members, projects and Notes', async () => {
    await service.member('bob');
    await webhook();
    const robots = new Publisher(ada, team, 'robots');
    await robots.publish({ 'a/b.txt': 'x' }, { share: true });
    await ada.post(`${robots.path}/releases`, { name: 'v1' });
    await ada.delete(`${robots.path}/releases/v1`);
    await ada.post(robots.path, { visibility: 'public' });
    await ada.delete(robots.path);
    await ada.post(`${robots.path}/restore`);
    await ada.delete(robots.path);
    await ada.delete(`${robots.path}/purge`);
    await ada.put(`/namespaces/${team}/members/bob`, { role: 'member' });
    await ada.delete(`/namespaces/${team}/members/bob`);
    await ada.post(`/namespaces/${team}/projects`, { displayName: 'Lab', slug: 'lab' });
    const note = await ada.post<{ id: string }>(`/namespaces/${team}/notes`, { name: 'Plan' });
    await ada.patch(`/namespaces/${team}`, { displayName: 'Nobody is told of this' });
    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(12);
    const told = receiver.received.map(eventOf).map(({ type, data }) => ({ type, ...data }));
    const about = { namespace: team, actor: 'ada' };
    expect(told).toEqual([
      {
        type: 'library.registered',
        ...about,
        library: 'robots',
        revision: 1,
        visibility: 'private',
        shared: true,
      },
      { type: 'release.created', ...about, library: 'robots', release: 'v1', revision: 1 },
      { type: 'release.deleted', ...about, library: 'robots', release: 'v1', revision: 1 },
      { type: 'library.access-set', ...about, library: 'robots', visibility: 'public', shared: true },
      { type: 'library.deleted', ...about, library: 'robots' },
      { type: 'library.restored', ...about, library: 'robots' },
      { type: 'library.deleted', ...about, library: 'robots' },
      { type: 'library.purged', ...about, library: 'robots' },
      { type: 'member.set', ...about, user: 'bob', role: 'member' },
      { type: 'member.removed', ...about, user: 'bob' },
      { type: 'project.created', ...about, project: 'lab', visibility: 'private' },
      { type: 'note.created', ...about, note: note.body.id, visibility: 'private' },
    ]);
  });

  test('are signed verifiably, with both the old and the new secret for a day after a rotation', async () => {
    const { id, secret, ...made } = await webhook();
    expect(made).toMatchObject({
      url: `${receiver.url}/hook`,
      events: null,
      state: 'active',
      createdBy: 'ada',
    });
    const { body: rotated } = await ada.post<{ secret: string }>(`${at()}/${id}/secret`);
    await ping(id);
    await sendDue();
    service.advance(DAY + 1);
    await ping(id);
    await sendDue();
    await expect.poll(() => receiver.received.length).toBe(2);
    const [first, second] = receiver.received;
    expect(signers(first, [secret, rotated.secret])).toEqual([rotated.secret, secret]);
    expect(signers(second, [secret, rotated.secret])).toEqual([rotated.secret]);
    expect(first?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(Number(first?.headers['webhook-timestamp'])).toBe(
      Math.floor((service.context.clock() - (DAY + 1) * 1_000) / 1_000),
    );
    const everything = JSON.stringify([await read(id), await deliveries(id)]);
    const { body: log } = await ada.get<AuditPage>(`/namespaces/${team}/audit`);
    for (const hidden of [secret, rotated.secret]) {
      expect(everything).not.toContain(hidden);
      expect(JSON.stringify(log)).not.toContain(hidden);
    }
    expect(log.entries.map(({ action }) => action)).toEqual([
      'webhook.rotate',
      'webhook.create',
      'namespace.create',
    ]);
  });

  test('send only the events that they subscribe to, and only those of their namespace', async () => {
    const { id } = await webhook({ events: ['note.created', 'member.set'] });
    await ada.post(`/namespaces/${team}/projects`, { displayName: 'Lab', slug: 'lab' });
    await ada.post('/namespaces/ada/notes', { name: 'Elsewhere' });
    await ada.post(`/namespaces/${team}/notes`, { name: 'Here' });
    await ada.patch(`${at()}/${id}`, { events: ['project.deleted'] });
    await ada.post(`/namespaces/${team}/notes`, { name: 'Not any more' });
    await ada.delete(`/namespaces/${team}/projects/lab`);
    expect((await deliveries(id)).map(({ event }) => event)).toEqual(['project.deleted', 'note.created']);
  });

  test('send no event for a transaction that is rolled back', async () => {
    const { id } = await webhook();
    const { db, clock } = service.context;
    const namespace = await db
      .selectFrom('namespaces')
      .select(['id', 'slug'])
      .where('slug', '=', team)
      .executeTakeFirstOrThrow();
    const actor = { userName: 'ada', via: 'token', origin: null } as const;
    const rolledBack = db.transaction().execute(async (trx) => {
      await recordAudit(trx, clock(), actor, { action: 'note.delete', namespace, target: 'n' });
      throw new Error('killed before the commit');
    });
    await expect(rolledBack).rejects.toThrow('killed');
    expect(await deliveries(id)).toEqual([]);
  });

  test('a delivery whose process is killed during an attempt is sent later by another, under the same id', async () => {
    const { id } = await webhook();
    // Nobody writes down how this attempt ended, as if its process had been killed.
    let begun: string | undefined;
    const killed = another({
      urlProblem: () => null,
      send: ({ headers, signal }) => {
        begun = headers['webhook-id'];
        return new Promise((done) => signal.addEventListener('abort', () => done({ kind: 'interrupted' })));
      },
    });
    // The service sends too; sooner or later the other one is quicker.
    const attempt = async () => {
      if (begun === undefined) await ping(id);
      void killed.sendDue();
      return begun;
    };
    await expect.poll(attempt, { timeout: 30_000 }).toBeDefined();
    const sent = () => receiver.received.filter(({ headers }) => headers['webhook-id'] === begun).length;
    await sendDue();
    expect(sent()).toBe(0);
    const interrupted = async () => (await deliveries(id)).find((one) => one.id === begun);
    expect(await interrupted()).toMatchObject({ state: 'pending', attempts: 1 });
    await expect
      .poll(async () => {
        await sendLater(61);
        return interrupted();
      })
      .toMatchObject({ state: 'delivered', attempts: 2, lastStatus: 204 });
    expect(sent()).toBe(1);
    await killed.stop();
  });

  test('a delivery interrupted by a shutdown is sent again later', async () => {
    const { id } = await webhook();
    receiver.answer = () => {};
    await ping(id);
    const stopping = another();
    const sending = stopping.sendDue();
    await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(1);
    await stopping.stop();
    await sending;
    receiver.answer = respondNoContent;
    await expect
      .poll(async () => {
        await sendLater(61);
        return (await deliveries(id))[0]?.state;
      })
      .toBe('delivered');
  });

  test('several processes send each event once', async () => {
    const { id } = await webhook();
    const others = await Promise.all(
      Array.from({ length: 3 }, () => ada.post<Made>(at(), { url: `${receiver.url}/other` })),
    );
    for (let n = 0; n < 5; n++) for (const one of [id, ...others.map(({ body }) => body.id)]) await ping(one);
    const senders = [another(), another(), another()];
    const done = async () => {
      await Promise.all(senders.map((sender) => sender.sendDue()));
      return receiver.received.length;
    };
    await expect.poll(done, { timeout: 60_000 }).toBeGreaterThanOrEqual(20);
    await Promise.all(senders.map((sender) => sender.stop()));
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(20);
    expect(new Set(ids).size).toBe(20);
  });

  test.each<[string, Receiver['answer'], string, number | null]>([
    ['fails', (response) => response.writeHead(500).end('secret inside'), 'it answered 500', 500],
    [
      'redirects',
      (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
      'it responded with 302, and redirects are not followed',
      302,
    ],
    [
      'returns garbage',
      (response) => response.socket?.end('\0\0 nonsense\r\n\r\n'),
      'its response is not HTTP',
      null,
    ],
    [
      'closes the connection',
      (response) => response.destroy(),
      'the connection failed, or was closed without a response',
      null,
    ],
    ['hangs', () => {}, 'no answer within 0.2 seconds', null],
    [
      'sends endless headers',
      (response) => response.socket?.end(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}`),
      'its response is not HTTP',
      null,
    ],
  ])('a receiver that %s is tried again after half a minute', async (_, answer, lastError, lastStatus) => {
    const { id } = await webhook();
    receiver.answer = answer;
    // The service's own sender waits longer than a test may.
    const impatient = () => createWebhookTransport({ networks: ['loopback'], timeout: 200 });
    await service.context.db
      .updateTable('webhooks')
      .set({ held_until: service.context.clock() + 1_000 })
      .where('id', '=', id)
      .execute();
    await ping(id);
    service.advance(2);
    await sendDue(impatient());
    // The service's own sender may have taken it first.
    const attempt = async () => (await deliveries(id))[0];
    await expect.poll(attempt).toMatchObject({ state: 'pending', attempts: 1 });
    const first = await attempt();
    if (first?.lastError !== 'no answer within 15 seconds') {
      expect(first).toMatchObject({ lastError, lastStatus });
    }
    expect(await read(id)).toMatchObject({ state: 'failing' });
    const wait = Date.parse(first?.nextAttemptAt ?? '') - service.context.clock();
    expect(wait).toBeGreaterThanOrEqual(27_000);
    expect(wait).toBeLessThanOrEqual(33_000);
    receiver.answer = respondNoContent;
    await sendLater(33);
    const delivered = { state: 'delivered', attempts: 2, lastError: null };
    await expect.poll(() => deliveries(id)).toMatchObject([delivered]);
    await expect.poll(() => read(id)).toMatchObject({ state: 'active', failingSince: null });
    expect(receiver.received.every(({ path }) => path === '/hook')).toBe(true);
  });

  test('the Retry-After header of a receiver sets the time of the next attempt', async () => {
    const { id } = await webhook();
    receiver.answer = (response) => response.writeHead(503, { 'retry-after': '7200' }).end();
    await ping(id);
    await sendDue();
    await expect.poll(async () => (await deliveries(id))[0]?.lastStatus).toBe(503);
    const wait = Date.parse((await deliveries(id))[0]?.nextAttemptAt ?? '') - service.context.clock();
    expect(wait).toBe(7_200_000);
  });

  test('a webhook that keeps failing is paused with an audit entry, and delivers everything once resumed', async () => {
    const { id } = await webhook();
    receiver.answer = (response) => response.writeHead(500).end();
    await ping(id);
    for (let hours = 0; hours < 60 && (await read(id))?.state !== 'paused'; hours += 3) {
      await sendLater(3 * HOUR);
    }
    const paused = await read(id);
    expect(paused).toMatchObject({ state: 'paused' });
    expect(paused?.pauseReason).toMatch(/^Nothing could be delivered to it since /);
    const { body: log } = await ada.get<AuditPage>(`/namespaces/${team}/audit?action=webhook.pause`);
    expect(log.entries).toMatchObject([
      { target: id, actor: null, details: { reason: paused?.pauseReason } },
    ]);
    const tries = receiver.received.length;
    receiver.answer = respondNoContent;
    await ada.post(`/namespaces/${team}/notes`, { name: 'Meanwhile' });
    await sendLater(9 * HOUR);
    expect(receiver.received).toHaveLength(tries);
    await ada.patch(`${at()}/${id}`, { paused: false });
    await expect
      .poll(async () => {
        await sendDue();
        return (await deliveries(id)).map(({ state }) => state);
      })
      .toEqual(['delivered', 'delivered']);
    expect(await read(id)).toMatchObject({ state: 'active', pauseReason: null });
  });

  test('a 410 response pauses at once; a delivery refused twelve times is given up, and can be sent again', async () => {
    const { id: gone } = await webhook();
    receiver.answer = (response) => response.writeHead(410).end();
    await ping(gone);
    await sendDue();
    await expect
      .poll(() => read(gone))
      .toMatchObject({ state: 'paused', pauseReason: 'It responded with 410 Gone.' });
    await ada.delete(`${at()}/${gone}`);

    const { id } = await webhook();
    await ada.post(`/namespaces/${team}/notes`, { name: 'Poison' });
    receiver.answer = (response, { body }) => response.writeHead(body.includes('"ping"') ? 200 : 422).end();
    const poison = async () => (await deliveries(id)).find(({ event }) => event === 'note.created');
    for (let rounds = 0; rounds < 40 && (await poison())?.state === 'pending'; rounds++) {
      await ping(id);
      await sendLater(3 * HOUR);
    }
    const given = await poison();
    expect(given).toMatchObject({ state: 'failed', attempts: 12, nextAttemptAt: null, lastStatus: 422 });
    expect(await read(id)).not.toMatchObject({ state: 'paused' });
    receiver.answer = respondNoContent;
    const again = await ada.post<WebhookDelivery>(`${at()}/${id}/deliveries/${given?.id}/redeliver`);
    expect(again.status).toBe(202);
    expect(again.body).toMatchObject({ id: given?.id, state: 'pending', attempts: 0 });
    await sendLater(60);
    await expect.poll(async () => (await poison())?.state).toBe('delivered');
    expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(given?.id);
  });

  test('deliveries are paged newest first, filtered by state, and deleted after the configured days', async () => {
    const { id } = await webhook();
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.unshift((await ping(id)).body.id);
    await expect
      .poll(async () => {
        await sendDue();
        return (await deliveries(id, '?state=delivered')).map((one) => one.id);
      })
      .toEqual(made);
    const { body } = await ada.get<WebhookDeliveryPage>(`${at()}/${id}/deliveries?first=2`);
    expect(body.deliveries.map((one) => one.id)).toEqual(made.slice(0, 2));
    expect(body.pageInfo).toEqual({ endCursor: made[1], hasNextPage: true });
    expect((await deliveries(id, `?first=9&after=${made[1]}`)).map((one) => one.id)).toEqual(made.slice(2));
    service.advance(11 * DAY);
    await deleteExpired(service.context);
    expect(await deliveries(id)).toEqual([]);
  });

  test('can be read and changed only by owners', async () => {
    const { id } = await webhook();
    const bob = await service.member('bob');
    await ada.put(`/namespaces/${team}/members/bob`, { role: 'member' });
    for (const [method, path, body] of [
      ['GET', at(), undefined],
      ['POST', at(), { url: 'https://example.org' }],
      ['PATCH', `${at()}/${id}`, { paused: true }],
      ['DELETE', `${at()}/${id}`, undefined],
      ['POST', `${at()}/${id}/secret`, undefined],
      ['POST', `${at()}/${id}/ping`, undefined],
      ['GET', `${at()}/${id}/deliveries`, undefined],
    ] as const) {
      expect((await bob.send(method, path, body)).status, `${method} ${path}`).toBe(403);
      expect((await (await service.stranger()).send(method, path, body)).status).toBe(404);
    }
    expect((await ada.delete(`/namespaces/ada/webhooks/${id}`)).status).toBe(404);
    expect((await (await service.token('ada', { scope: 'read' })).post(`${at()}/${id}/ping`)).status).toBe(
      403,
    );
    expect((await ada.delete(`${at()}/${id}`)).status).toBe(204);
    expect((await ada.delete(`${at()}/${id}`)).status).toBe(404);
    expect((await ada.delete(`/namespaces/${team}`)).status).toBe(204);
  });

  test('are rejected with a forbidden URL or invalid events, and beyond twenty per namespace', async () => {
    for (const [url, rule] of [
      ['ftp://example.org', 'an https:// URL'],
      ['example.org', 'an https:// URL'],
      ['https://ada:secret@example.org', 'without a user name'],
      ['https://10.0.0.1/hook', 'of the public internet'],
      ['https://[::ffff:10.0.0.1]/hook', 'of the public internet'],
    ]) {
      const answer = await ada.post<{ message: string }>(at(), { url });
      expect(answer.status, url).toBe(400);
      expect(answer.body.message).toContain(rule);
      expect(answer.body.message).not.toContain('secret');
    }
    for (const events of [[], ['nothing'], 'note.created']) {
      expect((await ada.post(at(), { url: receiver.url, events })).status).toBe(400);
    }
    const all = await Promise.all(Array.from({ length: 22 }, () => ada.post(at(), { url: receiver.url })));
    expect(all.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(all.find(({ status }) => status === 409)?.body).toMatchObject({ error: 'too_many_webhooks' });
  });

  test('of a namespace whose receivers never answer take two places, and leave the others to other namespaces', async () => {
    receiver.answer = (response, { path }) => {
      if (path === '/answers') response.writeHead(204).end();
    };
    for (let n = 0; n < 12; n++) await ping((await webhook({ url: `${receiver.url}/silent` })).id);
    const silent = () => receiver.received.filter(({ path }) => path === '/silent');
    await expect.poll(() => silent().length).toBeGreaterThanOrEqual(2);
    await ada.post('/namespaces', { slug: `${team}-other` });
    const other = await ada.post<Made>(`/namespaces/${team}-other/webhooks`, {
      url: `${receiver.url}/answers`,
    });
    await ada.post(`/namespaces/${team}-other/webhooks/${other.body.id}/ping`);
    await expect.poll(() => receiver.received.some(({ path }) => path === '/answers')).toBe(true);
    expect(silent()).toHaveLength(2);
  });

  test('pings are rate limited after thirty', async () => {
    const { id } = await webhook();
    const answers = [];
    for (let n = 0; n < 31; n++) answers.push((await ping(id)).status);
    expect(answers.filter((status) => status === 202)).toHaveLength(30);
    expect(answers.at(-1)).toBe(429);
  });
});

/** Those of the secrets that made the signatures, by the words of Standard Webhooks, in the order of the header. */
function signers(received: Received | undefined, secrets: string[]): (string | undefined)[] {
  const headers: IncomingHttpHeaders = received?.headers ?? {};
  const body = received?.body ?? '';
  const content = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  return String(headers['webhook-signature'])
    .split(' ')
    .map((signature) =>
      secrets.find((secret) => {
        const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
        return signature === `v1,${createHmac('sha256', key).update(content, 'utf8').digest('base64')}`;
      }),
    );
}
