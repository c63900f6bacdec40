import type { Manifest, PresignedFile, SearchHit } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reclaim } from '../../src/objects/retention/reclaim.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { manifestBytes, publish, sha256, type WrittenLibrary } from './publish.ts';

const DAY = 86_400;

const first: WrittenLibrary = {
  library: { title: 'Arms of the paper', license: 'MIT' },
  assets: [
    { id: 'arm', title: 'Red arm', kind: 'mjcf', tags: ['red'], files: { 'arm/arm.xml': '<mujoco/>' } },
    { id: 'cup', title: 'Cup', files: { 'cup/cup.stl': 'a cup', 'cup/same.txt': 'the same' } },
  ],
  generated: { '.bindery/thumbs/arm.webp': 'a picture' },
};
const second: WrittenLibrary = {
  library: { title: 'Arms', license: 'Apache-2.0' },
  assets: [{ id: 'arm', title: 'Blue arm', files: { 'arm/arm.xml': '<mujoco model="blue"/>' } }],
};

describe.each(databases)('a released revision on $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  const base = '/namespaces/ada/libraries/arms';

  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    await publish(ada, 'ada/arms', first);
    await ada.post(`${base}/releases`, { name: 'v1' });
    await publish(ada, 'ada/arms', second);
    for (let pass = 0; pass < 2; pass++) {
      service.advance(2 * DAY);
      await reclaim(service.context);
    }
  });
  afterAll(() => service.close());

  test('has the detail of its own revision, with the current visibility of the library', async () => {
    await ada.post(base, { visibility: 'public' });
    const { body, headers } = await ada.get(`${base}?release=v1`);
    expect(body).toMatchObject({
      revision: 1,
      title: 'Arms of the paper',
      license: 'MIT',
      assetCount: 2,
      fileCount: 3,
      kinds: ['file', 'mjcf'],
      visibility: 'public',
      viewerCanManage: true,
    });
    expect(headers.get('bindery-manifest')).toBe(sha256(manifestBytes(first)));
    expect(headers.get('bindery-manifest-size')).toBe(String(manifestBytes(first).length));
    const now = await ada.get(base);
    expect(now.body).toMatchObject({ revision: 2, title: 'Arms', assetCount: 1 });
    expect(now.headers.get('etag')).not.toBe(headers.get('etag'));
    expect(Object.keys(now.body)).toEqual(Object.keys(body));
  });

  test('serves its manifest byte for byte', async () => {
    const response = await fetch(`${service.url}${base}/manifest?release=v1`, { headers: ada.headers });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(manifestBytes(first)));
    expect(response.headers.get('etag')).toBe(`W/"${sha256(manifestBytes(first))}"`);
  });

  test('serves every file, by asset and by path', async () => {
    const { body: cup } = await ada.get<{ files: PresignedFile[] }>(`${base}/assets/cup?release=v1`);
    expect(await Promise.all(cup.files.map(async ({ url }) => (await fetch(url)).text()))).toEqual([
      'a cup',
      'the same',
    ]);
    expect((await ada.get(`${base}/assets/cup`)).body).toMatchObject({ error: 'asset_not_found' });
    const paths = ['arm/arm.xml', '.bindery/thumbs/arm.webp'];
    const { body } = await ada.post<{ files: PresignedFile[] }>(`${base}/files-presign?release=v1`, {
      paths,
    });
    expect(await Promise.all(body.files.map(async ({ url }) => (await fetch(url)).text()))).toEqual([
      '<mujoco/>',
      'a picture',
    ]);
  });

  test.each(['specified', 'relevance'])('is searched by its own content with rank "%s"', async (rank) => {
    const search = async (query: string) =>
      (await ada.get<{ hits: SearchHit[] }>(`${base}/search?rank=${rank}&${query}`)).body.hits.map(
        ({ assetId }) => assetId,
      );
    expect(await search('q=red&release=v1')).toEqual(['arm']);
    expect(await search('q=red')).toEqual([]);
    expect(await search('release=v1')).toEqual(['arm', 'cup']);
    expect(await search('kind=mjcf&release=v1')).toEqual(['arm']);
  });

  test('counts its own facet values', async () => {
    const { body } = await ada.get(`${base}/facets?release=v1`);
    expect(body).toMatchObject({ facets: { license: [{ value: 'MIT', count: 2 }] } });
  });

  test('is the same 404 as a missing library if there is no such release', async () => {
    const { body: missing } = await ada.get<Record<string, unknown>>('/namespaces/ada/libraries/none');
    const reads = ['', '/assets/arm', '/manifest', '/search', '/facets'];
    for (const read of reads) {
      for (const release of ['v2', 'V1', 'latest', '', '%20', 'v1&release=v1']) {
        const { status, body } = await ada.get(`${base}${read}?release=${release}`);
        expect({ status, body: { ...body, requestId: '' } }).toEqual({
          status: 404,
          body: { ...missing, requestId: '' },
        });
      }
    }
  });

  test('is readable with the current share token of a private library, and hidden without it', async () => {
    await ada.post(base, { visibility: 'private' });
    const { body } = await ada.post<{ shareToken: string }>(base, { share: true });
    const stranger = await service.stranger();
    expect((await stranger.get(`${base}/manifest?release=v1`)).status).toBe(404);
    const opened = await stranger.get<Manifest>(`${base}/manifest?release=v1&share=${body.shareToken}`);
    expect(opened.body.assets).toHaveLength(2);
    await ada.post(base, { share: 'rotate' });
    expect((await stranger.get(`${base}/manifest?release=v1&share=${body.shareToken}`)).status).toBe(404);
  });

  test('is a 404 once its release is deleted', async () => {
    await ada.post(`${base}/releases`, { name: 'brief' });
    expect((await ada.get(`${base}/manifest?release=brief`)).status).toBe(200);
    await ada.delete(`${base}/releases/brief`);
    expect((await ada.get(`${base}/manifest?release=brief`)).status).toBe(404);
  });
});
