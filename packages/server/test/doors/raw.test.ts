import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { exchange, type Received } from '../exchange.ts';
import { sendRaw } from '../http/raw-request.ts';
import { publish, type WrittenLibrary } from '../libraries/publish.ts';
import { logIn } from '../login/device-login.ts';
import { startService, type TestService } from '../service.ts';

const MESH = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7) % 251)).toString('latin1');

const first: WrittenLibrary = {
  library: {},
  assets: [
    { id: 'arm', files: { 'arm/arm.urdf': '<robot name="arm"/>', 'arm/meshes/link 0.stl': MESH } },
    {
      id: 'site',
      files: { 'site/page.html': '<script>alert(1)</script>', 'site/logo.svg': '<svg/>', 'site/run.js': '1' },
    },
  ],
  generated: { '.bindery/thumbs/arm.webp': 'a picture' },
};
const second: WrittenLibrary = {
  library: {},
  assets: [{ id: 'arm', files: { 'arm/arm.urdf': '<robot name="new arm"/>' } }],
};

describe.each(databases)('/raw on $name', ({ open }) => {
  let service: TestService;

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Received> =>
    exchange(`${service.url}/raw/${path}`, { method, headers });
  const bearerOf = async (userName: string) => (await service.member(userName)).headers;
  const tokenOf = async (userName: string) =>
    (await bearerOf(userName)).authorization!.slice('Bearer '.length);

  beforeAll(async () => {
    service = await startService({ database: await open() });
    const ada = await service.member('ada');
    for (const name of ['arms', 'secret']) {
      await publish(ada, `ada/${name}`, { ...first, share: true });
      await ada.post(`/namespaces/ada/libraries/${name}/releases`, { name: 'v1' });
    }
    await ada.post('/namespaces/ada/libraries/arms', { visibility: 'public' });
  });
  afterAll(() => service.close());

  test('a file has its hash as strong tag, its type, its length, and may be read by pages of any origin', async () => {
    const { status, headers, bytes } = await get('ada/arms/arm/arm.urdf');
    expect(status).toBe(200);
    expect(bytes.toString()).toBe('<robot name="arm"/>');
    expect(Object.fromEntries(headers)).toMatchObject({
      etag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'cache-control': 'public, no-cache',
      'content-length': '19',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-type': 'application/xml',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
    expect(Date.parse(headers.get('last-modified')!)).toBeLessThanOrEqual(Date.now());
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('HEAD says what GET says, without the bytes', async () => {
    const [whole, head] = [
      await get('ada/arms/arm/meshes/link%200.stl'),
      await get('ada/arms/arm/meshes/link%200.stl', {}, 'HEAD'),
    ];
    expect(head.bytes).toHaveLength(0);
    for (const name of ['etag', 'content-length', 'content-type', 'last-modified', 'cache-control'])
      expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
  });

  test.each([
    ['site/page.html', 'text/html; charset=utf-8', 'attachment; filename="page.html"'],
    ['site/logo.svg', 'image/svg+xml', 'attachment; filename="logo.svg"'],
    ['site/run.js', 'application/octet-stream', null],
  ])('%s is no page, script or style sheet of the service', async (path, type, disposition) => {
    const { headers } = await get(`ada/arms/${path}`);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('content-disposition')).toBe(disposition);
    expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
  });

  test('a release is immutable, and keeps its bytes when the library moves on', async () => {
    const ada = await service.member('ada');
    await publish(ada, 'ada/moving', first);
    await ada.post('/namespaces/ada/libraries/moving/releases', { name: 'v1' });
    await publish(ada, 'ada/moving', second);
    const released = await get('ada/moving@v1/arm/arm.urdf', ada.headers);
    expect(released.bytes.toString()).toBe('<robot name="arm"/>');
    expect(released.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    const current = await get('ada/moving/arm/arm.urdf', ada.headers);
    expect(current.bytes.toString()).toBe('<robot name="new arm"/>');
    expect(current.headers.get('cache-control')).toBe('private, no-cache');
  });

  test('a client that holds a commit reads one revision for an hour, and is then refused', async () => {
    const ada = await service.member('ada');
    await publish(ada, 'ada/walked', first);
    const index = await get('ada/walked/', { ...ada.headers, accept: 'application/json' });
    const { commit } = JSON.parse(index.bytes.toString());
    await publish(ada, 'ada/walked', second);
    const read = () => get(`ada/walked@${commit}/arm/arm.urdf`, ada.headers);
    expect((await read()).bytes.toString()).toBe('<robot name="arm"/>');
    service.advance(3_601);
    const late = await read();
    expect([late.status, JSON.parse(late.bytes.toString()).missing]).toEqual([404, 'revision']);
  });

  test('a deleted release is refused; a library that is hidden, in the Trash or purged is as if it never was', async () => {
    const ada = await service.member('ada');
    const base = '/namespaces/ada/libraries/passing';
    await publish(ada, 'ada/passing', first);
    await ada.post(base, { visibility: 'public' });
    await ada.post(`${base}/releases`, { name: 'v1' });
    const statuses = async () => [
      (await get('ada/passing@v1/arm/arm.urdf')).status,
      (await get('ada/passing/arm/arm.urdf')).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    await ada.delete(`${base}/releases/v1`);
    expect(await statuses()).toEqual([404, 200]);
    await ada.post(base, { visibility: 'private' });
    expect(await statuses()).toEqual([401, 401]);
    await ada.delete(base);
    expect((await get('ada/passing/arm/arm.urdf', ada.headers)).status).toBe(404);
    await ada.delete(`${base}/purge`);
    expect((await get('ada/passing/arm/arm.urdf', ada.headers)).status).toBe(404);
  });

  test('a client that has the file gets 304, one that wants another 412', async () => {
    const etag = (await get('ada/arms/arm/arm.urdf')).headers.get('etag')!;
    expect((await get('ada/arms/arm/arm.urdf', { 'if-none-match': etag })).status).toBe(304);
    expect((await get('ada/arms/arm/arm.urdf', { 'if-match': '"other"' })).status).toBe(412);
    const mesh = 'ada/arms/arm/meshes/link%200.stl';
    const { headers } = await get(mesh);
    const again = await get(mesh, { 'if-none-match': `"old", W/${headers.get('etag')}` });
    expect([again.status, again.bytes.length, again.headers.get('etag')]).toEqual([
      304,
      0,
      headers.get('etag'),
    ]);
    expect((await get(mesh, { 'if-none-match': '"old"' })).status).toBe(200);
  });

  test('several ranges come as parts, each with its place', async () => {
    const { status, headers, bytes } = await get('ada/arms/arm/meshes/link%200.stl', {
      range: 'bytes=0-9, 100-109,-5',
    });
    expect(status).toBe(206);
    const [, boundary] = /^multipart\/byteranges; boundary=(.+)$/.exec(headers.get('content-type')!)!;
    const parts = bytes.toString('latin1').split(`--${boundary}`).slice(1, -1);
    const mesh = Buffer.from(MESH);
    const wanted: [number, number][] = [
      [0, 10],
      [100, 110],
      [mesh.length - 5, mesh.length],
    ];
    expect(Number(headers.get('content-length'))).toBe(bytes.length);
    expect(parts).toEqual(
      wanted.map(([start, end]) =>
        [
          '\r\nContent-Type: model/stl\r\n',
          `Content-Range: bytes ${start}-${end - 1}/${mesh.length}\r\n\r\n`,
          `${mesh.subarray(start, end).toString('latin1')}\r\n`,
        ].join(''),
      ),
    );
  });

  test.each([
    [
      'too many ranges',
      `bytes=${Array.from({ length: 1_000 }, (_, at) => `${at * 2}-${at * 2}`).join()}`,
      200,
    ],
    ['overlapping ranges that are longer than the file', `bytes=${'0-,'.repeat(20)}0-`, 200],
    ['ranges of which one is malformed', 'bytes=0-1,x', 200],
    ['ranges beyond the end', 'bytes=90000-,99999-', 416],
  ])('%s never cost more than the file', async (_, range, expected) => {
    const { status, bytes } = await get('ada/arms/arm/meshes/link%200.stl', { range });
    expect(status).toBe(expected);
    expect(bytes.length).toBeLessThanOrEqual(Buffer.byteLength(MESH));
  });

  test('a folder has an index of links for people and of entries for programs; artifacts are not in it', async () => {
    const page = await get('ada/arms/arm/', { accept: 'text/html' });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect([...page.bytes.toString().matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      './../',
      './arm.urdf',
      './meshes/',
    ]);
    const { library, release, path, entries } = JSON.parse(
      (await get('ada/arms@v1/', { accept: 'application/json' })).bytes.toString(),
    );
    expect([library, release, path]).toEqual(['ada/arms', 'v1', '']);
    expect(entries).toEqual([
      { name: 'arm', type: 'folder' },
      { name: 'site', type: 'folder' },
    ]);
    const inner = JSON.parse(
      (await get('ada/arms/arm/meshes/', { accept: 'application/json' })).bytes.toString(),
    );
    expect(inner.entries).toEqual([
      {
        name: 'link 0.stl',
        type: 'file',
        size: Buffer.byteLength(MESH),
        sha256: createHash('sha256').update(MESH).digest('hex'),
      },
    ]);
  });

  test('the address of a folder without its last slash leads to the index', async () => {
    const { status, headers } = await get('ada/arms/arm');
    expect([status, headers.get('location')]).toEqual([302, './arm/']);
    const root = await get('ada/secret?share=nonsense', await bearerOf('ada'));
    expect([root.status, root.headers.get('location')]).toEqual([302, './secret/?share=nonsense']);
  });

  test.each([
    '..',
    '%2e%2e/arms/arm/arm.urdf',
    'arm%2Farm.urdf',
    'arm/%00',
    'arm//arm.urdf',
    './arm/arm.urdf',
    'arm/arm.urdf/',
    'arm\\arm.urdf',
  ])('%s names nothing', async (path) => {
    const target = `/raw/ada/arms/${path}`;
    const answer = await sendRaw(
      service.url,
      `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.split('\r\n')[0]).toBe('HTTP/1.1 404 Not Found');
  });

  test('a member is known by a token as bearer or as password of any user; readers of a share token by it', async () => {
    const token = await tokenOf('ada');
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const ada = await service.member('ada');
    const { body } = await ada.get('/namespaces/ada/libraries/secret');
    const share = String(body.shareToken);
    const path = 'ada/secret/arm/arm.urdf';
    const statuses = [
      await get(path, { authorization: `Bearer ${token}` }),
      await get(path, basic(`x:${token}`)),
      await get(path, basic(`${token}:`)),
      await get(`${path}?share=${share}`),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(statuses[1]?.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    const page = await get(`ada/secret/?share=${share}`);
    expect(page.bytes.toString()).toContain(`./arm/?share=${share}`);
  });

  test('a reader of the namespace reads what is private in it', async () => {
    const ada = await service.member('ada');
    await service.member('rita');
    await ada.put('/namespaces/ada/members/rita', { role: 'reader' });
    expect((await get('ada/secret/arm/arm.urdf', await bearerOf('rita'))).status).toBe(200);
  });

  test('cookies count for nothing', async () => {
    expect(
      (await get('ada/secret/arm/arm.urdf', { cookie: 'better-auth.session_token=anything' })).status,
    ).toBe(401);
  });

  test('hidden and missing libraries, releases and files are answered alike, whoever asks', async () => {
    const told = async (path: string, headers: Record<string, string>) => {
      const { status, headers: received, bytes } = await get(path, headers);
      const { requestId: _, ...body } = JSON.parse(bytes.toString());
      return { status, asked: received.get('www-authenticate'), body };
    };
    for (const headers of [{}, await bearerOf('stranger')]) {
      const hidden = await told('ada/secret/arm/arm.urdf', headers);
      expect(hidden.status).toBe('authorization' in headers ? 404 : 401);
      for (const missing of [
        'ada/nothing/arm/arm.urdf',
        'nobody/secret/x',
        'ada/secret@v1/',
        'ada/secret@nope/',
        'ada/secret',
        'Bad..Name/%00/',
        'ada/secret/../x',
      ])
        expect([missing, await told(missing, headers)]).toEqual([missing, hidden]);
    }
  });

  test('an unknown, expired or revoked token is refused and asked for anew, even for what is public', async () => {
    const revoked = await logIn(service, 'ada');
    const expired = await logIn(service, 'ada');
    const own = service.anonymous.with({ authorization: `Bearer ${revoked}` });
    expect((await own.post('/api/auth/revoke')).status).toBe(204);
    service.advance(31 * 86_400);
    for (const authorization of [
      `Bearer ${revoked}`,
      `Bearer ${expired}`,
      'Bearer bnd_unknown',
      'Basic !!!',
      `Basic ${Buffer.from('ada:').toString('base64')}`,
    ]) {
      const { status, headers } = await get('ada/arms/arm/arm.urdf', { authorization });
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Basic realm="Bindery", charset="UTF-8", Bearer');
    }
  });
});
