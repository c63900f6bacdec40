import { gunzipSync } from 'node:zlib';
import type { AssetDetail, ErrorBody, LibraryDetail, LibrarySummary, PresignedFile } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor, ApiResponse } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { manifestBytes, publish, sha256, type WrittenLibrary } from './publish.ts';

const ROBOTS: WrittenLibrary = {
  library: {
    title: 'Robots',
    description: 'Arms and hands',
    provider: 'Ada',
    homepage: 'https://example.org/robots',
    license: 'Apache-2.0',
    tags: ['robots', 'sim'],
    upstream: { repo: 'https://example.org/robots.git', commit: 'abc' },
  },
  assets: [
    {
      id: 'ur5e',
      title: 'UR5e',
      description: 'A six-axis arm',
      category: 'arm',
      kind: 'mjcf',
      format: 'xml',
      tags: ['arm'],
      license: 'MIT',
      attribution: 'Universal Robots',
      upstream: { id: 'u1', url: 'https://example.org/ur5e' },
      entry: 'ur5e/scene.xml',
      entryPoints: { bare: { file: 'ur5e/ur5e.xml', kind: 'model' }, scene: { file: 'ur5e/scene.xml' } },
      thumbnail: '.bindery/thumbnails/ur5e.webp',
      meta: { dof: 6 },
      files: {
        'ur5e/ur5e.xml': '<mujoco/>',
        'ur5e/scene.xml': '<mujoco model="scene"/>',
        'shared/grün metal.png': 'metal',
      },
    },
    { id: 'Hand', files: { 'hand/hand.stl': 'solid', 'shared/grün metal.png': 'metal' } },
  ],
  generated: { '.bindery/thumbnails/ur5e.webp': 'a small picture' },
};

const SUMMARY_FIELDS = [
  'namespace name type title description provider license tags revision assetCount fileCount totalBytes',
  'categories kinds licenses visibility semantic vectorsDim coverThumbUrl createdAt updatedAt',
].flatMap((line) => line.split(' '));

