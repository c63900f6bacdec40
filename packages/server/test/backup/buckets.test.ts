import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/adapters/database/postgres.ts';
import { openSqlite } from '../../src/adapters/database/sqlite.ts';
import {
  type Configuration,
  readConfiguration,
  type S3Settings,
} from '../../src/configuration/configuration.ts';
import {
  type BackupPlace,
  backUpService,
  fsckService,
  restoreService,
  verifyBackup,
} from '../../src/index.ts';
import type { Actor } from '../actor.ts';
import { databases, type LocatedDatabase } from '../databases.ts';
import { Publisher, sha256 } from '../libraries/publisher.ts';
import { makeBucket, s3 } from '../objects/s3/bucket.ts';
import { startService, type TestService } from '../service.ts';

/** One that passes through the service; one that goes between clients and a bucket, and through a file when it is copied. */
const FILES = { 'arm/a.txt': 'small', 'arm/empty.txt': '', 'arm/scan.txt': 'scan '.repeat(2_000_000) };

const PLACES = [
  { from: 'a bucket', into: 'a folder' },
  { from: 'a bucket', into: 'another bucket' },
  { from: 'a folder', into: 'a bucket' },
];

describe.skipIf(s3 === null).each(databases)('a backup over $name', ({ name, open }) => {
  let folder: string;
  let opened: LocatedDatabase[];
  let services: TestService[];
  let service: TestService;
  let ada: Actor;
  let configuration: Configuration;
  let backup: BackupPlace;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bindery-backup-'));
    opened = [];
    services = [];
  });
  afterEach(async () => {
    for (const one of services) await one.close();
    for (const database of opened) await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A new bucket, or null for a folder. */
  async function storage(kind: string): Promise<S3Settings | null> {
    if (!s3 || kind === 'a folder') return null;
    const { endpoint, ...credentials } = s3;
    const { name: bucket } = await makeBucket(s3);
    const location = { bucket, prefix: 'lab/libraries', endpoint, region: 'us-east-1' };
    return { ...location, credentials, cacheBytes: 2 ** 26 };
  }

  /** Settings of a service whose database is there, or is to be restored. */
  async function settings(kind: string, hasDatabase: boolean): Promise<Configuration> {
    const others = { ...readConfiguration({}), s3: await storage(kind), diskReserveBytes: 0 };
    if (name === 'SQLite' && !hasDatabase) return { ...others, dataDir: join(folder, 'restored') };
    const database = await (hasDatabase ? open() : open(async () => {}));
    opened.push(database);
    return name === 'SQLite'
      ? { ...others, dataDir: dirname(database.location) }
      : { ...others, dataDir: join(folder, `data-${opened.length}`), databaseUrl: database.location };
  }

  async function serve(of: Configuration): Promise<TestService> {
    const db =
      of.databaseUrl === null ? openSqlite(join(of.dataDir, 'bindery.db')) : openPostgres(of.databaseUrl);
    const started = await startService({
      database: { db, close: () => db.destroy() },
      dataDir: of.dataDir,
      configuration: { s3: of.s3 },
    });
    services.push(started);
    return started;
  }

  async function start({ from, into }: { from: string; into: string }): Promise<void> {
    configuration = await settings(from, true);
    backup = (await storage(into)) ?? join(folder, 'backup');
    service = await serve(configuration);
    ada = await service.member('ada');
  }

  const publish = (library: string, files: Record<string, string>) =>
    new Publisher(ada, 'ada', library).publish(files);

  const run = (verify = false) => backUpService(configuration, backup, { verify });

  async function servedBy(restored: TestService, library: string, paths: string[]) {
    const { body } = await restored.anonymous
      .with(ada.headers)
      .post<{ files: { path: string; url: string }[] }>(
        `/namespaces/ada/libraries/${library}/files-presign`,
        { paths },
      );
    const read = body.files.map(async ({ path, url }) => [path, await (await fetch(url)).text()]);
    return Object.fromEntries(await Promise.all(read));
  }

  test.each(name === 'SQLite' ? PLACES : PLACES.slice(1, 2))(
    'of a service in $from into $into restores everything',
    async (places) => {
      await start(places);
      await publish('robots', FILES);
      await ada.post('/namespaces/ada/libraries/robots/releases', { name: 'v1' });
      const first = await run();
      expect(first).toMatchObject({ libraries: 1, copied: first.objects, lost: [] });
      const files = { ...FILES, 'arm/a.txt': 'changed' };
      await publish('robots', files);
      const second = await run();
      expect(second).toMatchObject({ libraries: 1, lost: [] });
      expect(second.copied).toBe(second.objects - first.objects);
      expect(await verifyBackup(backup)).toMatchObject({ libraries: 1, objects: second.objects, lost: [] });

      const target = await settings(places.from, false);
      expect(await restoreService(target, backup)).toMatchObject({ objects: second.objects, lost: [] });
      const checked = await fsckService(target, { readShare: 1, repair: false });
      expect(checked).toMatchObject({ isSound: true, findings: [] });
      expect(await servedBy(await serve(target), 'robots', Object.keys(files))).toEqual(files);
    },
  );

  test('from a bucket is complete even if libraries are constantly published and purged', async () => {
    await start({ from: 'a bucket', into: 'another bucket' });
    await publish('kept', { 'a.txt': 'a' });
    let running = true;
    let rounds = 0;
    const changes = (async () => {
      for (; running; rounds++) {
        await publish('kept', { 'a.txt': `round ${rounds}` });
        await publish(`brief-${rounds}`, { 'b.txt': `round ${rounds}` });
        await ada.delete(`/namespaces/ada/libraries/brief-${rounds}`);
        await ada.delete(`/namespaces/ada/libraries/brief-${rounds}/purge`);
      }
    })();
    try {
      expect((await run()).lost).toEqual([]);
      await expect.poll(() => rounds, { timeout: 60_000 }).toBeGreaterThan(2);
      expect((await run()).lost).toEqual([]);
    } finally {
      running = false;
      await changes;
    }
    expect(await verifyBackup(backup)).toMatchObject({ lost: [] });
  });

  test('with damaged or missing files is detected by verifying it, and repaired by the next that verifies', async () => {
    await start({ from: 'a bucket', into: 'a folder' });
    await publish('robots', FILES);
    await run();
    const objects = await readdir(String(backup), { recursive: true });
    const fileOf = (content: string) =>
      join(String(backup), objects.find((path) => path.endsWith(sha256(content))) ?? '');
    await writeFile(fileOf('small'), 'smell');
    await truncate(fileOf(FILES['arm/scan.txt']), 7);
    await rm(fileOf(''));
    const lost = [
      { library: 'ada/robots', sha256: sha256('small'), reason: 'damaged' },
      { library: 'ada/robots', sha256: sha256(FILES['arm/scan.txt']), reason: 'damaged' },
      { library: 'ada/robots', sha256: sha256(''), reason: 'missing' },
    ];
    expect((await verifyBackup(backup)).lost).toEqual(expect.arrayContaining(lost));
    expect(await run()).toMatchObject({ copied: 2, lost: [] });
    expect((await verifyBackup(backup)).lost).toEqual([lost[0]]);
    expect(await run(true)).toMatchObject({ copied: 1, lost: [] });
    expect((await verifyBackup(backup)).lost).toEqual([]);
  });

  test('is refused at a location with other data, and not verified where no backup is stored', async () => {
    await start({ from: 'a bucket', into: 'another bucket' });
    await publish('robots', { 'a.txt': 'a' });
    const own = configuration.s3;
    if (own === null) return;
    await expect(backUpService(configuration, { ...own, prefix: '' }, { verify: false })).rejects.toThrow(
      `s3://${own.bucket}/ holds something else (lab).`,
    );
    await expect(verifyBackup(own)).rejects.toThrow('holds no complete backup');
    await expect(verifyBackup({ ...own, bucket: 'no-such-bucket' })).rejects.toThrow(
      'The bucket no-such-bucket of the backup cannot be used',
    );
  });
});
