import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAccount } from '../../src/accounts/accounts.ts';
import { DiskObjectFolder } from '../../src/adapters/objects/disk/object-folder.ts';
import { type Configuration, readConfiguration } from '../../src/configuration/configuration.ts';
import {
  administer,
  backUpService,
  diagnose,
  fsckService,
  gcService,
  limitNamespace,
  migrateSchema,
  migrateStorage,
} from '../../src/operations/operations.ts';
import { Publisher } from '../libraries/publisher.ts';
import { startService } from '../service.ts';

const IS_ROOT = process.getuid?.() === 0;
/** The user of the service: another one than root, where these tests run as root. */
const SERVICE = IS_ROOT ? 1_234 : process.getuid?.();

describe.each([
  ['', 0o755],
  [' below one that only root can look into', 0o700],
])('in a data folder%s,', (_where, mode) => {
  let folder: string;
  let configuration: Configuration;

  beforeEach(async () => {
    // Not in the run's own folder, which only its user can look into.
    folder = await mkdtemp('/tmp/bindery-root-');
    await chmod(folder, mode);
    configuration = readConfiguration({ BINDERY_DATA_DIR: join(folder, 'data'), BINDERY_ENCODER: 'off' });
    await mkdir(configuration.dataDir);
    await giveToService(folder);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function giveToService(path: string): Promise<void> {
    if (!IS_ROOT) return;
    for (const name of await readdir(path, { recursive: true })) await chown(join(path, name), 1_234, 1_234);
  }

  async function ownersIn(path: string): Promise<Set<number>> {
    const names = await readdir(path, { recursive: true });
    expect(names.length).toBeGreaterThan(0);
    return new Set(await Promise.all(names.map(async (name) => (await lstat(join(path, name))).uid)));
  }

  const createAda = () =>
    administer(
      configuration,
      (context) => createAccount(context, { userName: 'ada', displayName: 'Ada', email: 'ada@example.org' }),
      { create: true },
    );

  const commands: [string, () => Promise<unknown>][] = [
    ['migrate', () => migrateSchema(configuration, { dryRun: false })],
    ['doctor', () => diagnose(configuration)],
    ['quota', () => limitNamespace(configuration, 'ada', { bytes: 1_000 })],
    ['gc', () => gcService(configuration, { dryRun: false })],
    ['backup', () => backUpService(configuration, join(folder, 'backup'), { verify: false })],
    ['fsck', () => fsckService(configuration, { readShare: 1, repair: true })],
  ];

  test('create-user, run by root, creates what the user of the service owns', async () => {
    await createAda();
    expect(await ownersIn(configuration.dataDir)).toEqual(new Set([SERVICE]));
  });

  test.each(commands)(
    '%s, run by root before the service, creates what the user of the service owns',
    async (_name, run) => {
      await createAda();
      await giveToService(folder);
      await run();
      expect(await ownersIn(configuration.dataDir)).toEqual(new Set([SERVICE]));
    },
  );

  test('migrate-storage, run by root, creates what the owner of the data folder owns', async () => {
    await createAda();
    await giveToService(folder);
    const target = join(folder, 'other');
    await migrateStorage(configuration, { dataDir: target, s3: null });
    expect(await ownersIn(folder)).toEqual(new Set([SERVICE]));
  });

  test('fsck, run by root, rebuilds an index that the user of the service owns', async () => {
    const service = await startService({ dataDir: configuration.dataDir });
    const ada = await service.member('ada');
    await new Publisher(ada, 'ada', 'mugs').publish({ 'mug/mug.txt': 'a mug' });
    const { store_id: storeId, index_sha256: sha256 } = await service.context.db
      .selectFrom('libraries')
      .selectAll()
      .executeTakeFirstOrThrow();
    await sql`vacuum into ${join(configuration.dataDir, 'bindery.db')}`.execute(service.context.db);
    await service.close();
    const index = new DiskObjectFolder(join(configuration.dataDir, 'objects')).fileOf({ storeId, sha256 });
    await rm(index);
    await giveToService(folder);
    const { findings } = await fsckService(configuration, { readShare: 1, repair: true });
    expect(findings).toMatchObject([{ what: 'index', isRepaired: true }]);
    expect((await lstat(index)).uid).toBe(SERVICE);
    expect(await ownersIn(configuration.dataDir)).toEqual(new Set([SERVICE]));
  });
});
