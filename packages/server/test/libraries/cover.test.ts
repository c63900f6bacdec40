import { createHash } from 'node:crypto';
import type { LibraryDetail, LibrarySummary } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { publish, type WrittenLibrary } from './publish.ts';

const PATH = '/namespaces/ada/libraries/robots';

/** A library of these assets, each with a picture that holds its id; `plain` has none. */
const robotsOf = (...ids: string[]): WrittenLibrary => ({
  assets: ids.map((id) => ({
    id,
    files: { [`${id}/${id}.stl`]: `solid ${id}` },
    ...(id !== 'plain' && { thumbnail: `.bindery/thumbs/${id}.png` }),
  })),
  generated: Object.fromEntries(
    ids.filter((id) => id !== 'plain').map((id) => [`.bindery/thumbs/${id}.png`, id]),
  ),
});

describe.each(databases)('the cover of a library on $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
  });
  afterAll(() => service.close());

  const cover = async () => {
    const { body } = await ada.get<{ libraries: LibrarySummary[] }>('/libraries');
    const url = body.libraries.find(({ name }) => name === 'robots')?.coverThumbUrl;
    return url ? (await fetch(url)).text() : null;
  };
  const choose = (id: string | null) => ada.post<LibraryDetail>(PATH, { cover: id });
  const push = (...ids: string[]) => publish(ada, 'ada/robots', robotsOf(...ids));

  test('is the picture of the asset that a member chose, at once and after each push', async () => {
    await push('arm', 'hand', 'plain', 'rover');
    expect(await cover()).toBe('arm');
    expect(await choose('hand')).toMatchObject({ status: 200, body: { revision: 1, cover: 'hand' } });
    expect(await cover()).toBe('hand');
    await push('arm', 'hand', 'plain');
    expect(await cover()).toBe('hand');
  });

  test('is the first that has a picture while the chosen one is gone or has none, or none is chosen', async () => {
    await push('plain', 'rover');
    expect(await cover()).toBe('rover');
    expect((await ada.get<LibraryDetail>(PATH)).body.cover).toBe('hand');
    await push('arm', 'hand', 'plain');
    expect(await cover()).toBe('hand');
    await choose('plain');
    expect(await cover()).toBe('arm');
    await choose('hand');
    expect((await choose(null)).body.cover).toBeNull();
    expect(await cover()).toBe('arm');
  });

  test('stays as it is with another change, and is recorded', async () => {
    await choose('hand');
    await ada.post(PATH, { visibility: 'public' });
    expect(await cover()).toBe('hand');
    const { body } = await ada.get<{ entries: { action: string; details: object }[] }>(
      '/namespaces/ada/audit?action=library.change',
    );
    expect(body.entries[1]?.details).toMatchObject({ cover: 'hand' });
    expect(body.entries[0]?.details).not.toHaveProperty('cover');
  });

  /** The ids of the assets whose pictures a list shows of the library, as somebody reads it; undefined if it is not listed. */
  const pictured = async (reader: Actor, path = '/libraries?srcset=true') => {
    const { body } = await reader.get<{ libraries: LibrarySummary[] }>(path);
    const shown = body.libraries.find(({ name }) => name === 'robots')?.thumbnailSrcsets;
    const ids = new Map(
      ['arm', 'claw', 'foot', 'hand', 'rover'].map((id) => [
        createHash('sha256').update(id).digest('hex'),
        id,
      ]),
    );
    return shown?.map((srcset) => ids.get(/\/thumbnails\/[^/]+\/(\w+)\/160\.webp/.exec(srcset)?.[1] ?? ''));
  };

  test('is accompanied by the pictures of its first four assets that have one, unless it was chosen', async () => {
    await push('arm', 'claw', 'foot', 'hand', 'plain', 'rover');
    await choose('hand');
    expect(await pictured(ada)).toEqual([]);
    await choose(null);
    expect(await pictured(ada)).toEqual(['arm', 'claw', 'foot', 'hand']);
    expect(await pictured(ada, '/namespaces/ada/libraries?srcset=true')).toHaveLength(4);
    await push('arm', 'plain', 'rover');
    expect(await pictured(ada)).toEqual(['arm', 'rover']);
    const { body } = await ada.get<{ libraries: LibrarySummary[] }>('/libraries');
    expect(body.libraries[0]).not.toHaveProperty('thumbnailSrcsets');
  });

  test('has no pictures beside it of a revision that was registered without them', async () => {
    const robots = () => service.context.db.updateTable('libraries').where('name', '=', 'robots');
    await robots()
      .set({ manifest_sha256: 'f'.repeat(64) })
      .execute();
    expect(await pictured(ada)).toEqual([]);
    await robots().set({ thumbnails: null }).execute();
    expect(await pictured(ada)).toEqual([]);
    await push('plain', 'rover');
    expect(await pictured(ada)).toEqual(['rover']);
  });

  test('and the pictures beside it are listed for those alone who may read the library', async () => {
    const ben = await service.stranger();
    expect(await pictured(ben)).toEqual(['rover']);
    await ada.post(PATH, { visibility: 'private' });
    expect(await pictured(ben)).toBeUndefined();
    expect(await pictured(ada)).toEqual(['rover']);
    await ada.post(PATH, { visibility: 'public' });
    await push('arm', 'hand', 'plain');
    await choose('hand');
  });

  test('is chosen only among its assets, by those who may change it, and told to them alone', async () => {
    expect(await choose('drone')).toMatchObject({ status: 404, body: { error: 'asset_not_found' } });
    expect(await cover()).toBe('hand');
    const ben = await service.stranger();
    expect(await ben.post(PATH, { cover: 'arm' })).toMatchObject({
      status: 403,
      body: { error: 'forbidden' },
    });
    expect((await ben.get(PATH)).body).not.toHaveProperty('cover');
    await ada.post(PATH, { visibility: 'private' });
    const hidden = await ben.post(PATH, { cover: 'arm' });
    const missing = await ben.post(PATH.replace('robots', 'nothing'), { cover: 'arm' });
    expect(missing.status).toBe(404);
    expect(hidden).toMatchObject({
      status: 404,
      body: { ...missing.body, requestId: expect.any(String) },
    });
  });
});
