import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { lookup } from 'node:dns';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer, request as httpRequest, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Watch } from '@bindery/contract';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Repository, serveGit } from '../../../sdk/test/import/sources.ts';
import { createReach } from '../../src/adapters/imports/import-process.ts';
import type { Context } from '../../src/context.ts';
import { runDueWatch } from '../../src/libraries/watching/run.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService, type TestServiceOptions } from '../service.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { publish } from './publish.ts';

const ARM = '<mujoco model="arm"><worldbody><geom size="1"/></worldbody></mujoco>';
const LIBRARY = '/namespaces/ann/libraries/robots';
const NEVER = new AbortController().signal;

/** A folder that a web server lists, whose files a test changes. */
class Source {
  files: Record<string, string | Buffer> = {};
  /** Answers first, if it does. */
  before: RequestListener | undefined;
  readonly asked: string[] = [];
  url = '';

  async open(): Promise<this> {
    const server = createServer((request, response) => {
      const { url = '' } = request;
      this.asked.push(`${request.method} ${url}`);
      this.before?.(request, response);
      if (response.writableEnded || response.headersSent) return;
      const content = this.files[url.slice(1)];
      if (content !== undefined) return response.end(request.method === 'HEAD' ? '' : content);
      if (url !== '/') return response.writeHead(404).end();
      const links = Object.keys(this.files).map((name) => `<a href="${name}">${name}</a>`);
      response.setHeader('content-type', 'text/html');
      return response.end(links.join('\n'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    return this;
  }
}

const ALLOWED = { importHosts: ['127.0.0.1'], importNetworks: ['loopback'] };

/** A service that watches nothing by itself, with a library of Ann's. */
async function open(options: TestServiceOptions = {}): Promise<{ service: TestService; ann: Actor }> {
  const service = await startService({
    ...options,
    configuration: { ...ALLOWED, webhookNetworks: ['loopback'], role: 'all', ...options.configuration },
  });
  onTestFinished(() => service.close());
  const ann = await service.member('ann');
  await publish(ann, 'ann/robots', { assets: [{ id: 'own', files: { 'own/own.txt': 'mine' } }] });
  return { service, ann };
}

async function watchOf(actor: Actor): Promise<Watch | undefined> {
  const { body } = await actor.get<{ watches: Watch[] }>('/namespaces/ann/watches');
  return body.watches[0];
}

/** Runs what is due; the service's own job looks only every few seconds. */
const run = ({ context }: TestService) => runDueWatch(context, NEVER);

describe.each(databases)('a watched library on $name', ({ open: openDatabase, reopen }) => {
  test('is imported at once and then on schedule, as whoever set the watch', async () => {
    const { service, ann } = await open({ database: await openDatabase() });
    const source = await new Source().open();
    source.files = { 'arm.xml': ARM };
    const set = await ann.put<Watch>(`${LIBRARY}/watch`, { source: source.url, every: 'daily' });
    expect(set).toMatchObject({ status: 200, body: { state: 'waiting', setBy: 'ann', lastResult: null } });
    expect(await run(service)).toBe(true);
    expect(await watchOf(ann)).toMatchObject({
      ...{ state: 'waiting', problem: null },
      lastResult: { revision: 2, assets: { added: 1, changed: 0 }, gone: { count: 0 } },
    });
    expect(await run(service)).toBe(false);
    const { body: log } = await ann.get<{ entries: Record<string, unknown>[] }>('/namespaces/ann/audit');
    expect(log.entries[0]).toMatchObject({ action: 'library.register', actor: 'ann', via: 'watch' });
    source.files = { 'hand.xml': ARM.replace('arm', 'hand') };
    service.advance(86_500);
    expect(await run(service)).toBe(true);
    expect(await watchOf(ann)).toMatchObject({
      lastResult: { revision: 3, assets: { added: 1 }, gone: { count: 1, ids: ['arm.xml'] } },
    });
    for (const asset of ['own', 'arm.xml', 'hand.xml'])
      expect((await ann.get(`${LIBRARY}/assets/${asset}`)).status).toBe(200);
  });

  test('whose server is killed is imported by another one, which starts anew where it has nothing', async () => {
    const database = await openDatabase();
    const { service, ann } = await open({ database });
    const source = await new Source().open();
    source.files = { 'arm.xml': ARM };
    await ann.put(`${LIBRARY}/watch`, { source: source.url, every: 'hourly' });
    // As after a kill: what the first server held stays held, and nobody records how it ended.
    const killed: Context = {
      ...service.context,
      importer: { ...service.context.importer, run: () => new Promise(() => {}) },
    };
    void runDueWatch(killed, NEVER);
    await vi.waitFor(async () => expect(await watchOf(ann)).toMatchObject({ state: 'running' }));
    const db = reopen(database.location);
    onTestFinished(() => db.destroy());
    expect(await runDueWatch({ ...service.context, db }, NEVER)).toBe(false);
    const clock = () => Date.now() + 400_000;
    expect(await runDueWatch({ ...service.context, db, clock }, NEVER)).toBe(true);
    expect(await watchOf(ann)).toMatchObject({ lastResult: { revision: 2 }, problem: null });
  });
});

test('a server that is stopped ends the import, and the next one goes on within the file', async () => {
  const { service, ann } = await open();
  const source = await new Source().open();
  const scan = randomBytes(1_000_000);
  source.files = { 'scan.ply': scan };
  const ranges: unknown[] = [];
  source.before = ({ method, url, headers }, response) => {
    if (url !== '/scan.ply') return;
    const about = { etag: '"1"', 'content-length': scan.length };
    if (method === 'HEAD') return void response.writeHead(200, about).end();
    ranges.push(headers.range);
    const from = Number(/\d+/.exec(headers.range ?? '')?.[0] ?? 0);
    if (from === 0) return void response.writeHead(200, about).write(scan.subarray(0, 400_000));
    const range = `bytes ${from}-${scan.length - 1}/${scan.length}`;
    response.writeHead(206, { 'content-range': range }).end(scan.subarray(from));
  };
  await ann.put(`${LIBRARY}/watch`, { source: source.url, every: 'daily' });
  const stopping = new AbortController();
  const running = runDueWatch(service.context, stopping.signal);
  await vi.waitFor(() => expect(ranges).toHaveLength(1), { timeout: 20_000 });
  await vi.waitFor(async () => expect(await partialOf(service)).toBe(400_000), { timeout: 20_000 });
  stopping.abort();
  await running;
  expect(await watchOf(ann)).toMatchObject({ state: 'waiting', problem: null });
  expect(await run(service)).toBe(true);
  expect(ranges).toEqual([undefined, 'bytes=400000-']);
  expect(await watchOf(ann)).toMatchObject({ lastResult: { assets: { added: 1 } } });
});

async function partialOf({ context }: TestService): Promise<number | null> {
  const folder = join(context.configuration.dataDir, 'imports');
  const names = await readdir(folder, { recursive: true });
  const partial = names.find((name) => name.endsWith('.partial'));
  return partial === undefined ? null : (await stat(join(folder, partial))).size;
}

test('a failure is told, once to webhooks, and tried again later each time', async () => {
  const { service, ann } = await open();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  await ann.post('/namespaces/ann/webhooks', {
    url: receiver.url,
    events: ['watch.failed', 'watch.stopped'],
  });
  const source = await new Source().open();
  source.before = (_, response) => void response.writeHead(403).end();
  await ann.put(`${LIBRARY}/watch`, { source: source.url, every: 'daily' });
  const delays: number[] = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    await run(service);
    const { state, problem, lastRunAt, nextRunAt } = (await watchOf(ann)) as Watch;
    expect({ state, problem }).toEqual({
      state: 'failing',
      problem: expect.stringContaining('answered 403'),
    });
    delays.push((Date.parse(nextRunAt ?? '') - Date.parse(lastRunAt ?? '')) / 1_000);
    service.advance(delays.at(-1) ?? 0);
  }
  expect(delays).toEqual([300, 900, 2_700]);
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), { timeout: 20_000 });
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
    type: 'watch.failed',
    data: { namespace: 'ann', library: 'robots', reason: expect.stringContaining('answered 403') },
  });
});

