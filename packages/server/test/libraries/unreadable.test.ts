import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUNDLE, type PresignedFile, type Transfer } from '@bindery/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Actor } from '../actor.ts';
import { fileEntry, manifestOf, Publisher, sha256 } from './publisher.ts';
import { startWatchedService, type WatchedService } from './watched-service.ts';

const MESH = 'the mesh of an arm';
type Done = (error: Error) => void;

/** More than is read at once. */
const SCAN = 'scan'.repeat(2 ** 20);
const FILES = { 'arm.stl': MESH, 'scan.ply': SCAN };

describe('a file that the disk cannot read', () => {
  let dataDir: string;
  let watched: WatchedService;
  let ada: Actor;
  let home: Publisher;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'bindery-unreadable-'));
    watched = await startWatchedService({ dataDir });
    ada = await watched.service.member('ada');
    home = new Publisher(ada, 'ada', 'home');
    await home.publish(FILES);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await watched.service.context.db.deleteFrom('damaged_objects').execute();
    watched.forget();
  });
  afterAll(async () => {
    await watched.service.close();
    await rm(dataDir, { recursive: true });
  });

  const failure = () => Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
  async function urlOf(path: string): Promise<string> {
    const { body } = await ada.post<{ files: PresignedFile[] }>(`${home.path}/files-presign`, {
      paths: [path],
    });
    return body.files[0]?.url ?? '';
  }
  /** How the service wants a file sent. */
  async function transferOf(path: string, content: string): Promise<string | undefined> {
    const { size, sha256 } = fileEntry(path, content);
    const { body } = await ada.post<{ files: { transfer: Transfer }[] }>(
      `${home.path}/upload-authorizations`,
      { files: [{ relativePath: path, size, sha256 }] },
    );
    return body.files[0]?.transfer.kind;
  }
  function bundleOf(url: string): Promise<Response> {
    const { pathname, search } = new URL(url);
    return fetch(watched.service.url + BUNDLE.path, { method: 'POST', body: pathname + search });
  }
  /** The disk fails from this byte of each file on. */
  function failReadsFrom(byte: number) {
    const read = fs.read as (...given: unknown[]) => void;
    vi.spyOn(fs, 'read').mockImplementation(((...given: unknown[]) => {
      const [, , , , position, done] = given;
      if (typeof position === 'number' && position >= byte) setImmediate(() => (done as Done)(failure()));
      else read(...given);
    }) as typeof fs.read);
  }
  function failOpens(path: string) {
    const open = fs.open as (...given: unknown[]) => void;
    vi.spyOn(fs, 'open').mockImplementation(((...given: unknown[]) => {
      if (String(given[0]).endsWith(path)) setImmediate(() => (given.at(-1) as Done)(failure()));
      else open(...given);
    }) as typeof fs.open);
  }
  const recorded = async () =>
    (await watched.service.context.db.selectFrom('damaged_objects').select('sha256').execute()).map(
      (row) => row.sha256,
    );

  test('in the middle of its download ends the connection, and counts as damaged once', async () => {
    const url = await urlOf('scan.ply');
    failReadsFrom(2 ** 20);
    for (const _ of [1, 2]) {
      const answer = await fetch(url);
      expect(answer.status).toBe(200);
      await expect(answer.arrayBuffer()).rejects.toThrow();
      await expect.poll(recorded).toEqual([sha256(SCAN)]);
    }
    expect(watched.counted).toEqual(['found file']);
    expect(watched.logged.map(({ msg }) => msg)).toContain('stored objects are damaged');
    vi.restoreAllMocks();
    expect(await transferOf('scan.ply', SCAN)).toBe('single-put');
  });

  test('although it was uploaded is wanted again by the register', async () => {
    const leg = { 'leg.stl': 'a leg' };
    await home.upload(leg);
    await home.uploadManifest(manifestOf({ ...FILES, ...leg }));
    const { store_id: storeId } = await watched.service.context.db
      .selectFrom('libraries')
      .select('store_id')
      .executeTakeFirstOrThrow();
    failOpens(join(storeId, sha256('a leg')));
    expect(await home.register()).toMatchObject({
      status: 409,
      body: { error: 'files_missing', paths: ['leg.stl'] },
    });
    expect(await transferOf('leg.stl', 'a leg')).toBe('single-put');
    vi.restoreAllMocks();
    await home.upload(leg);
    expect((await home.register()).status).toBe(200);
  });

  test('in a bundle ends the connection, and counts as damaged', async () => {
    const url = await urlOf('arm.stl');
    failReadsFrom(0);
    await expect(bundleOf(url).then((answer) => answer.arrayBuffer())).rejects.toThrow();
    await expect.poll(recorded).toEqual([sha256(MESH)]);
  });

  test('that cannot be opened is answered as lost, alone or in a bundle, and counts as damaged', async () => {
    const url = await urlOf('arm.stl');
    failOpens(sha256(MESH));
    const alone = await fetch(url);
    expect([alone.status, await alone.json()]).toEqual([
      500,
      expect.objectContaining({ error: 'content_lost' }),
    ]);
    await expect.poll(recorded).toEqual([sha256(MESH)]);
    const bundle = await bundleOf(url);
    expect(Buffer.from(await bundle.arrayBuffer()).readUInt32BE(0)).toBe(500);
    expect(watched.counted).toEqual(['found file']);
  });
});
