import { MANIFEST_SCHEMA, type RevisionChanges } from '@bindery/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { publish } from './publish.ts';
import { fileEntry, Publisher } from './publisher.ts';

const ARMS = '/namespaces/ada/libraries/arms';

describe.each(databases)('the changes between two revisions on $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;

  beforeEach(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
  });
  afterEach(() => service.close());

  type Assets = NonNullable<Parameters<typeof publish>[2]>['assets'];

  const push = (assets: Assets, library = {}) =>
    publish(ada, 'ada/arms', { visibility: 'public', assets, library });

  const changes = async (query: string, actor = ada) => {
    const { status, body } = await actor.get<RevisionChanges>(`${ARMS}/changes?${query}`);
    expect(status).toBe(200);
    return body;
  };

  const ids = ({ changes }: RevisionChanges) => changes.map(({ id }) => id);

  test('are the entries of both manifests of the assets that differ, in anything, and of no other', async () => {
    const same = { id: 'same', files: { 'same/a.txt': 'same', 'common.txt': 'common' } };
    await push(
      [
        { id: 'files', files: { 'files/a.txt': 'before', 'common.txt': 'common' } },
        { id: 'gone', files: { 'gone/a.txt': 'gone' } },
        same,
        { id: 'title', title: 'The first', tags: ['old'], files: { 'title/a.txt': 'title' } },
      ],
      { title: 'Arms', name: 'arms' },
    );
    await ada.post(`${ARMS}/releases`, { name: 'v1' });
    await push(
      [
        { id: 'files', files: { 'files/a.txt': 'after' } },
        { id: 'new', files: { 'new/a.txt': 'new' } },
        same,
        { id: 'title', title: 'The second', files: { 'title/a.txt': 'title' } },
      ],
      { title: 'Better arms', name: 'arms', license: 'MIT' },
    );
    const found = await changes('from=1');
    expect(found.from).toMatchObject({ revision: 1, library: { title: 'Arms', name: 'arms' } });
    expect(found.to).toMatchObject({ revision: 2, library: { title: 'Better arms', license: 'MIT' } });
    expect(found.next).toBeNull();
    expect(found.changes).toMatchObject([
      { id: 'files', before: { files: [{}, {}] }, after: { files: [{}] }, shared: ['common.txt'] },
      { id: 'gone', before: { id: 'gone' }, after: null, shared: [] },
      { id: 'new', before: null, after: { id: 'new', files: [{ path: 'new/a.txt', size: 3 }] } },
      { id: 'title', before: { title: 'The first', tags: ['old'] }, after: { title: 'The second' } },
    ]);
    expect(found.changes[3]?.after).not.toHaveProperty('tags');
    expect(await changes('fromRelease=v1')).toEqual(found);
    expect(ids(await changes('fromRelease=v1&revision=1'))).toEqual([]);
    const back = await changes('from=2&release=v1');
    expect(back.changes[1]).toMatchObject({ id: 'gone', before: null, after: { id: 'gone' } });
  });

  test('come in pages that together are all of them', async () => {
    const assets = Array.from({ length: 7 }, (_, number) => `asset-${number}`);
    await push(assets.map((id) => ({ id, files: { [`${id}/a.txt`]: id } })));
    await push(assets.map((id) => ({ id, files: { [`${id}/a.txt`]: `${id}, again` } })));
    const found: string[] = [];
    let pages = 0;
    for (let after: string | null = ''; after !== null; pages++) {
      const page: RevisionChanges = await changes(`from=1&limit=3${after && `&after=${after}`}`);
      found.push(...ids(page));
      after = page.next;
    }
    expect([found, pages]).toEqual([assets, 3]);
  });

  test('that an asset with very many files has are not told', async () => {
    const publisher = new Publisher(ada, 'ada', 'arms');
    for (const text of ['before', 'after']) {
      const files = Array.from({ length: 10_001 }, (_, number) => fileEntry(`many/${number}.txt`, text));
      await publisher.upload({ 'many/0.txt': text });
      await publisher.uploadManifest({ schema: MANIFEST_SCHEMA, assets: [{ id: 'many', files }] });
      expect((await publisher.register()).status).toBeLessThan(300);
    }
    expect((await changes('from=1')).changes).toEqual([
      { id: 'many', before: null, after: null, shared: [], untold: true },
    ]);
  });

  test('are hidden with the earlier revision from those who cannot read it', async () => {
    await push([{ id: 'arm', files: { 'arm/a.txt': 'first' } }]);
    await push([{ id: 'arm', files: { 'arm/a.txt': 'second' } }]);
    const stranger = await service.member('eve');
    const hidden = await stranger.get(`${ARMS}/changes?from=1`);
    const missing = await stranger.get(`${ARMS}/changes?from=7`);
    expect([hidden.status, hidden.body]).toEqual([
      404,
      { ...(missing.body as object), requestId: expect.anything() },
    ]);
    expect(ids(await changes('from=2', stranger))).toEqual([]);
  });

  test('need an earlier revision', async () => {
    await push([{ id: 'arm', files: { 'arm/a.txt': 'first' } }]);
    const { status, body } = await ada.get(`${ARMS}/changes`);
    expect([status, body]).toMatchObject([400, { error: 'invalid_parameter', parameter: 'from' }]);
  });
});