test('lost rights stop a watch, and say so', async () => {
  const { service, ann } = await open();
  await ann.post('/namespaces', { slug: 'lab' });
  await service.member('bob');
  await ann.put('/namespaces/lab/members/bob', { role: 'member' });
  const bob = await service.member('bob');
  await publish(bob, 'lab/robots', { assets: [] });
  const source = await new Source().open();
  source.files = { 'arm.xml': ARM };
  await bob.put('/namespaces/lab/libraries/robots/watch', { source: source.url, every: 'daily' });
  await ann.put('/namespaces/lab/members/bob', { role: 'reader' });
  await run(service);
  const { body } = await ann.get<{ watches: Watch[] }>('/namespaces/lab/watches');
  expect(body.watches).toMatchObject([
    { state: 'stopped', problem: 'bob may no longer publish to the library.', nextRunAt: null },
  ]);
  expect(source.asked).toEqual([]);
  service.advance(864_000);
  expect(await run(service)).toBe(false);
});

test('rights that are lost during a run are lost to it', async () => {
  const { service, ann } = await open();
  const source = await new Source().open();
  source.files = { 'arm.xml': ARM };
  source.before = (request, response) => {
    if (request.method !== 'GET' || request.url !== '/arm.xml') return;
    response.writeHead(200).flushHeaders();
    void service.context.db
      .updateTable('memberships')
      .set({ role: 'reader' })
      .execute()
      .then(() => response.end(ARM));
  };
  await ann.put(`${LIBRARY}/watch`, { source: source.url, every: 'daily' });
  await run(service);
  expect(await watchOf(ann)).toMatchObject({ state: 'failing', lastResult: null });
  expect((await ann.get(LIBRARY)).body.revision).toBe(1);
});

