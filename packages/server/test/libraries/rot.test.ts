import { open, readFile, rm, truncate } from 'node:fs/promises';
import { BUNDLE, MANIFEST_PATH, type PresignedFile, type Transfer } from '@bindery/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ContentChecks } from '../../src/objects/health/check.ts';
import { reclaim } from '../../src/objects/retention/reclaim.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import type { TestService } from '../service.ts';
import { fileEntry, manifestOf, Publisher, sha256 } from './publisher.ts';
import { flipBit, startWatchedService, type WatchedService } from './watched-service.ts';

const DAY = 86_400;
const THUMBNAIL = '.bindery/thumbnails/arm.webp';
const FILES = {
  'arm/arm.xml': '<mujoco model="arm"/>',
  'arm/arm.stl': 'the mesh of an arm',
  'cup/cup.stl': 'a cup',
};
const MESH = 'arm/arm.stl';

interface Refusal {
  error: string;
  paths?: string[];
  message: string;
}

describe.each(databases)('on $name, a stored file', ({ open: openDatabase }) => {
  let service: TestService;
  let ada: Actor;
  let logged: WatchedService['logged'];
  let counted: WatchedService['counted'];
  let forget: () => void;

  beforeAll(async () => {
    ({ service, logged, counted, forget } = await startWatchedService({ database: await openDatabase() }));
    ada = await service.member('ada');
  });
  beforeEach(() => forget());
  afterAll(() => service.close());

  const manifest = manifestOf(FILES, { generated: [THUMBNAIL] });
  const manifestText = JSON.stringify(manifest);
  const CONTENTS: Record<string, string> = {
    ...FILES,
    [THUMBNAIL]: 'a picture',
    [MANIFEST_PATH]: manifestText,
  };

  async function publish(name: string): Promise<Publisher> {
    const home = new Publisher(ada, 'ada', name);
    await home.upload(CONTENTS);
    const { status } = await home.register();
    expect(status).toBe(201);
    return home;
  }
  async function fileOf(name: string, path: string): Promise<string> {
    const { store_id: storeId } = await service.context.db
      .selectFrom('libraries')
      .select('store_id')
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    return service.context.objects.localFile({ storeId, sha256: sha256(CONTENTS[path] ?? '') });
  }
  /** How each file is to be sent, by its path, and its address where it is wanted. */
  async function ask(home: Publisher, more: { verify?: boolean } = {}) {
    const files = Object.entries(CONTENTS).map(([path, content]) => {
      const { size, sha256 } = fileEntry(path, content);
      return { relativePath: path, size, sha256 };
    });
    const { status, body } = await ada.post<{ files: { relativePath: string; transfer: Transfer }[] }>(
      `${home.path}/upload-authorizations`,
      { files, ...more },
    );
    expect(status).toBe(200);
    return new Map(body.files.map(({ relativePath, transfer }) => [relativePath, transfer]));
  }
  async function sendWanted(home: Publisher, more: { verify?: boolean } = {}): Promise<string[]> {
    const wanted: string[] = [];
    for (const [path, transfer] of await ask(home, more)) {
      if (transfer.kind !== 'single-put') continue;
      const { status } = await fetch(transfer.put.url, { method: 'PUT', body: CONTENTS[path] ?? '' });
      expect(status).toBe(200);
      wanted.push(path);
    }
    return wanted;
  }
  const register = (home: Publisher) =>
    home.register<Refusal & { revision: number; warnings?: string[] }>({
      manifestSha256: sha256(manifestText),
    });
  async function addresses(home: Publisher): Promise<Record<string, string>> {
    const { body } = await ada.post<{ files: PresignedFile[] }>(`${home.path}/files-presign`, {
      paths: [...Object.keys(FILES), THUMBNAIL],
    });
    return Object.fromEntries(body.files.map(({ path, url }) => [path, url]));
  }
  async function contents(home: Publisher): Promise<Record<string, string>> {
    const found = Object.entries(await addresses(home)).map(async ([path, url]) => {
      return [path, await (await fetch(url)).text()] as const;
    });
    return Object.fromEntries(await Promise.all(found));
  }
  const WHOLE = { ...FILES, [THUMBNAIL]: 'a picture' };

  test('that is intact is not uploaded again, with or without verify', async () => {
    const home = await publish('whole');
    expect(await sendWanted(home)).toEqual([]);
    expect(await sendWanted(home, { verify: true })).toEqual([]);
    expect([logged, counted]).toEqual([[], []]);
  });

  test('that is damaged is found by a push with verify, and replaced', async () => {
    const home = await publish('flipped');
    await flipBit(await fileOf('flipped', MESH), 3);
    expect(await sendWanted(home)).toEqual([]);
    expect(await sendWanted(home, { verify: true })).toEqual([MESH]);
    expect(counted).toEqual(['found file']);
    expect(logged).toMatchObject([{ msg: 'stored objects are damaged', total: 1 }]);

    const { status, body } = await register(home);
    expect([status, body.revision]).toEqual([200, 2]);
    expect(await contents(home)).toEqual(WHOLE);
    expect(counted).toEqual(['found file', 'repaired file']);
    expect(await sendWanted(home, { verify: true })).toEqual([]);
  });

  test('that is known to be damaged counts as missing and cannot be registered until it is replaced', async () => {
    const home = await publish('known');
    await flipBit(await fileOf('known', MESH), 3);
    await ask(home, { verify: true });
    const refused = await register(home);
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { error: 'files_missing', paths: [MESH], total: 1 },
    ]);
    expect(await sendWanted(home)).toEqual([MESH]);
    expect((await register(home)).status).toBe(200);
    expect(await contents(home)).toEqual(WHOLE);
  });

  test.each([
    ['was deleted', (file: string) => rm(file)],
    ['lost its end', (file: string) => truncate(file, 4)],
  ])('that %s is detected by a register and replaced by the next push', async (what, damage) => {
    const name = what.replaceAll(' ', '-');
    const home = await publish(name);
    await damage(await fileOf(name, MESH));
    const refused = await register(home);
    expect([refused.status, refused.body]).toMatchObject([409, { error: 'files_missing', paths: [MESH] }]);
    expect(await sendWanted(home)).toEqual([MESH]);
    expect(logged).toMatchObject([{ msg: 'stored objects are missing', total: 1 }]);
    expect((await register(home)).status).toBe(200);
    expect(await contents(home)).toEqual(WHOLE);
    expect(counted).toEqual(['found file', 'repaired file']);
  });

  test('that was repaired on disk by someone else counts as present after the next verify', async () => {
    const home = await publish('restored');
    const file = await fileOf('restored', MESH);
    await flipBit(file, 3);
    expect((await ask(home, { verify: true })).get(MESH)?.kind).toBe('single-put');
    await flipBit(file, 3);
    expect((await ask(home, { verify: true })).get(MESH)?.kind).toBe('present');
    expect((await register(home)).status).toBe(200);
  });

  test('that is replaced does not change for readers that already have it open', async () => {
    const home = await publish('read');
    const file = await fileOf('read', MESH);
    await flipBit(file, 3);
    const damaged = await readFile(file, 'utf8');
    const reader = await open(file);
    await sendWanted(home, { verify: true });
    await register(home);
    expect(await reader.readFile('utf8')).toBe(damaged);
    await reader.close();
    expect(await readFile(file, 'utf8')).toBe(FILES[MESH]);
  });

  test('that is missing is a 500 content_lost with a log entry, not a 404', async () => {
    const home = await publish('gone');
    const urls = await addresses(home);
    await rm(await fileOf('gone', MESH));
    const answer = await fetch(urls[MESH] ?? '');
    const body = (await answer.json()) as Refusal;
    expect([answer.status, body.error]).toEqual([500, 'content_lost']);
    expect(body.message).toContain('push --verify');
    expect(logged.map(({ msg }) => msg)).toContain('a file of a library is missing from the store');
    expect(counted).toEqual(['found file']);
  });

  test('that is missing is a 500 with a log entry in a bundle, next to files that are served', async () => {
    const home = await publish('bundled');
    const urls = await addresses(home);
    await rm(await fileOf('bundled', MESH));
    const asked = [MESH, 'cup/cup.stl'].map((path) =>
      new URL(urls[path] ?? '').href.slice(service.url.length),
    );
    const answer = await fetch(service.url + BUNDLE.path, { method: 'POST', body: asked.join('\n') });
    const brought = Buffer.from(await answer.arrayBuffer());
    expect([brought.readUInt32BE(0), brought.readUInt32BE(4)]).toEqual([500, 0]);
    expect(brought.readUInt32BE(BUNDLE.headBytes)).toBe(200);
    expect(logged.map(({ msg }) => msg)).toEqual(['a file of a library is missing from the store']);
    expect(counted).toEqual(['found file']);
  });

  test('of a reclaimed revision or a purged library is a 404, not counted as damage', async () => {
    const home = await publish('reclaimed');
    await home.publish({ 'cup/cup.stl': 'a cup' });
    service.advance(2 * DAY);
    await reclaim(service.context);
    const { storeId, sha256: hash } = await addressOf('reclaimed', MESH);
    const url = service.context.objects.presignGet({ storeId, sha256: hash }, 'arm.stl', 900);
    expect((await fetch(url)).status).toBe(404);
    const cup = (
      await ada.post<{ files: PresignedFile[] }>(`${home.path}/files-presign`, { paths: ['cup/cup.stl'] })
    ).body.files[0];
    await ada.delete(home.path);
    await ada.delete(`${home.path}/purge`);
    expect((await fetch(cup?.url ?? '')).status).toBe(404);
    expect(counted).toEqual([]);
  });
  async function addressOf(name: string, path: string) {
    const { store_id: storeId } = await service.context.db
      .selectFrom('libraries')
      .select('store_id')
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    return { storeId, sha256: sha256(CONTENTS[path] ?? '') };
  }

  test('that is a damaged manifest is not served, and is replaced by the next push', async () => {
    const home = await publish('manifest');
    expect((await ada.get(`${home.path}/manifest`)).status).toBe(200);
    await flipBit(await fileOf('manifest', MANIFEST_PATH), 3);
    // A process that has read it lately finds the damage when it reads it again.
    const contentChecks = new ContentChecks(service.context);
    Object.assign(service.context, { contentChecks });
    const { status, body } = await ada.get(`${home.path}/manifest`);
    expect([status, body.error]).toEqual([500, 'content_lost']);
    expect(await sendWanted(home)).toEqual([MANIFEST_PATH]);
    expect((await register(home)).status).toBe(200);
    expect((await ada.get(`${home.path}/manifest`)).body).toEqual(manifest);
  });

  test('that is a damaged manifest is detected by a register even if nobody has read it', async () => {
    const home = await publish('unread');
    await flipBit(await fileOf('unread', MANIFEST_PATH), 3);
    expect(await sendWanted(home)).toEqual([]);
    const { status, body } = await register(home);
    expect([status, body.error]).toEqual([400, 'manifest_missing']);
    expect(await sendWanted(home)).toEqual([MANIFEST_PATH]);
    expect((await register(home)).status).toBe(200);
  });

  test('that is a lost platform artifact does not block a register, which warns about it', async () => {
    const home = await publish('derived');
    await rm(await fileOf('derived', THUMBNAIL));
    const { status, body } = await register(home);
    expect([status, body.warnings]).toEqual([200, [expect.stringContaining(THUMBNAIL)]]);
    expect(await sendWanted(home)).toEqual([THUMBNAIL]);
    expect((await register(home)).body.warnings).toBeUndefined();
    expect(await contents(home)).toEqual(WHOLE);
  });

  test('is checked once for concurrent callers, who get unavailable if it takes too long', async () => {
    await publish('slow');
    const object = { ...(await addressOf('slow', MESH)), size: FILES[MESH].length };
    const released = Promise.withResolvers<void>();
    let reads = 0;
    const { objects } = service.context;
    const findIntact: typeof objects.findIntact = async (...asked) => {
      reads++;
      await released.promise;
      return objects.findIntact(...asked);
    };
    const slow = { findAbsent: objects.findAbsent.bind(objects), findIntact } as typeof objects;
    const checks = new ContentChecks({ ...service.context, objects: slow }, { maxWait: 20 });
    const ask = () => checks.findLost(object.storeId, [object]);
    for (const answer of await Promise.allSettled([ask(), ask()])) {
      expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    }
    released.resolve();
    await expect.poll(() => ask().catch(() => 'not yet'), { timeout: 60_000 }).toEqual(new Set());
    expect(reads).toBe(1);
  });
});
