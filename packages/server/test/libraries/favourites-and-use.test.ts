import type { AssetDetail, LibraryDetail, LibrarySummary } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeUseCounts } from '../../src/libraries/use/counts.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { publish } from './publish.ts';

interface List {
  total: number;
  libraries: LibrarySummary[];
}

const files = (id: string) => ({ [`${id}/${id}.obj`]: `v 0 0 0 # ${id}`, [`${id}/skin.png`]: `skin ${id}` });
const asset = (id: string) => ({ id, kind: 'mesh', entry: `${id}/${id}.obj`, files: files(id) });

describe.each(databases)('libraries of people over $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let bob: Actor;

  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    bob = await service.member('bob');
    for (const name of ['arms', 'bins', 'cups']) {
      await publish(ada, `ada/${name}`, { visibility: 'public', assets: [asset('one'), asset('two')] });
    }
    await publish(bob, 'bob/own', { assets: [asset('one')] });
  });
  afterAll(() => service.close());

  const list = async (actor: Actor, query = '') =>
    (await actor.get<List>(`/libraries?uses=true${query}`)).body;
  const names = ({ libraries }: List) => libraries.map(({ namespace, name }) => `${namespace}/${name}`);
  const library = '/namespaces/ada/libraries/arms';

  test('are marked as favourites and listed as such, for oneself alone', async () => {
    expect((await bob.put(`${library}/favourite`)).status).toBe(204);
    expect((await bob.put(`${library}/favourite`)).status).toBe(204);
    expect(names(await list(bob, '&of=favourites'))).toEqual(['ada/arms']);
    expect((await bob.get<LibraryDetail>(`${library}?uses=true`)).body.isFavourite).toBe(true);
    expect((await ada.get<LibraryDetail>(`${library}?uses=true`)).body.isFavourite).toBe(false);
    expect(await list(ada, '&of=favourites')).toEqual({ total: 0, libraries: [] });
    expect(await list(service.anonymous, '&of=favourites')).toEqual({ total: 0, libraries: [] });
    expect((await bob.delete(`${library}/favourite`)).status).toBe(204);
    expect((await list(bob, '&of=favourites')).total).toBe(0);
  });

  test('that are hidden cannot be marked, and a favourite that becomes private is gone from the list', async () => {
    expect((await ada.put('/namespaces/bob/libraries/own/favourite')).status).toBe(404);
    expect((await service.anonymous.put(`${library}/favourite`)).status).toBe(401);
    const reader = await service.token('bob', { scope: 'read' });
    for (const change of [reader.put(`${library}/favourite`), reader.delete(`${library}/favourite`)])
      expect((await change).status).toBe(403);
    expect((await reader.put('/namespaces/ada/libraries/nothing/favourite')).status).toBe(404);
    expect((await list(bob, '&of=favourites')).total).toBe(0);
    await bob.put('/namespaces/ada/libraries/bins/favourite');
    await ada.post('/namespaces/ada/libraries/bins', { visibility: 'private' });
    expect((await list(bob, '&of=favourites')).total).toBe(0);
    await ada.post('/namespaces/ada/libraries/bins', { visibility: 'public' });
    expect((await list(bob, '&of=favourites')).total).toBe(1);
  });

  test('are listed part by part in an order, with their total', async () => {
    expect(names(await list(ada, '&sort=name'))).toEqual(['ada/arms', 'ada/bins', 'ada/cups']);
    const part = await list(ada, '&sort=name&limit=1&offset=1');
    expect([part.total, names(part)]).toEqual([3, ['ada/bins']]);
    expect(names(await list(bob, '&of=mine'))).toEqual(['bob/own']);
    expect((await list(service.anonymous, '&of=mine')).total).toBe(0);
  });

  test('are found by words of their address or title, and hidden ones are not', async () => {
    expect(names(await list(ada, '&search=rms'))).toEqual(['ada/arms']);
    expect(names(await list(ada, '&sort=name&search=ADA'))).toEqual(['ada/arms', 'ada/bins', 'ada/cups']);
    expect(await list(ada, '&search=ada%20cup')).toMatchObject({ total: 1 });
    expect(names(await list(bob, '&search=own'))).toEqual(['bob/own']);
    for (const words of ['own', '%25', 'a_a', 'ada%20own'])
      expect(await list(ada, `&search=${words}`)).toEqual({ total: 0, libraries: [] });
  });

  test('tell how often their assets were downloaded and pinned, and by nothing whose', async () => {
    const take = (actor: Actor, ...paths: string[]) => actor.post(`${library}/files-presign`, { paths });
    await take(bob, 'one/one.obj', 'one/skin.png', 'two/two.obj');
    await take(service.anonymous, 'one/one.obj');
    await take(bob, 'two/skin.png');
    expect((await bob.post(`${library}/uses`, { assets: ['two', 'nothing'] })).status).toBe(204);
    await writeUseCounts(service.context);
    await take(bob, 'one/one.obj');
    await writeUseCounts(service.context);

    const counts = async (id: string) => {
      const { body } = await ada.get<AssetDetail>(`${library}/assets/${id}?uses=true`);
      return [body.downloads, body.usedBy];
    };
    expect([await counts('one'), await counts('two')]).toEqual([
      [3, 0],
      [1, 1],
    ]);
    expect((await ada.get<LibraryDetail>(`${library}?uses=true`)).body).toMatchObject({
      downloads: 4,
      usedBy: 1,
    });
    expect(names(await list(ada, '&sort=downloads'))[0]).toBe('ada/arms');
    expect(names(await list(ada, '&sort=used'))[0]).toBe('ada/arms');
    const stored = await service.context.db.selectFrom('use_counts').selectAll().execute();
    expect(new Set(stored.flatMap((row) => Object.keys(row)))).toEqual(
      new Set(['store_id', 'asset_id', 'downloads', 'uses']),
    );
  });

  test('count an asset that a caller uses once a day, and a thousand assets of anybody', async () => {
    const ids = Array.from({ length: 1_001 }, (_, at) => `a${at}`);
    await publish(ada, 'ada/used', {
      visibility: 'public',
      assets: [{ ...asset('one') }, ...ids.map((id) => ({ id, files: { 'shared.txt': '' } }))],
    });
    const path = '/namespaces/ada/libraries/used';
    const use = (actor: Actor, assets: string[]) => actor.post(`${path}/uses`, { assets });
    const used = async () => {
      await writeUseCounts(service.context);
      return (await ada.get<LibraryDetail>(`${path}?uses=true`)).body.usedBy;
    };
    for (let time = 0; time < 5; time++) await use(service.anonymous, ['one']);
    await use(bob, ['one']);
    expect(await used()).toBe(2);
    service.advance(86_400);
    await use(service.anonymous, ['one']);
    expect(await used()).toBe(3);
    await use(service.anonymous, ids.slice(0, 1_000));
    await use(service.anonymous, ids.slice(1));
    expect(await used()).toBe(3 + 999);
  });

  test('show new counts to whoever holds an older answer', async () => {
    const before = await ada.get(`${library}?uses=true`);
    const known = ada.with({ 'if-none-match': before.headers.get('etag') ?? '' });
    expect((await known.get(`${library}?uses=true`)).status).toBe(304);
    await bob.post(`${library}/uses`, { assets: ['one'] });
    await writeUseCounts(service.context);
    expect((await known.get(`${library}?uses=true`)).status).toBe(200);
  });

  test('leave no counts behind when they are purged', async () => {
    await bob.post('/namespaces/bob/libraries/own/uses', { assets: ['one'] });
    await writeUseCounts(service.context);
    const storeIds = async () =>
      (await service.context.db.selectFrom('use_counts').select('store_id').distinct().execute()).length;
    const before = await storeIds();
    await bob.post('/namespaces/bob/libraries/own/uses', { assets: ['one'] });
    await bob.delete('/namespaces/bob/libraries/own');
    await bob.delete('/namespaces/bob/libraries/own/purge');
    await writeUseCounts(service.context);
    expect(await storeIds()).toBe(before - 1);
  });
});

