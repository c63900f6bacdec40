import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAccount } from '../../src/accounts/accounts.ts';
import { type RunningService, startService as serve } from '../../src/boot/main.ts';
import { type Configuration, readConfiguration } from '../../src/configuration/configuration.ts';
import {
  administer,
  backUpService,
  diagnose,
  migrateStorage,
  restoreService,
} from '../../src/operations/operations.ts';
import { Publisher } from '../libraries/publisher.ts';
import { startService } from '../service.ts';

let folder: string;
let configuration: Configuration;
const objects = () => join(configuration.dataDir, 'objects');
const disk = () => join(folder, 'disk');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-disk-'));
  configuration = readConfiguration({
    BINDERY_DATA_DIR: join(folder, 'data'),
    BINDERY_ENCODER: 'off',
    BINDERY_PORT: '0',
    BINDERY_LOG_LEVEL: 'silent',
  });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The disk is elsewhere; its mount point is an empty folder. */
async function unmount(): Promise<void> {
  await rename(objects(), disk());
  await mkdir(objects());
}

async function mount(): Promise<void> {
  await rm(objects(), { recursive: true });
  await rename(disk(), objects());
}

async function startOnce(change: Partial<Configuration> = {}): Promise<void> {
  const service: RunningService = await serve({ ...configuration, ...change });
  await service.close();
}

describe('a service whose disk of objects is not mounted', () => {
  beforeEach(() => startOnce());

  test('does not start, and writes nothing below the mount point', async () => {
    await unmount();
    await expect(startOnce()).rejects.toThrow(/store-id is missing\. Mount the disk that holds it/);
    expect(await readdir(objects())).toEqual([]);
    await mount();
    await startOnce();
  });

  test('is reported by doctor, and cannot be backed up', async () => {
    await unmount();
    const store = (await diagnose(configuration)).find(({ part }) => part === 'store');
    expect(store).toMatchObject({ status: 'failed', message: expect.stringContaining('Mount the disk') });
    await expect(backUpService(configuration, join(folder, 'backup'), { verify: false })).rejects.toThrow(
      'Mount the disk',
    );
    expect(await readdir(objects())).toEqual([]);
  });

  test('starts without its files once the operator writes the id that the message names', async () => {
    await unmount();
    const message = await startOnce().catch((error: Error) => error.message);
    const [, id = '', file = ''] = /write (\S+) to (\S+) to start/.exec(String(message)) ?? [];
    await writeFile(file, `${id}\n`);
    await startOnce();
  });
});

test('a service whose disk of objects vanishes is not ready, and stores nothing until it is back', async () => {
  const service = await startService({ dataDir: configuration.dataDir });
  try {
    const ada = await service.member('ada');
    const mugs = new Publisher(ada, 'ada', 'mugs');
    await mugs.publish({ 'mug/mug.txt': 'a mug' });
    const { body } = await ada.post<{ files: [{ transfer: { put: { url: string } } }] }>(
      `${mugs.path}/upload-authorizations`,
      { files: [{ relativePath: 'mug/pan.txt', size: 5 }] },
    );
    await unmount();
    // What an earlier start without the disk may have left there.
    for (const name of await readdir(disk())) if (name !== 'store-id') await mkdir(join(objects(), name));
    await expect.poll(async () => (await service.anonymous.get('/readyz')).status).toBe(503);
    expect((await service.anonymous.get('/readyz')).body).toMatchObject({
      message: 'The disk with the files of libraries is missing; nothing can be stored.',
    });
    const sent = await fetch(body.files[0].transfer.put.url, { method: 'PUT', body: 'a pan' });
    expect(sent.status).toBe(503);
    expect(await readdir(objects(), { recursive: true })).toHaveLength((await readdir(disk())).length - 1);
    await mount();
    await expect.poll(async () => (await service.anonymous.get('/readyz')).status).toBe(200);
    expect((await mugs.publish({ 'mug/mug.txt': 'a mug', 'mug/pan.txt': 'a pan' })).status).toBe(200);
  } finally {
    await service.close();
  }
});

test('a service that is upgraded marks its folder of objects', async () => {
  await startOnce();
  await administer(configuration, ({ db }) =>
    db.deleteFrom('settings').where('key', '=', 'store_id').execute(),
  );
  await rm(join(objects(), 'store-id'));
  await startOnce();
  await unmount();
  await expect(startOnce()).rejects.toThrow('Mount the disk');
});

test('a folder of objects that belongs to another database is refused', async () => {
  await startOnce();
  await startOnce({ dataDir: join(folder, 'other') });
  await rm(objects(), { recursive: true });
  await rename(join(folder, 'other', 'objects'), objects());
  await expect(startOnce()).rejects.toThrow('belongs to another database');
});

test('restored and copied folders of objects are those of their database', async () => {
  await startOnce();
  await administer(configuration, (context) =>
    createAccount(context, { userName: 'ada', displayName: 'Ada', email: 'ada@example.org' }),
  );
  const mark = await readFile(join(objects(), 'store-id'), 'utf8');
  const restored = { ...configuration, dataDir: join(folder, 'restored') };
  await backUpService(configuration, join(folder, 'backup'), { verify: false });
  await restoreService(restored, join(folder, 'backup'));
  await startOnce(restored);
  await migrateStorage(configuration, { dataDir: join(folder, 'copied'), s3: null });
  for (const copy of ['restored', 'copied']) {
    expect(await readFile(join(folder, copy, 'objects', 'store-id'), 'utf8'), copy).toBe(mark);
  }
});
