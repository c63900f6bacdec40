import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { exchange } from '../exchange.ts';
import { publish, sha256, type WrittenLibrary } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

const NAMES = ['Arm/a+b c.stl', 'Arm/e\u0301\u00e9\u202e\u{1f600}.stl', 'Arm/none', 'Arm/\ufffe"<&.stl'];

const robots: WrittenLibrary = {
  library: { title: 'Robots', license: 'Apache-2.0', homepage: 'https://example.org/robots' },
  assets: [
    {
      id: 'Arm',
      license: 'MIT',
      files: { 'Arm/arm.urdf': '<robot/>', ...Object.fromEntries(NAMES.map((name) => [name, name])) },
    },
    { id: 'cup', files: { 'cup/cup.obj': 'a cup' } },
  ],
  generated: { '.bindery/source/README.md': '# Robots', '.bindery/thumbs/Arm.webp': 'a picture' },
};
const changed: WrittenLibrary = { assets: [{ id: 'cup', files: { 'cup/cup.obj': 'another cup' } }] };
const digestOf = (text: string | Uint8Array) => `sha256:${sha256(Buffer.from(text))}`;

interface Layer {
  digest: string;
  size: number;
  annotations: Record<string, string>;
}

describe.each(databases)('the distribution protocol on $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;

  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    for (const name of ['robots', 'secret']) {
      await publish(ada, `ada/${name}`, robots);
      await ada.post(`/namespaces/ada/libraries/${name}/releases`, { name: 'v1' });
    }
    await publish(ada, 'ada/robots', { ...changed, visibility: 'public' });
  });
  afterAll(() => service.close());

  const ANONYMOUS = { authorization: 'Bearer anonymous' };
  async function ask(path: string, headers: Record<string, string> = { ...ada.headers }, method = 'GET') {
    const answer = await exchange(`${service.url}/v2/${path}`, { method, headers });
    const text = answer.bytes.toString();
    const isJson = /json/.test(answer.headers.get('content-type') ?? '') && text !== '';
    return { ...answer, text, body: isJson ? JSON.parse(text) : null };
  }

  test('who has no token is told where to get one, whatever is asked; those who have are let in', async () => {
    const realm = `Bearer realm="${service.url}/v2/token",service="bindery"`;
    for (const path of ['', 'ada/secret/manifests/v1', 'ada/nothing/tags/list']) {
      const { status, headers, body } = await ask(path, {});
      expect([path, status, headers.get('www-authenticate')]).toEqual([path, 401, realm]);
      expect(body.errors[0].code).toBe('UNAUTHORIZED');
    }
    const token = ada.headers.authorization!.slice('Bearer '.length);
    const basic = { authorization: `Basic ${Buffer.from(`ada:${token}`).toString('base64')}` };
    expect((await ask('token?scope=repository:ada/secret:pull', basic)).body).toMatchObject({
      token,
      access_token: token,
    });
    expect((await ask('token', {})).body.token).toBe('anonymous');
    for (const headers of [{ ...ada.headers }, basic, ANONYMOUS])
      expect((await ask('', headers)).status).toBe(200);
    const wrong = { authorization: `Basic ${Buffer.from('ada:bnd_wrong').toString('base64')}` };
    for (const path of ['token', '', 'ada/robots/tags/list']) {
      const { status, headers } = await ask(path, wrong);
      expect([path, status, headers.get('www-authenticate')]).toEqual([path, 401, realm]);
    }
  });

  test('a release is an artifact with the files of the pushed folder as layers, and what they are', async () => {
    const { body, headers, text } = await ask('ada/secret/manifests/v1');
    expect(headers.get('docker-content-digest')).toBe(digestOf(text));
    expect(headers.get('content-type')).toBe(body.mediaType);
    expect(body).toMatchObject({
      schemaVersion: 2,
      artifactType: 'application/vnd.bindery.library.v1',
      annotations: {
        'org.opencontainers.image.title': 'Robots',
        'org.opencontainers.image.licenses': 'Apache-2.0',
        'org.opencontainers.image.url': 'https://example.org/robots',
      },
    });
    const files: Record<string, unknown> = Object.assign({}, ...robots.assets.map(({ files }) => files));
    const expected = { ...files, 'README.md': '# Robots' } as Record<string, string>;
    const layers: Layer[] = body.layers;
    const found = layers.map(({ annotations, digest, size }) => [
      annotations['org.opencontainers.image.title'],
      digest,
      size,
    ]);
    expect(found.sort()).toEqual(
      Object.entries(expected)
        .map(([path, content]) => [path, digestOf(content), Buffer.byteLength(content)])
        .sort(),
    );
    for (const { digest } of layers)
      expect(digestOf((await ask(`ada/secret/blobs/${digest}`)).bytes)).toBe(digest);
    expect((await ask(`ada/secret/blobs/${body.config.digest}`)).text).toBe('{}');
  });

  test('an asset is an artifact of its own, also by its id in lower case, as names of repositories are', async () => {
    const { body } = await ask('ada/secret/arm/manifests/v1');
    expect(body.annotations).toEqual({
      'org.opencontainers.image.title': 'Arm',
      'org.opencontainers.image.licenses': 'MIT',
      'org.opencontainers.image.url': 'https://example.org/robots',
    });
    expect(body.layers).toHaveLength(5);
    expect((await ask('ada/secret/nothing/manifests/v1')).body.errors[0].code).toBe('MANIFEST_UNKNOWN');
  });

  test('a digest finds the manifest of the current revision and of releases, also where no tag was asked for', async () => {
    const digests: string[] = [];
    for (const tag of ['latest', 'v1']) {
      const { text, headers } = await ask(`ada/robots/manifests/${tag}`, ANONYMOUS);
      const digest = headers.get('docker-content-digest') ?? '';
      expect((await ask(`ada/robots/manifests/${digest}`, ANONYMOUS)).text).toBe(text);
      digests.push(digest);
    }
    // The same content has the same digest, so that of another library is known without its tags.
    await publish(ada, 'ada/copy', robots);
    await ada.post('/namespaces/ada/libraries/copy/releases', { name: 'first' });
    await publish(ada, 'ada/copy', changed);
    for (const digest of digests)
      expect(digestOf((await ask(`ada/copy/manifests/${digest}`)).text)).toBe(digest);
    const unknown = await ask(`ada/robots/manifests/${digestOf('nothing')}`);
    expect([unknown.status, unknown.body.errors[0].code]).toEqual([404, 'MANIFEST_UNKNOWN']);
  });

  test('HEAD says what GET says, and blobs have ranges', async () => {
    const blob = digestOf('<robot/>');
    for (const path of ['ada/robots/manifests/v1', `ada/robots/blobs/${blob}`]) {
      const [whole, head] = [await ask(path, ANONYMOUS), await ask(path, ANONYMOUS, 'HEAD')];
      expect(head.text).toBe('');
      for (const name of ['content-length', 'content-type', 'docker-content-digest', 'etag'])
        expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
    }
    const part = await ask(`ada/robots/blobs/${blob}`, { ...ANONYMOUS, range: 'bytes=1-5' });
    expect([part.status, part.text]).toEqual([206, 'robot']);
  });

  test('tags are the releases and the current revision, in pages', async () => {
    await ada.post('/namespaces/ada/libraries/secret/releases', { name: 'B.2' });
    const names: string[] = [];
    for (let next: string | undefined = 'ada/secret/tags/list?n=1'; next; ) {
      const { body, headers } = await ask(next);
      expect(body).toMatchObject({ name: 'ada/secret', tags: [expect.any(String)] });
      names.push(...body.tags);
      next = /^<\/v2\/(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(names).toEqual(['B.2', 'latest', 'v1']);
    expect((await ask('ada/secret/tags/list?last=latest')).body.tags).toEqual(['v1']);
    expect((await ask('ada/secret/tags/list?n=0')).body.tags).toEqual([]);
  });

  test('hidden and missing repositories are answered alike, whoever asks', async () => {
    const blob = digestOf('<robot/>');
    for (const headers of [{}, ANONYMOUS, { ...(await service.stranger()).headers }]) {
      const told = async (path: string) => {
        const { status, body, headers: told } = await ask(path, headers);
        return [status, body, told.get('www-authenticate')];
      };
      const hidden = await told('ada/secret/manifests/v1');
      expect(hidden[0]).toBe(Object.keys(headers).length === 0 ? 401 : 404);
      for (const name of [
        'ada/secret',
        'ada/secret/arm',
        'ada/nothing',
        'nobody/x',
        'ada',
        'A..b/c',
        'a/b/c/d',
      ])
        for (const rest of [
          'manifests/v1',
          'manifests/v9',
          `manifests/${blob}`,
          `blobs/${blob}`,
          'blobs/x',
          'tags/list',
        ])
          expect([name, rest, await told(`${name}/${rest}`)]).toEqual([name, rest, hidden]);
    }
  });

  test('what only a hidden library has, or a revision that was replaced, is no blob of another', async () => {
    await publish(ada, 'ada/moving', {
      assets: [{ id: 'a', files: { a: 'a mistake' } }],
      visibility: 'public',
    });
    const path = `ada/moving/blobs/${digestOf('a mistake')}`;
    expect((await ask(path, ANONYMOUS)).status).toBe(200);
    await publish(ada, 'ada/moving', { assets: [{ id: 'a', files: { a: 'mended' } }] });
    expect((await ask(path, ANONYMOUS)).body.errors[0].code).toBe('BLOB_UNKNOWN');
    await publish(ada, 'ada/own', { assets: [{ id: 'a', files: { a: 'own alone' } }] });
    expect((await ask(`ada/robots/blobs/${digestOf('own alone')}`)).status).toBe(404);
  });

  test('a release that ends, and a library that is withdrawn, between manifest and blobs are not found', async () => {
    const base = '/namespaces/ada/libraries/passing';
    await publish(ada, 'ada/passing', { ...robots, visibility: 'public' });
    await ada.post(`${base}/releases`, { name: 'v1' });
    await publish(ada, 'ada/passing', changed);
    const { headers } = await ask('ada/passing/manifests/v1', ANONYMOUS);
    const ofRelease = [
      `ada/passing/manifests/${headers.get('docker-content-digest')}`,
      'ada/passing/manifests/v1',
      `ada/passing/blobs/${digestOf('<robot/>')}`,
    ];
    const statuses = () => Promise.all(ofRelease.map(async (path) => (await ask(path, ANONYMOUS)).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    await ada.delete(`${base}/releases/v1`);
    expect(await statuses()).toEqual([404, 404, 404]);
    await ada.post(base, { visibility: 'private' });
    expect((await ask('ada/passing/manifests/latest', ANONYMOUS)).body.errors[0].code).toBe('NAME_UNKNOWN');
  });

  test('nothing can be written', async () => {
    for (const method of ['PUT', 'POST', 'DELETE', 'PATCH'])
      for (const path of [
        '',
        'token',
        'ada/robots/manifests/v1',
        'ada/new/blobs/uploads/',
        `ada/robots/blobs/${digestOf('x')}`,
      ]) {
        const { status, body } = await ask(path, { ...ada.headers }, method);
        expect([method, path, status, body.errors?.[0].code]).toEqual([method, path, 405, 'UNSUPPORTED']);
      }
  });

  test('no request makes the door fail', async () => {
    const word = fc.constantFrom(
      'ada',
      'secret',
      'Arm',
      'manifests',
      'blobs',
      'tags',
      'list',
      'v1',
      'latest',
      digestOf('<robot/>'),
      'sha256:',
      ':',
      '%00',
      '%2f',
      '%0a',
      '..',
      '\u00e4',
      '',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { maxLength: 6 }),
        fc.constantFrom('', '?n=x', '?last=%00&n=9', '?share=%00'),
        async (words, query) => {
          const { status } = await ask(encodeURI(words.join('/')).replaceAll('%25', '%') + query);
          expect(status).toBeLessThan(500);
        },
      ),
      { numRuns: 300 },
    );
  });
});
