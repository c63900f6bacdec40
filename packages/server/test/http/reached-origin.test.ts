import type { Transfer } from '@bindery/contract';
import { afterEach, expect, test } from 'vitest';
import { localOrigin } from '../../src/http/listen.ts';
import type { Actor } from '../actor.ts';
import { Publisher, sha256 } from '../libraries/publisher.ts';
import { startService, type TestService } from '../service.ts';

const MIB = 2 ** 20;

let service: TestService;
afterEach(() => service.close());

/** Somebody to whom the service's machine is known as `localhost`, by a name that is not its configured one. */
const elsewhere = (actor: Actor) => actor.with({ host: `localhost:${new URL(service.url).port}` });

/** What the service hands out to them, by what it is for. */
async function handedOut(ada: Actor): Promise<Record<string, string>> {
  const library = new Publisher(ada, 'ada', 'mugs');
  await library.publish({ 'mug/mug.txt': 'a mug' });
  const [small, large] = (
    await ada.post<{ files: { transfer: Transfer }[] }>(`${library.path}/upload-authorizations`, {
      files: [
        { relativePath: 'mug/pan.txt', size: 5 },
        { relativePath: 'mug/scan.ply', size: 64 * MIB },
      ],
    })
  ).body.files.map(({ transfer }) => transfer);
  const presigned = await ada.post<{ files: { url: string }[] }>(`${library.path}/files-presign`, {
    paths: ['mug/mug.txt'],
  });
  const mcp = await ada.get<{ resource: string }>('/.well-known/oauth-protected-resource/mcp');
  return {
    upload: small?.kind === 'single-put' ? small.put.url : '',
    part: large?.kind === 's3-multipart' ? (large.parts[0]?.url ?? '') : '',
    completion: large?.kind === 's3-multipart' ? large.complete.url : '',
    download: presigned.body.files[0]?.url ?? '',
    device: await verificationUri(ada),
    mcp: mcp.body.resource,
  };
}

async function verificationUri(actor: Actor): Promise<string> {
  const { body } = await actor.post<{ verification_uri: string }>('/api/device/start', {
    device_secret_hash: sha256('secret'),
  });
  return body.verification_uri;
}

const originsOf = (urls: Record<string, string>) =>
  Object.fromEntries(Object.entries(urls).map(([what, url]) => [what, new URL(url).origin]));

const all = (origin: string) => ({
  upload: origin,
  part: origin,
  completion: origin,
  download: origin,
  device: origin,
  mcp: origin,
});

test('a service without a public URL hands out URLs at the address by which the client reached it', async () => {
  service = await startService();
  const ada = await service.member('ada');
  const { port } = new URL(service.url);
  const urls = await handedOut(elsewhere(ada));
  expect(originsOf(urls)).toEqual(all(`http://localhost:${port}`));
  expect((await fetch(urls.upload!, { method: 'PUT', body: 'a pan' })).status).toBe(200);
  expect(await (await fetch(urls.download!)).text()).toBe('a mug');
  expect(originsOf(await handedOut(ada))).toEqual(all(service.url));
});

test('a service with a public URL hands out that, however clients reach it', async () => {
  service = await startService({ configuration: { publicUrl: 'https://assets.example.org' } });
  const uri = await verificationUri(elsewhere(service.anonymous));
  expect(uri).toBe('https://assets.example.org/device');
});

test.each(['a b', 'evil.example/path', 'evil.example"><script>', '[::1', 'user@evil.example'])(
  'a request whose Host is %j gets URLs of the service itself',
  async (host) => {
    service = await startService();
    expect(await verificationUri(service.anonymous.with({ host }))).toBe(`${service.url}/device`);
  },
);

test('agents of a page whose name was made to point at the service are refused, whatever Host they send', async () => {
  service = await startService();
  const rebound = new URL(service.url);
  const page = (await service.member('ada')).with({
    host: `rebound.example:${rebound.port}`,
    origin: `http://rebound.example:${rebound.port}`,
    accept: 'application/json, text/event-stream',
  });
  const answer = await page.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' });
  expect(answer.status).toBe(403);
});

test('the link to the first account names this machine where the service listens on all its addresses', () => {
  expect(localOrigin('0.0.0.0', 7420)).toBe('http://localhost:7420');
  expect(localOrigin('::', 7420)).toBe('http://localhost:7420');
  expect(localOrigin('192.168.7.1', 7420)).toBe('http://192.168.7.1:7420');
  expect(localOrigin('::1', 7420)).toBe('http://[::1]:7420');
});