describe.each(databases)('reading libraries over $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let stranger: Actor;
  let anonymous: Actor;
  let shareToken: string;

  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    stranger = await service.stranger();
    anonymous = service.anonymous;
    await publish(ada, 'ada/robots', { ...ROBOTS, visibility: 'public' });
    service.advance(10);
    const secret = await publish(ada, 'ada/secret', { ...ROBOTS, share: true });
    shareToken = String(secret.shareToken);
    service.advance(10);
    const hermit = await service.member('hermit');
    await publish(hermit, 'hermit/cave', ROBOTS);
    service.advance(10);
    const bo = await service.member('bo');
    await publish(bo, 'bo/tools', { assets: [], visibility: 'public' });
  });
  afterAll(() => service.close());

  type List = { libraries: LibrarySummary[]; viewerIsMember: boolean };
  const namesIn = ({ body }: ApiResponse<List>) =>
    body.libraries.map(({ namespace, name }) => `${namespace}/${name}`);

  describe('the list of all libraries', () => {
    test('shows public libraries and the viewer’s own, newest first', async () => {
      expect(namesIn(await anonymous.get<List>('/libraries'))).toEqual(['bo/tools', 'ada/robots']);
      expect(namesIn(await stranger.get<List>('/libraries'))).toEqual(['bo/tools', 'ada/robots']);
      expect(namesIn(await ada.get<List>('/libraries'))).toEqual(['bo/tools', 'ada/secret', 'ada/robots']);
    });

    test('is truncated at the limit', async () => {
      expect(namesIn(await ada.get<List>('/libraries?limit=2'))).toEqual(['bo/tools', 'ada/secret']);
    });

    test.each(['0', '501', '-1', '1.5', 'many', ''])('refuses the limit %j', async (limit) => {
      const { status, body } = await anonymous.get<ErrorBody>(`/libraries?limit=${limit}`);
      expect([status, body.error, body.parameter]).toEqual([400, 'invalid_parameter', 'limit']);
    });

    test('has rows with exactly the specified fields', async () => {
      const { body } = await anonymous.get<List>('/libraries');
      const row = body.libraries.find(({ name }) => name === 'robots')!;
      expect(Object.keys(row).sort()).toEqual(SUMMARY_FIELDS.toSorted());
      expect(row).toMatchObject({
        namespace: 'ada',
        name: 'robots',
        type: '3d',
        title: 'Robots',
        description: 'Arms and hands',
        provider: 'Ada',
        license: 'Apache-2.0',
        tags: ['robots', 'sim'],
        revision: 1,
        assetCount: 2,
        fileCount: 4,
        totalBytes: 9 + 23 + 5 + 5,
        categories: ['arm'],
        kinds: ['file', 'mjcf'],
        licenses: ['Apache-2.0', 'MIT'],
        visibility: 'public',
        semantic: false,
        vectorsDim: null,
      });
      expect(row.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const cover = await fetch(String(row.coverThumbUrl));
      expect(await cover.text()).toBe('a small picture');
    });
  });

  describe('the list of a namespace', () => {
    test('shows members all libraries and others only public ones', async () => {
      const own = await ada.get<List>('/namespaces/ada/libraries');
      expect(own.body.viewerIsMember).toBe(true);
      expect(namesIn(own)).toEqual(['ada/secret', 'ada/robots']);
      const foreign = await anonymous.get<List>('/namespaces/ada/libraries');
      expect(foreign.body.viewerIsMember).toBe(false);
      expect(namesIn(foreign)).toEqual(['ada/robots']);
    });

    test('is the same 404 as for a missing namespace if the viewer can read nothing in it, Trash or not', async () => {
      for (const path of ['/namespaces/hermit/libraries', '/namespaces/hermit/libraries?deleted=true']) {
        const hidden = await stranger.get(path);
        const missing = await stranger.get(path.replace('hermit', 'nobody'));
        expect(hidden.status).toBe(404);
        expect(withoutRequestId(hidden)).toEqual(withoutRequestId(missing));
      }
    });

    test('with deleted=true shows the Trash to members, and nothing to others', async () => {
      const eve = await service.member('eve');
      await publish(eve, 'eve/kept', { assets: [], visibility: 'public' });
      await publish(eve, 'eve/thrown', { assets: [], visibility: 'public' });
      await eve.delete('/namespaces/eve/libraries/thrown');
      expect(namesIn(await eve.get<List>('/namespaces/eve/libraries?deleted=true'))).toEqual(['eve/thrown']);
      expect(namesIn(await eve.get<List>('/namespaces/eve/libraries'))).toEqual(['eve/kept']);
      const others = await stranger.get<List>('/namespaces/eve/libraries?deleted=true');
      expect(others.body).toEqual({ viewerIsMember: false, libraries: [] });
      expect((await eve.get('/namespaces/eve/libraries/thrown')).status).toBe(404);
      expect(namesIn(await eve.get<List>('/libraries'))).not.toContain('eve/thrown');
    });

    test('shows only public libraries to a token bound to another namespace', async () => {
      const bound = await service.token('ada', { namespace: 'bo' });
      expect(namesIn(await bound.get<List>('/namespaces/ada/libraries'))).toEqual(['ada/robots']);
    });
  });

  describe('the library detail', () => {
    test('has the summary and further fields, and the share token only for managers', async () => {
      const { body } = await anonymous.get<LibraryDetail>('/namespaces/ada/libraries/robots');
      const more = ['homepage', 'upstreamRepo', 'upstreamCommit', 'indexRevision', 'viewerCanManage'];
      expect(Object.keys(body).sort()).toEqual([...SUMMARY_FIELDS, ...more].sort());
      expect(body).toMatchObject({
        homepage: 'https://example.org/robots',
        upstreamRepo: 'https://example.org/robots.git',
        upstreamCommit: 'abc',
        indexRevision: null,
        viewerCanManage: false,
      });
      const own = await ada.get<LibraryDetail>('/namespaces/ada/libraries/secret');
      expect(own.body).toMatchObject({ viewerCanManage: true, shareToken, visibility: 'private' });
    });

    test('of a private library is readable with its share token, but without management rights', async () => {
      const { status, body } = await anonymous.get<LibraryDetail>(
        `/namespaces/ada/libraries/secret?share=${shareToken}`,
      );
      expect(status).toBe(200);
      expect(body.viewerCanManage).toBe(false);
      expect(body).not.toHaveProperty('shareToken');
    });
  });

  describe('the README', () => {
    const README = '.bindery/source/README.md';
    const library = '/namespaces/hermit/libraries/letters';

    test('of a library is returned on request to those who can read it, and hidden from everyone else', async () => {
      const hermit = await service.member('hermit');
      await publish(hermit, 'hermit/letters', {
        assets: [{ id: 'a', files: { 'a/a.txt': 'a' } }],
        generated: { [README]: '# Letters' },
      });
      const { body } = await hermit.get<LibraryDetail>(`${library}?readme=true`);
      expect(body.readme).toMatchObject({ path: README, size: 9, sha256: sha256(Buffer.from('# Letters')) });
      expect(await (await fetch(body.readme!.url)).text()).toBe('# Letters');
      expect((await hermit.get<LibraryDetail>(library)).body).not.toHaveProperty('readme');
      const [hidden, missing] = await Promise.all(
        [library, '/namespaces/hermit/libraries/nothing'].map((path) =>
          stranger.get<ErrorBody>(`${path}?readme=true`),
        ),
      );
      expect(missing?.status).toBe(404);
      expect({ ...hidden?.body, status: hidden?.status, requestId: '' }).toEqual({
        ...missing?.body,
        status: missing?.status,
        requestId: '',
      });
    });

    test('is null if the library has none', async () => {
      const { body } = await anonymous.get<LibraryDetail>('/namespaces/ada/libraries/robots?readme=true');
      expect(body.readme).toBeNull();
    });
  });

  describe('entity tags', () => {
    const lists = ['/libraries', '/namespaces/ada/libraries', '/namespaces/ada/libraries?deleted=true'];
    const library = '/namespaces/ada/libraries/robots';

    test.each([...lists, library, `${library}/manifest`])('%s returns 304 for its own tag', async (path) => {
      const first = await ada.get(path);
      const tag = first.headers.get('etag')!;
      const again = await ada.with({ 'if-none-match': `"other", ${tag}` }).get(path);
      expect([first.status, again.status, again.body]).toEqual([200, 304, null]);
      expect(again.headers.get('etag')).toBe(tag);
      expect((await ada.with({ 'if-none-match': '"other"' }).get(path)).status).toBe(200);
    });

    test.each([...lists, library, `${library}/manifest`])(
      '%s follows lists of tags, * and If-Match',
      async (path) => {
        const ask = (headers: Record<string, string>) => ada.with(headers).get(path);
        const tag = (await ask({})).headers.get('etag')!;
        const strong = tag.slice('W/'.length);
        const unchanged = await Promise.all(
          ['*', strong, `"a,b" , ${tag}`, `"a",${strong},"b"`].map((tags) => ask({ 'if-none-match': tags })),
        );
        expect(unchanged.map(({ status }) => status)).toEqual([304, 304, 304, 304]);
        const changed = ['"*"', '"other", *', `"${strong.slice(1, -1)},"`, strong.slice(1, -1)];
        for (const tags of changed)
          expect([tags, (await ask({ 'if-none-match': tags })).status]).toEqual([tags, 200]);
        expect((await ask({ 'if-match': '*' })).status).toBe(200);
        for (const tags of [tag, strong, '"other"']) {
          const { status, headers, body } = await ask({ 'if-match': tags, 'if-none-match': tag });
          expect([status, body.error, headers.get('etag')]).toEqual([412, 'precondition_failed', null]);
        }
      },
    );

    test('do not let a change with another If-Match than * happen', async () => {
      const zoe = await service.member('zoe');
      await publish(zoe, 'zoe/plants', ROBOTS);
      const address = '/namespaces/zoe/libraries/plants';
      const tag = (await zoe.get(address)).headers.get('etag')!;
      const strict = zoe.with({ 'if-match': tag });
      expect((await strict.post(address, { visibility: 'public' })).status).toBe(412);
      expect((await strict.delete(address)).status).toBe(412);
      expect((await anonymous.with({ 'if-match': tag }).delete(address)).status).toBe(401);
      expect((await zoe.get(address)).body.visibility).toBe('private');
      const lenient = zoe.with({ 'if-match': '*' });
      expect((await lenient.post(address, { visibility: 'public' })).status).toBe(200);
      expect((await lenient.delete(address)).status).toBe(200);
    });

    test('of the detail differ between a manager and an anonymous viewer', async () => {
      const mine = await ada.get(library);
      const theirs = await anonymous.get(library);
      expect(mine.headers.get('etag')).not.toBe(theirs.headers.get('etag'));
    });

    test('of detail and lists change with every change, that of the manifest only with its bytes', async () => {
      const address = '/namespaces/ivy/libraries/plants';
      const ivy = await service.member('ivy');
      await publish(ivy, 'ivy/plants', ROBOTS);
      const tags = async () => {
        const paths = [address, '/namespaces/ivy/libraries', '/libraries', `${address}/manifest`];
        const answers = await Promise.all(paths.map((path) => ivy.get(path)));
        return answers.map(({ headers }) => headers.get('etag'));
      };
      const first = await tags();
      await ivy.post(address, { share: true });
      const shared = await tags();
      expect(shared.map((tag, at) => tag !== first[at])).toEqual([true, true, true, false]);
      await publish(ivy, 'ivy/plants', { ...ROBOTS, library: { title: 'Plants' } });
      const replaced = await tags();
      expect(replaced.map((tag, at) => tag !== shared[at])).toEqual([true, true, true, true]);
    });

    test('of a response with a cover stop matching once the URL of the cover expires', async () => {
      const first = await ada.get(library);
      service.advance(900);
      const later = await ada.with({ 'if-none-match': first.headers.get('etag')! }).get(library);
      expect(later.status).toBe(200);
    });
  });

  describe('an asset', () => {
    const assets = '/namespaces/ada/libraries/robots/assets';

    test('is its whole manifest entry with a URL per file', async () => {
      const { status, body } = await anonymous.get<AssetDetail>(`${assets}/ur5e`);
      expect(status).toBe(200);
      const { files, thumbnailUrl, ...entry } = body;
      expect(entry).toEqual({
        id: 'ur5e',
        title: 'UR5e',
        description: 'A six-axis arm',
        category: 'arm',
        tags: ['arm'],
        kind: 'mjcf',
        format: 'xml',
        license: 'MIT',
        attribution: 'Universal Robots',
        upstream: { id: 'u1', url: 'https://example.org/ur5e' },
        entry: 'ur5e/scene.xml',
        entryPoints: {
          bare: { kind: 'model', file: 'ur5e/ur5e.xml' },
          scene: { kind: 'scene', file: 'ur5e/scene.xml' },
        },
        meta: { dof: 6 },
        ttlSeconds: 900,
      });
      expect(files.map(({ path }) => path)).toEqual([
        'ur5e/ur5e.xml',
        'ur5e/scene.xml',
        'shared/grün metal.png',
      ]);
      for (const { url, path, size, sha256: hash } of files) {
        const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
        expect([path, bytes.length, sha256(bytes)]).toEqual([path, size, hash]);
      }
      expect(await (await fetch(String(thumbnailUrl))).text()).toBe('a small picture');
    });

    test('has null or empty values for omitted fields, and does not inherit the license of the library', async () => {
      const { body } = await anonymous.get<AssetDetail>(`${assets}/Hand`);
      expect(body).toMatchObject({
        id: 'Hand',
        title: null,
        description: null,
        category: null,
        tags: [],
        kind: 'file',
        format: null,
        license: null,
        attribution: null,
        upstream: null,
        entry: null,
        entryPoints: {},
        meta: {},
        thumbnailUrl: null,
      });
    });

    test.each([
      ['60', 60],
      ['59', 60],
      ['0', 60],
      ['-5', 60],
      ['3600', 3_600],
      ['99999', 3_600],
    ])('grants URLs a requested lifetime of %s as %i seconds', async (asked, granted) => {
      const { body } = await anonymous.get<AssetDetail>(`${assets}/ur5e?ttlSeconds=${asked}`);
      expect(body.ttlSeconds).toBe(granted);
    });

    test.each(['soon', '1.5', ''])('rejects the URL lifetime %j', async (asked) => {
      const { status, body } = await anonymous.get<ErrorBody>(`${assets}/ur5e?ttlSeconds=${asked}`);
      expect([status, body.error, body.parameter]).toEqual([400, 'invalid_parameter', 'ttlSeconds']);
    });

    test.each(['nothing', 'hand', '%20', 'a%2Fb', 'x'.repeat(200)])('with id %j is not found', async (id) => {
      const { status, body } = await anonymous.get<ErrorBody>(`${assets}/${id}`);
      expect([status, body.error]).toEqual([404, 'asset_not_found']);
    });

    test('that is unknown is a 404 even if the requested lifetime is invalid', async () => {
      const { status, body } = await anonymous.get<ErrorBody>(`${assets}/nothing?ttlSeconds=soon`);
      expect([status, body.error]).toEqual([404, 'asset_not_found']);
    });
  });

  describe('the manifest', () => {
    const path = '/namespaces/ada/libraries/robots/manifest';

    test('is served byte for byte', async () => {
      const response = await fetch(service.url + path, { headers: { 'accept-encoding': 'identity' } });
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(manifestBytes(ROBOTS));
    });

    test('is compressed for clients that accept gzip', async () => {
      const { headers, bytes } = await getRaw(service.url + path, { 'accept-encoding': 'gzip' });
      expect(headers['content-encoding']).toBe('gzip');
      expect(Uint8Array.from(gunzipSync(bytes))).toEqual(manifestBytes(ROBOTS));
    });

    test('returns its length and no body for HEAD', async () => {
      const response = await fetch(service.url + path, {
        method: 'HEAD',
        headers: { 'accept-encoding': 'identity' },
      });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-length')).toBe(String(manifestBytes(ROBOTS).length));
      expect(await response.text()).toBe('');
    });
  });

  describe('presigned URLs of files', () => {
    const path = '/namespaces/ada/libraries/robots/files-presign';
    type Presigned = { ttlSeconds: number; files: PresignedFile[] };

    test('come in the requested order, with platform artifacts and repetitions', async () => {
      const paths = [
        'hand/hand.stl',
        '.bindery/thumbnails/ur5e.webp',
        'shared/grün metal.png',
        'hand/hand.stl',
      ];
      const { status, body } = await anonymous.post<Presigned>(path, { paths });
      expect(status).toBe(200);
      expect(body.ttlSeconds).toBe(900);
      expect(body.files.map((file) => file.path)).toEqual(paths);
      for (const { url, size, sha256: hash } of body.files) {
        const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
        expect([bytes.length, sha256(bytes)]).toEqual([size, hash]);
      }
    });

    test('get the maximum lifetime if a longer one is requested, however long', async () => {
      const asked = { paths: ['hand/hand.stl'], ttlSeconds: 1e17 };
      expect((await anonymous.post<Presigned>(path, asked)).body.ttlSeconds).toBe(3_600);
    });

    test('expire after the granted lifetime', async () => {
      const asked = { paths: ['hand/hand.stl'], ttlSeconds: 10 };
      const { body } = await anonymous.post<Presigned>(path, asked);
      expect(body.ttlSeconds).toBe(60);
      service.advance(62);
      expect((await fetch(body.files[0]!.url)).status).toBe(403);
    });

    test('are refused for an unknown query parameter', async () => {
      const { status, body } = await anonymous.post<ErrorBody>(`${path}?ttl=60`, {
        paths: ['hand/hand.stl'],
      });
      expect([status, body.error, body.parameter]).toEqual([400, 'invalid_parameter', 'ttl']);
    });

    test.each([
      'hand/other.stl',
      '.bindery/manifest.json',
      '.bindery/vectors.f32',
      '/hand/hand.stl',
      'hand/../hand/hand.stl',
      '',
    ])('are refused for the unknown path %j', async (unknown) => {
      const { status, body } = await anonymous.post<ErrorBody>(path, { paths: ['hand/hand.stl', unknown] });
      expect([status, body.error, body.path]).toEqual([400, 'unknown_path', unknown]);
    });

    test.each([
      [{}, '/paths'],
      [{ paths: [] }, '/paths'],
      [{ paths: Array(1_001).fill('hand/hand.stl') }, '/paths'],
      [{ paths: ['hand/hand.stl', 7] }, '/paths/1'],
      [{ paths: ['hand/hand.stl'], ttlSeconds: 'long' }, '/ttlSeconds'],
      [{ paths: ['hand/hand.stl'], ttl: 60 }, '/ttl'],
    ])('are refused for the invalid request %j', async (body, parameter) => {
      const answer = await anonymous.post<ErrorBody>(path, body);
      expect([answer.status, answer.body.error, answer.body.parameter]).toEqual([
        400,
        'invalid_parameter',
        parameter,
      ]);
    });
  });

  describe('a hidden library', () => {
    const routes: [method: string, rest: string, body?: unknown][] = [
      ['GET', ''],
      ['GET', '/search?q=arm'],
      ['GET', '/search?limit=-1'],
      ['GET', '/assets/ur5e'],
      ['GET', '/assets/ur5e?ttlSeconds=soon'],
      ['GET', '/assets/no%20id'],
      ['GET', '/manifest'],
      ['POST', '/files-presign', { paths: ['hand/hand.stl'] }],
      ['POST', '/files-presign', { wrong: true }],
    ];
    const requests = routes.flatMap(([method, rest, body]): typeof routes =>
      method === 'GET'
        ? [
            ['GET', rest],
            ['HEAD', rest],
          ]
        : [[method, rest, body]],
    );

    const MISSING = [
      'ada/libraries/no-such',
      'hermit/libraries/cave',
      'no-such/libraries/any',
      'Not_a_slug/libraries/any',
      'ada/libraries/Not%20a%20name',
    ];

    test.each(requests)('returns the same 404 as a missing one for %s %s', async (method, rest, body) => {
      for (const share of ['', 'share=wrong', `share=${shareToken.slice(1)}`]) {
        const query = share === '' ? '' : (rest.includes('?') ? '&' : '?') + share;
        for (const actor of [anonymous, stranger]) {
          const hidden = await actor.send(method, `/namespaces/ada/libraries/secret${rest}${query}`, body);
          for (const missing of MISSING) {
            const other = await actor.send(method, `/namespaces/${missing}${rest}${query}`, body);
            expect(withoutRequestId(other)).toEqual(withoutRequestId(hidden));
          }
          expect(hidden.status).toBe(404);
        }
      }
    });

    test.each(requests)('returns 401 for a bad token: %s %s', async (method, rest, body) => {
      const forged = anonymous.with({ authorization: 'Bearer bnd_nothing' });
      const { status } = await forged.send(method, `/namespaces/ada/libraries/secret${rest}`, body);
      expect(status).toBe(401);
    });

    test('is readable on every route with its share token', async () => {
      const share = `share=${shareToken}`;
      const base = '/namespaces/ada/libraries/secret';
      const answers = await Promise.all([
        anonymous.get(`${base}?${share}`),
        anonymous.get(`${base}/search?q=arm&${share}`),
        anonymous.get(`${base}/assets/ur5e?${share}`),
        anonymous.get(`${base}/manifest?${share}`),
        anonymous.post(`${base}/files-presign?${share}`, { paths: ['hand/hand.stl'] }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    });
  });
});

/** What a client could tell apart: status, headers and body, but for the request's id and the time. */
function withoutRequestId({ status, headers, body }: ApiResponse<unknown>) {
  const { 'x-request-id': _id, date: _date, ...rest } = Object.fromEntries(headers);
  const { requestId: _requestId, ...shown } = (body ?? {}) as Record<string, unknown>;
  return { status, headers: rest, body: shown };
}

/** `fetch` would decompress. */
async function getRaw(url: string, headers: Record<string, string>) {
  const { get } = await import('node:http');
  return new Promise<{ headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
    get(url, { headers }, async (response) => {
      const chunks: Buffer[] = await response.toArray();
      resolve({ headers: response.headers, bytes: Buffer.concat(chunks) });
    }).on('error', reject);
  });
}