test('a pass is for its library alone, and for publishing alone', async () => {
  const { service, ann } = await open();
  await publish(ann, 'ann/other', { assets: [] });
  const { db, importPasses } = service.context;
  const { id } = await db
    .selectFrom('accounts')
    .select('id')
    .where('user_name', '=', 'ann')
    .executeTakeFirstOrThrow();
  const { namespace_id: namespaceId } = await db
    .selectFrom('libraries')
    .select('namespace_id')
    .executeTakeFirstOrThrow();
  const library = { namespace: 'ann', name: 'robots' };
  const pass = importPasses.issue({ accountId: id, namespaceId, library, expiresAt: Date.now() + 60_000 });
  const holder = service.anonymous.with({ authorization: `Bearer ${pass.token}` });
  expect((await holder.get(LIBRARY)).status).toBe(200);
  const files = { files: [{ relativePath: 'a.txt', size: 1 }] };
  expect((await holder.post(`${LIBRARY}/upload-authorizations`, files)).status).toBe(200);
  const refused = await Promise.all([
    holder.get('/namespaces/ann/libraries/other'),
    holder.get('/namespaces/ann'),
    holder.get('/namespaces'),
    holder.get('/libraries'),
    holder.get('/raw/ann/other/'),
    holder.post('/graphql', { query: '{ __typename }' }),
    holder.post('/namespaces/ann/libraries/other/upload-authorizations', files),
    holder.post(LIBRARY, { visibility: 'public' }),
    holder.delete(LIBRARY),
    holder.put(`${LIBRARY}/watch`, { source: 'https://example.org/', every: 'daily' }),
    holder.post(`${LIBRARY}/releases`, { name: 'v1' }),
  ]);
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 401));
  pass[Symbol.dispose]();
  expect((await holder.get(LIBRARY)).status).toBe(401);
});

