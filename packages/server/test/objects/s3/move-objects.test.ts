import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { copyStorage } from '../../../src/adapters/objects/copy-storage.ts';
import type { Actor } from '../../actor.ts';
import { openTestSqlite, type TestDatabase } from '../../databases.ts';
import { Publisher } from '../../libraries/publisher.ts';
import { startService, type TestService } from '../../service.ts';
import { listObjects, storeIds } from '../list-objects.ts';
import { makeBucket, s3 } from './bucket.ts';

/** One passes through the service, one goes between clients and the bucket, one holds nothing. */
const FILES = { 'arm/a.txt': 'small', 'arm/scan.txt': 'scan '.repeat(80_000), 'arm/empty.txt': '' };
const PATHS = Object.keys(FILES);

describe.skipIf(s3 === null)('objects copied', () => {
  let folder: string;
  let database: TestDatabase;
  let services: TestService[];
  let onDisk: TestService;
  let inBucket: TestService;
  let ada: Actor;

  beforeEach(async () => {
    if (!s3) return;
    folder = await mkdtemp(join(tmpdir(), 'bindery-move-'));
    database = await openTestSqlite();
    services = [];
    const { endpoint, ...credentials } = s3;
    const { name: bucket } = await makeBucket(s3);
    const location = { bucket, prefix: 'lab/libraries', endpoint, region: 'us-east-1' };
    onDisk = await serve('old');
    inBucket = await serve('cache', { s3: { ...location, credentials, cacheBytes: 2 ** 26 } });
    ada = await onDisk.member('ada');
    await new Publisher(ada, 'ada', 'robots').publish(FILES);
  });
  afterEach(async () => {
    for (const service of services) await service.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** One database, and objects where each service has them. */
  async function serve(name: string, configuration = {}): Promise<TestService> {
    const shared = { db: database.db, close: async () => {} };
    const service = await startService({ database: shared, dataDir: join(folder, name), configuration });
    services.push(service);
    return service;
  }

  const copy = async (from: TestService, to: TestService) =>
    copyStorage(await storeIds(database.db), from.context.objects, to.context.objects);

  async function servedBy(service: TestService): Promise<Record<string, string>> {
    const asked = service.anonymous.with(ada.headers);
    const { body } = await asked.post<{ files: { path: string; url: string }[] }>(
      '/namespaces/ada/libraries/robots/files-presign',
      { paths: PATHS },
    );
    const read = body.files.map(async ({ path, url }) => [path, await (await fetch(url)).text()]);
    return Object.fromEntries(await Promise.all(read));
  }

  test('into a bucket are served from there, and each is copied once', async () => {
    const all = await listObjects(onDisk);
    expect(await copy(onDisk, inBucket)).toMatchObject({
      objects: all.length,
      copied: all.length,
      damaged: [],
    });
    expect(await copy(onDisk, inBucket)).toMatchObject({ objects: all.length, copied: 0, bytes: 0 });
    expect([await listObjects(inBucket), await listObjects(onDisk)]).toEqual([all, all]);
    expect(await servedBy(inBucket)).toEqual(FILES);
  });

  test('out of a bucket are served from the new folder', async () => {
    await copy(onDisk, inBucket);
    await new Publisher(inBucket.anonymous.with(ada.headers), 'ada', 'robots').publish({
      ...FILES,
      'arm/b.txt': 'new',
    });
    const again = await serve('new');
    await copy(inBucket, again);
    expect(await listObjects(again)).toEqual(await listObjects(inBucket));
    expect(await servedBy(again)).toEqual(FILES);
  });
});
