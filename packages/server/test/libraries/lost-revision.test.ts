import { rm } from 'node:fs/promises';
import { MANIFEST_PATH, type PresignedFile, type Transfer } from '@bindery/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LibraryRow } from '../../src/access/libraries.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import type { TestService } from '../service.ts';
import { fileEntry, manifestOf, Publisher, sha256 } from './publisher.ts';
import { flipBit, startWatchedService, type WatchedService } from './watched-service.ts';

const THUMBNAIL = '.bindery/thumbnails/arm.webp';
const FILES = { 'arm/arm.xml': '<mujoco/>', 'cup/cup.stl': 'a cup' };
const MANIFEST = JSON.stringify(manifestOf(FILES, { generated: [THUMBNAIL] }));
const CONTENTS: Record<string, string> = {
  ...FILES,
  [THUMBNAIL]: 'a picture',
  [MANIFEST_PATH]: MANIFEST,
};

describe.each(databases)('on $name, a library that has lost its manifest and its index', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let logged: WatchedService['logged'];
  let forget: () => void;

  beforeAll(async () => {
    ({ service, logged, forget } = await startWatchedService({
      // Nothing is kept in memory: every request reads what is stored.
      configuration: { indexCacheBytes: 1 },
      database: await open(),
    }));
    ada = await service.member('ada');
  });
  beforeEach(() => forget());
  afterAll(() => service.close());

  type Document = 'manifest_sha256' | 'index_sha256' | 'artifacts_sha256';
  async function fileOf(name: string, column: Document): Promise<string> {
    const row: LibraryRow = await service.context.db
      .selectFrom('libraries')
      .selectAll()
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    return service.context.objects.localFile({ storeId: row.store_id, sha256: row[column] ?? '' });
  }
  async function published(name: string, ...lost: Document[]): Promise<Publisher> {
    const home = new Publisher(ada, 'ada', name);
    await home.upload(CONTENTS);
    expect((await home.register()).status).toBe(201);
    for (const column of lost) await rm(await fileOf(name, column));
    return home;
  }
  /** Uploads what the service asks for. Returns the paths. */
  async function sendWanted(home: Publisher, more: { verify?: boolean } = {}): Promise<string[]> {
    const files = Object.entries(CONTENTS).map(([path, content]) => {
      const { size, sha256 } = fileEntry(path, content);
      return { relativePath: path, size, sha256 };
    });
    const { status, body } = await ada.post<{ files: { relativePath: string; transfer: Transfer }[] }>(
      `${home.path}/upload-authorizations`,
      { files, ...more },
    );
    expect(status).toBe(200);
    const wanted: string[] = [];
    for (const { relativePath, transfer } of body.files) {
      if (transfer.kind !== 'single-put') continue;
      const sent = await fetch(transfer.put.url, { method: 'PUT', body: CONTENTS[relativePath] ?? '' });
      expect(sent.status).toBe(200);
      wanted.push(relativePath);
    }
    return wanted;
  }
  const presign = (home: Publisher, paths: string[]) =>
    ada.post<{ files: PresignedFile[]; error?: string }>(`${home.path}/files-presign`, { paths });
  async function contents(home: Publisher) {
    const { body } = await presign(home, [...Object.keys(FILES), THUMBNAIL]);
    const found = body.files.map(async ({ path, url }) => [path, await (await fetch(url)).text()] as const);
    return Object.fromEntries(await Promise.all(found));
  }
  const register = (home: Publisher) =>
    home.register<{ revision: number; error?: string; paths?: string[] }>({
      manifestSha256: sha256(MANIFEST),
    });
  const WHOLE = { ...FILES, [THUMBNAIL]: 'a picture' };

  test.each([
    ['with-verify', { verify: true }],
    ['without-verify', {}],
  ])('asks a push only for the manifest, and works again after a register: %s', async (name, more) => {
    const home = await published(name, 'manifest_sha256', 'index_sha256');
    expect((await ada.get(`${home.path}/manifest`)).body.error).toBe('content_lost');
    expect((await ada.get(`${home.path}/assets/arm`)).body.error).toBe('content_lost');

    expect(await sendWanted(home, more)).toEqual([MANIFEST_PATH]);
    const { status, body } = await register(home);
    expect([status, body.revision]).toEqual([200, 2]);
    expect(logged.map(({ msg }) => msg)).toContain('the index of a library was rebuilt');
    expect(await contents(home)).toEqual(WHOLE);
    expect((await ada.get(`${home.path}/manifest`)).body).toEqual(JSON.parse(MANIFEST));
    expect((await ada.get(`${home.path}/assets/arm`)).status).toBe(200);
  });

  test('keeps its platform artifacts by their list when another manifest is registered', async () => {
    const home = await published('changed', 'manifest_sha256', 'index_sha256');
    const files = { ...FILES, 'bowl/bowl.stl': 'a bowl' };
    const changed = JSON.stringify(manifestOf(files, { generated: [THUMBNAIL] }));
    await home.upload({ 'bowl/bowl.stl': 'a bowl', [MANIFEST_PATH]: changed });
    expect((await home.register()).status).toBe(200);
    expect(logged).toContainEqual(
      expect.objectContaining({
        library: 'changed',
        revision: 1,
        artifacts: 1,
        msg: expect.stringContaining('list'),
      }),
    );
    expect(await contents(home)).toEqual(WHOLE);
  });

  test('of a namespace with a quota is restored too', async () => {
    const home = await published('limited', 'manifest_sha256', 'index_sha256');
    const quota = (bytes: number | null) =>
      service.context.db
        .updateTable('namespaces')
        .set({ quota_bytes: bytes })
        .where('slug', '=', 'ada')
        .execute();
    await quota(1_000_000);
    expect(await sendWanted(home, { verify: true })).toEqual([MANIFEST_PATH]);
    expect((await register(home)).status).toBe(200);
    await quota(null);
    expect(await contents(home)).toEqual(WHOLE);
  });

  test('asks a push with verify also for a file that is damaged', async () => {
    const home = await published('damaged', 'manifest_sha256', 'index_sha256');
    const { store_id: storeId } = await service.context.db
      .selectFrom('libraries')
      .select('store_id')
      .where('name', '=', 'damaged')
      .executeTakeFirstOrThrow();
    await flipBit(await service.context.objects.localFile({ storeId, sha256: sha256('a cup') }), 2);
    expect(await sendWanted(home, { verify: true })).toEqual(['cup/cup.stl', MANIFEST_PATH]);
    expect((await register(home)).status).toBe(200);
    expect(await contents(home)).toEqual(WHOLE);
  });

  test('still presigns platform artifacts by their list, and nothing else', async () => {
    const home = await published('listed', 'manifest_sha256', 'index_sha256');
    const { body } = await presign(home, [THUMBNAIL]);
    expect(body.files).toMatchObject([{ path: THUMBNAIL, size: 9, sha256: sha256('a picture') }]);
    for (const path of ['cup/cup.stl', '.bindery/thumbnails/cup.webp']) {
      const refused = await presign(home, [THUMBNAIL, path]);
      expect([refused.status, refused.body.error]).toEqual([500, 'content_lost']);
    }
  });

  test('and its list does not guess which platform artifacts it had', async () => {
    const home = await published('unlisted', 'manifest_sha256', 'index_sha256', 'artifacts_sha256');
    expect((await presign(home, [THUMBNAIL])).body.error).toBe('content_lost');
    await home.upload({ [MANIFEST_PATH]: MANIFEST });
    const { status, body } = await register(home);
    expect([status, body]).toMatchObject([409, { error: 'files_missing', paths: [THUMBNAIL] }]);
    expect(await sendWanted(home, { verify: true })).toEqual([THUMBNAIL]);
    expect((await register(home)).status).toBe(200);
    expect(await contents(home)).toEqual(WHOLE);
  });
});