test('removing a watch ends its import, and the library stays', async () => {
  const { service, ann } = await open();
  const source = await new Source().open();
  source.files = { 'arm.xml': ARM };
  await ann.put(`${LIBRARY}/watch`, { source: source.url, every: 'daily' });
  expect((await ann.delete(`${LIBRARY}/watch`)).status).toBe(204);
  expect((await ann.delete(`${LIBRARY}/watch`)).status).toBe(404);
  expect(await run(service)).toBe(false);
  expect((await ann.get(`${LIBRARY}/assets/own`)).status).toBe(200);
});

test('without hosts that operators allow, nothing can be watched, and the service says so', async () => {
  const { ann } = await open({ configuration: { importHosts: [] } });
  const { status, body } = await ann.put(`${LIBRARY}/watch`, {
    source: 'https://example.org/',
    every: 'daily',
  });
  expect({ status, message: body.message }).toEqual({
    status: 403,
    message: expect.stringContaining('BINDERY_IMPORT_HOSTS'),
  });
  expect((await ann.get('/namespaces/ann/watches')).body).toEqual({ hosts: [], watches: [] });
});

test('what cannot be watched is refused, with the reason', async () => {
  const importHosts = ['127.0.0.1', '169.254.169.254', '::ffff:a00:1', 'localhost'];
  const { ann } = await open({ configuration: { importHosts } });
  for (const [source, why] of [
    ['https://elsewhere.example/', 'not among the hosts'],
    ['https://ann:secret@127.0.0.1/', 'without a user name'],
    ['https://127.0.0.1/a.zip?signature=secret', 'without a user name'],
    ['git+ssh://127.0.0.1/arms.git', 'not reached over HTTPS'],
    ['http://localhost/', 'not reached over HTTPS'],
    ['file:///etc/', 'not among the hosts'],
    ['list:/etc/passwd', 'import it there'],
    ['https://169.254.169.254/latest/', 'not of the public internet'],
    ['https://[::ffff:10.0.0.1]/', 'not of the public internet'],
    ['nonsense', 'invalid source'],
  ]) {
    const { status, body } = await ann.put(`${LIBRARY}/watch`, { source, every: 'daily' });
    expect({ source, status, message: body.message }).toEqual({
      ...{ source, status: 400 },
      message: expect.stringContaining(why ?? ''),
    });
  }
  expect(await watchOf(ann)).toBeUndefined();
});

test.each([
  ['a host that is not allowed', 'http://localhost:1/', 'localhost is not among the hosts'],
  ['the metadata of the machine', 'http://169.254.169.254/', 'not of the public internet'],
  ['a network of the machine', 'https://10.0.0.1/', 'not of the public internet'],
  ['another protocol', 'ftp://127.0.0.1/', 'redirects'],
])('a source that redirects to %s is refused', async (_, location, why) => {
  const { service, ann } = await open({
    configuration: { importHosts: ['127.0.0.1', '169.254.169.254', '10.0.0.1'] },
  });
  const source = await new Source().open();
  source.files = { 'arm.xml': ARM };
  source.before = ({ method, url }, response) => {
    if (method === 'GET' && url === '/arm.xml') response.writeHead(302, { location }).end();
  };
  await ann.put(`${LIBRARY}/watch`, { source: source.url, every: 'daily' });
  await run(service);
  expect((await watchOf(ann))?.problem).toContain(why);
  expect((await ann.get(LIBRARY)).body.revision).toBe(1);
});

test('a source of more than the namespace may hold is not fetched', async () => {
  const { service, ann } = await open();
  await service.context.db.updateTable('namespaces').set({ quota_bytes: 1_000 }).execute();
  const source = await new Source().open();
  source.files = { 'scan.ply': Buffer.alloc(2_000_000) };
  await ann.put(`${LIBRARY}/watch`, { source: source.url, every: 'daily' });
  await run(service);
  expect((await watchOf(ann))?.problem).toContain('there is room for 1000');
});

