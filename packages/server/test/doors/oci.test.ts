import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { exchange } from '../exchange.ts';
import { publish, sha256, type WrittenLibrary } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

const NAMES = [
  ...['Arm/a+b c.stl', 'Arm/e\u0301\u00e9\u202e\u{1f600}.stl', 'Arm/none', 'Arm/\ufffe"<&.stl'],
  ...[
    `Arm/${'long/'.repeat(40)}name`,
    `Arm/${'n'.repeat(96)}`,
    `Arm/${'n'.repeat(97)}`,
    'Arm/.wh',
    'Arm/a.wh.b',
  ],
];

const robots: WrittenLibrary = {
  library: { title: 'Robots', license: 'Apache-2.0', homepage: 'https://example.org/robots' },
  assets: [
    {
      id: 'Arm',
      license: 'MIT',
      files: {
        'Arm/arm.urdf': '<robot/>',
        ...Object.fromEntries(NAMES.map((name) => [name, name])),
        'Arm/large': 'large'.repeat(30_000),
      },
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

  test('a release is an image with a layer for each asset, which together are the pushed folder', async () => {
    const { body, headers, text } = await ask('ada/secret/manifests/v1');
    expect(headers.get('docker-content-digest')).toBe(digestOf(text));
    expect(headers.get('content-type')).toBe(body.mediaType);
    expect(body).toMatchObject({
      schemaVersion: 2,
      config: { mediaType: 'application/vnd.oci.image.config.v1+json' },
      annotations: {
        'org.opencontainers.image.title': 'Robots',
        'org.opencontainers.image.licenses': 'Apache-2.0',
        'org.opencontainers.image.url': 'https://example.org/robots',
      },
    });
    const titles = body.layers.map((layer: Layer) => layer.annotations['org.opencontainers.image.title']);
    expect(titles).toEqual(['Arm.tar.gz', 'cup.tar.gz', '_files.tar.gz']);
    const layers = await blobsOf('ada/secret', body.layers);
    const config = (await ask(`ada/secret/blobs/${body.config.digest}`)).text;
    expect([digestOf(config), Buffer.byteLength(config)]).toEqual([body.config.digest, body.config.size]);
    expect(JSON.parse(config)).toEqual({
      architecture: 'amd64',
      os: 'linux',
      config: {},
      rootfs: { type: 'layers', diff_ids: layers.map((layer) => digestOf(gunzipSync(layer))) },
    });
    const files = Object.assign({}, ...robots.assets.map(({ files }) => files));
    expect(await unpack(layers)).toEqual({ ...files, 'README.md': '# Robots' });
  });

  /** The bytes of layers, once they are found to be what their descriptors say. */
  function blobsOf(repository: string, layers: Layer[], headers?: Record<string, string>): Promise<Buffer[]> {
    return Promise.all(
      layers.map(async ({ digest, size }) => {
        const { bytes } = await ask(`${repository}/blobs/${digest}`, headers);
        expect([digestOf(bytes), bytes.length]).toEqual([digest, size]);
        return bytes;
      }),
    );
  }

  test('an asset is an image of its own, also by its id in lower case, as names of repositories are', async () => {
    const { body } = await ask('ada/secret/arm/manifests/v1');
    expect(body.annotations).toEqual({
      'org.opencontainers.image.title': 'Arm',
      'org.opencontainers.image.licenses': 'MIT',
      'org.opencontainers.image.url': 'https://example.org/robots',
    });
    const arm = robots.assets[0]?.files;
    expect(await unpack(await blobsOf('ada/secret/arm', body.layers))).toEqual(arm);
    expect((await ask('ada/secret/nothing/manifests/v1')).body.errors[0].code).toBe('MANIFEST_UNKNOWN');
  });

  test('there is an index of the images for all architectures, with the same layers', async () => {
    const { body, headers } = await ask('ada/secret/manifests/_multiarch.v1');
    expect(headers.get('content-type')).toBe('application/vnd.oci.image.index.v1+json');
    const platforms = body.manifests.map((one: { platform: object }) => one.platform);
    expect(platforms).toEqual(['amd64', 'arm64'].map((architecture) => ({ architecture, os: 'linux' })));
    const [amd64, arm64] = await Promise.all(
      body.manifests.map(async ({ digest }: Layer) => (await ask(`ada/secret/manifests/${digest}`)).body),
    );
    expect(amd64).toEqual((await ask('ada/secret/manifests/v1')).body);
    expect(arm64.layers).toEqual(amd64.layers);
    const config = JSON.parse((await ask(`ada/secret/blobs/${arm64.config.digest}`)).text);
    expect(config.architecture).toBe('arm64');
    expect((await ask('ada/secret/manifests/_multiarch.latest')).status).toBe(200);
    expect((await ask('ada/secret/manifests/_multiarch.v9')).status).toBe(404);
  });

  test('the same content has the same digest, whatever else is in the library, and a change changes one layer', async () => {
    const titled = async (name: string) => {
      const layers: Layer[] = (await ask(`ada/${name}/manifests/latest`)).body.layers;
      return new Map(
        layers.map((layer) => [layer.annotations['org.opencontainers.image.title'], layer.digest]),
      );
    };
    const asset = (at: number, content = `content ${at}`) => ({
      id: `a${at}`,
      files: { [`a${at}/f`]: content },
    });
    const many = Array.from({ length: 105 }, (_, at) => asset(at));
    await publish(ada, 'ada/many', { assets: many });
    const before = await titled('many');
    expect(before.size).toBeLessThanOrEqual(101);
    expect(before.size).toBeGreaterThan(50);
    await publish(ada, 'ada/many', { assets: [...many.slice(1), asset(0, 'changed'), asset(105)] });
    const after = await titled('many');
    expect([...after].filter(([title, digest]) => before.get(title) !== digest).length).toBeLessThanOrEqual(
      2,
    );
    const manifest = (await ask('ada/many/manifests/latest')).body;
    const unpacked = await unpack(await blobsOf('ada/many', manifest.layers));
    expect(Object.keys(unpacked)).toHaveLength(106);
    expect(unpacked['a0/f']).toBe('changed');
  });

  test('a file of two assets is in one layer of the library, and in the image of either', async () => {
    const shared = { 'a/f': 'a', 'both/f': 'both' };
    const assets = [
      { id: 'a', files: shared },
      { id: 'b', files: { 'b/f': 'b', 'both/f': 'both' } },
    ];
    await publish(ada, 'ada/sharing', { assets });
    const { layers } = (await ask('ada/sharing/manifests/latest')).body;
    const [a, b] = await blobsOf('ada/sharing', layers);
    expect([await unpack([a!]), await unpack([b!])]).toEqual([shared, { 'b/f': 'b' }]);
    const ofB = (await ask('ada/sharing/b/manifests/latest')).body.layers;
    expect(await unpack(await blobsOf('ada/sharing/b', ofB))).toEqual(assets[1]?.files);
  });

  test('names that would delete files of other layers are refused, but assets without them are pulled', async () => {
    const assets: WrittenLibrary['assets'] = [
      { id: 'a', files: { 'a/f': 'a' } },
      { id: 'b', files: { 'a/.wh.f': 'b', 'b/.wh..wh..opq': 'b' } },
    ];
    await publish(ada, 'ada/deleting', { assets });
    const { status, body } = await ask('ada/deleting/manifests/latest');
    expect([status, body.errors[0].message]).toEqual([422, expect.stringContaining('"a/.wh.f"')]);
    expect((await ask('ada/deleting/a/manifests/latest')).status).toBe(200);
  });

  test('a digest finds what was pulled by a tag, of the current revision and of releases', async () => {
    for (const tag of ['latest', 'v1', '_multiarch.v1']) {
      const { text, headers } = await ask(`ada/robots/manifests/${tag}`, ANONYMOUS);
      const digest = headers.get('docker-content-digest') ?? '';
      expect((await ask(`ada/robots/manifests/${digest}`, ANONYMOUS)).text).toBe(text);
    }
    const unknown = await ask(`ada/robots/manifests/${digestOf('nothing')}`);
    expect([unknown.status, unknown.body.errors[0].code]).toEqual([404, 'MANIFEST_UNKNOWN']);
  });

  test('HEAD says what GET says, and layers have ranges', async () => {
    const { digest } = (await ask('ada/robots/manifests/v1', ANONYMOUS)).body.layers[0];
    const path = `ada/robots/blobs/${digest}`;
    for (const asked of ['ada/robots/manifests/v1', path]) {
      const [whole, head] = [await ask(asked, ANONYMOUS), await ask(asked, ANONYMOUS, 'HEAD')];
      expect(head.text).toBe('');
      for (const name of ['content-length', 'content-type', 'docker-content-digest', 'etag'])
        expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
    }
    const { bytes } = await ask(path, ANONYMOUS);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(bytes.length - 1), async (one, other) => {
        const [start, end] = [Math.min(one, other), Math.max(one, other)];
        const part = await ask(path, { ...ANONYMOUS, range: `bytes=${start}-${end}` });
        expect(part.status).toBe(206);
        expect(part.bytes.equals(bytes.subarray(start, end + 1))).toBe(true);
      }),
      { numRuns: 30 },
    );
    const behind = await ask(path, { ...ANONYMOUS, range: `bytes=${bytes.length}-` });
    expect([behind.status, behind.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`]);
    const accepting = await ask(path, { ...ANONYMOUS, 'accept-encoding': 'gzip' });
    expect([accepting.headers.get('content-encoding'), accepting.bytes.equals(bytes)]).toEqual([null, true]);
    const known = await ask(path, { ...ANONYMOUS, 'if-none-match': `"${digest}"` });
    expect(known.status).toBe(304);
  });

  test('a file that the store has lost or that is damaged is no part of an image', async () => {
    await publish(ada, 'ada/broken', { assets: [{ id: 'a', files: { 'a/f': 'as it was' } }] });
    const hash = sha256(Buffer.from('as it was'));
    const files = await readdir(service.context.configuration.dataDir, { recursive: true });
    const object = join(service.context.configuration.dataDir, files.find((path) => path.endsWith(hash))!);
    await writeFile(object, 'as it is!');
    expect((await ask('ada/broken/manifests/latest')).status).toBe(500);
    await rm(object);
    expect((await ask('ada/broken/manifests/latest')).status).toBe(500);
    await writeFile(object, 'as it was');
    expect((await ask('ada/broken/manifests/latest')).status).toBe(200);
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
    const others = ['_multiarch.B.2', '_multiarch.latest', '_multiarch.v1'];
    expect(names).toEqual(['B.2', ...others, 'latest', 'v1']);
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
    const { body: mistaken, headers } = await ask('ada/moving/manifests/latest', ANONYMOUS);
    const paths = [mistaken.config, ...mistaken.layers].map(({ digest }) => `ada/moving/blobs/${digest}`);
    for (const path of paths) expect((await ask(path, ANONYMOUS)).status).toBe(200);
    await publish(ada, 'ada/moving', { assets: [{ id: 'a', files: { a: 'mended' } }] });
    for (const path of paths) expect((await ask(path, ANONYMOUS)).body.errors[0].code).toBe('BLOB_UNKNOWN');
    const manifest = await ask(`ada/moving/manifests/${headers.get('docker-content-digest')}`, ANONYMOUS);
    expect(manifest.body.errors[0].code).toBe('MANIFEST_UNKNOWN');
    await publish(ada, 'ada/own', { assets: [{ id: 'a', files: { a: 'own alone' } }] });
    const own: Layer[] = (await ask('ada/own/manifests/latest')).body.layers;
    for (const { digest } of own) {
      expect((await ask(`ada/own/blobs/${digest}`)).status).toBe(200);
      expect((await ask(`ada/robots/blobs/${digest}`)).status).toBe(404);
    }
  });

  test('a release that ends, and a library that is withdrawn, between manifest and blobs are not found', async () => {
    const base = '/namespaces/ada/libraries/passing';
    await publish(ada, 'ada/passing', { ...robots, visibility: 'public' });
    await ada.post(`${base}/releases`, { name: 'v1' });
    await publish(ada, 'ada/passing', changed);
    const { headers, body } = await ask('ada/passing/manifests/v1', ANONYMOUS);
    const ofRelease = [
      `ada/passing/manifests/${headers.get('docker-content-digest')}`,
      'ada/passing/manifests/v1',
      `ada/passing/blobs/${body.layers[0].digest}`,
      `ada/passing/blobs/${body.config.digest}`,
    ];
    const statuses = () => Promise.all(ofRelease.map(async (path) => (await ask(path, ANONYMOUS)).status));
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    await ada.delete(`${base}/releases/v1`);
    expect(await statuses()).toEqual([404, 404, 404, 404]);
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

/** Unpacks layers over each other, and returns what is in the files. */
async function unpack(layers: readonly Buffer[]): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-layers-'));
  try {
    for (const layer of layers)
      execFileSync('tar', ['-xz', '-C', folder], {
        input: layer,
        env: { ...process.env, LC_ALL: 'C.UTF-8' },
      });
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((one) => join(one.parentPath, one.name));
    return Object.fromEntries(
      await Promise.all(
        paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path, 'utf8')]),
      ),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}