test('a service that stops writes what it has counted', async () => {
  const [database] = databases;
  if (!database) throw new Error('There is no database.');
  const opened = await database.open();
  const service = await startService({ database: { ...opened, close: async () => {} } });
  const ada = await service.member('ada');
  await publish(ada, 'ada/arms', { assets: [asset('one')] });
  await ada.post('/namespaces/ada/libraries/arms/uses', { assets: ['one'] });
  await service.close();
  const rows = await opened.db.selectFrom('use_counts').selectAll().orderBy('asset_id').execute();
  expect(rows.map(({ asset_id, uses }) => [asset_id, uses])).toEqual([
    ['', 1],
    ['one', 1],
  ]);
  await opened.close();
});

test('a service that is told not to count says nothing of it', async () => {
  const service = await startService({ configuration: { countsUse: false } });
  const ada = await service.member('ada');
  await publish(ada, 'ada/arms', { assets: [asset('one')] });
  await ada.post('/namespaces/ada/libraries/arms/files-presign', { paths: ['one/one.obj'] });
  await ada.post('/namespaces/ada/libraries/arms/uses', { assets: ['one'] });
  await writeUseCounts(service.context);
  const { body } = await ada.get<LibraryDetail>('/namespaces/ada/libraries/arms?uses=true');
  expect([body.downloads, body.usedBy]).toEqual([undefined, undefined]);
  expect(await service.context.db.selectFrom('use_counts').selectAll().execute()).toEqual([]);
  await service.close();
});