test('what arrived for libraries that are no longer watched is deleted', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'bindery-imports-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const { service, ann } = await open({ dataDir });
  const source = await new Source().open();
  source.files = { 'arm.xml': ARM };
  await ann.put(`${LIBRARY}/watch`, { source: source.url, every: 'daily' });
  await run(service);
  expect(await readdir(join(dataDir, 'imports'))).toHaveLength(1);
  await service.context.importer.keepOnly(new Set());
  expect(await readdir(join(dataDir, 'imports'))).toEqual([]);
});

/** Serves over TLS what another server answers over HTTP, and has git trust it. Returns its origin. */
async function overTls(origin: string, before?: RequestListener): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-tls-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  execFileSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
  ]);
  const server = createTlsServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (request, response) => {
      before?.(request, response);
      if (response.writableEnded) return;
      const { method, url, headers } = request;
      const passed = httpRequest(origin + url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      request.pipe(passed);
    },
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  vi.stubEnv('GIT_SSL_CAINFO', cert);
  onTestFinished(() => void vi.unstubAllEnvs());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a repository of git is watched without hooks, settings or credentials, and its rewritten history is told', async () => {
  const { service, ann } = await open();
  const repository = new Repository();
  repository.commit({ 'arm/arm.xml': ARM, '.gitattributes': '*.xml filter=evil' });
  const asked: (string | undefined)[] = [];
  const origin = await overTls(new URL(await serveGit(repository)).origin, ({ headers }) => {
    asked.push(headers.authorization);
  });
  const settings = await mkdtemp(join(tmpdir(), 'bindery-home-'));
  onTestFinished(() => rm(settings, { recursive: true, force: true }));
  const [ran, hostile] = [join(settings, 'ran'), join(settings, '.gitconfig')];
  writeFileSync(join(settings, '.netrc'), 'machine 127.0.0.1 login ann password secret\n');
  writeFileSync(
    hostile,
    `[filter "evil"]\nsmudge = touch ${ran}\n[http]\nextraHeader = authorization: secret\n`,
  );
  vi.stubEnv('HOME', settings);
  await ann.put(`${LIBRARY}/watch`, { source: `git+${origin}/arms.git`, every: 'daily' });
  await run(service);
  expect(await watchOf(ann)).toMatchObject({ problem: null, lastResult: { assets: { added: 1 } } });
  expect(new Set(asked)).toEqual(new Set([undefined]));
  expect(existsSync(ran)).toBe(false);
  repository.git('commit', '--quiet', '--amend', '--message', 'Another history');
  service.advance(90_000);
  await run(service);
  expect((await watchOf(ann))?.problem).toContain('was rewritten');
  expect((await ann.get(LIBRARY)).body.revision).toBe(2);
});

test('a repository of git that redirects elsewhere is not followed', async () => {
  const { service, ann } = await open();
  const elsewhere = await new Source().open();
  const origin = await overTls(elsewhere.url, ({ url }, response) => {
    response.writeHead(302, { location: `${elsewhere.url}${url?.slice(1)}` }).end();
  });
  await ann.put(`${LIBRARY}/watch`, { source: `git+${origin}/arms.git`, every: 'daily' });
  await run(service);
  expect((await watchOf(ann))?.problem).toContain('git fetch failed');
  expect(elsewhere.asked).toEqual([]);
});

test('a name is connected to only at addresses that are allowed, whatever it resolves to', async () => {
  const found = [
    { address: '169.254.169.254', family: 4 },
    { address: '1.1.1.1', family: 4 },
  ];
  const resolve = ((_: string, __: unknown, callback: (error: null, all: object[]) => void) =>
    callback(null, found)) as unknown as typeof lookup;
  const reach = createReach({ hosts: ['*.example.org'], networks: [] }, resolve);
  reach.require(new URL('https://git.example.org/'));
  expect(() => reach.require(new URL('https://example.org.evil.example/'))).toThrow('not among the hosts');
  const answer = (name: string) =>
    new Promise((done) => reach.lookup(name, { all: true }, (error, all) => done(error ?? all)));
  expect(await answer('git.example.org')).toEqual([{ address: '1.1.1.1', family: 4 }]);
  found.pop();
  expect(await answer('git.example.org')).toBeInstanceOf(Error);
});
