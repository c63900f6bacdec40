import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskFiles, StoredBackup } from '../adapters/backup/stored-backup.ts';
import { DiskObjectFolder } from '../adapters/objects/disk/object-folder.ts';
import { type BackupResult, backUp } from '../backup/back-up.ts';
import type { BackupFolder, DatabaseDumper, DatabaseRestorer, ObjectFolder } from '../backup/ports.ts';
import { type RestoreResult, restore } from '../backup/restore.ts';
import { type VerifyResult, verifyBackup } from '../backup/verify.ts';
import {
  describeDatabase,
  markCopy,
  openDatabase,
  openMigratedDatabase,
  requireDataFolder,
  requireObjectsOfDatabase,
  requireRestored,
  withStartErrors,
} from '../boot/database.ts';
import { openInBucket } from '../boot/storage.ts';
import type { Configuration, S3Settings } from '../configuration/configuration.ts';
import { dataFolderLayout, giveToOwner, lockDataFolder } from '../process/data-folder.ts';
import { createLog } from '../process/log.ts';
import { ResourceStack } from '../process/resource-stack.ts';

/** Where a backup is stored: in a folder on this machine, or below a prefix of a bucket. */
export type BackupPlace = string | S3Settings;

interface OpenedBackup {
  folder: BackupFolder;
  objects: ObjectFolder;
}

/** Backs up the service of a configuration, running or not. `verify`: reads again what the backup has already. */
export async function backUpService(
  configuration: Configuration,
  place: BackupPlace,
  { verify }: { verify: boolean },
): Promise<BackupResult> {
  requireDataFolder(configuration);
  await using opened = new ResourceStack();
  const { databaseFile, objects } = dataFolderLayout(configuration.dataDir);
  const source = await openObjects(configuration, objects, opened);
  const backup = await openBackup(place, opened);
  await requireRestored(configuration, databaseFile);
  if (configuration.s3 === null) await requireOwnObjects(configuration, databaseFile, objects);
  const database = await openDumper(configuration, databaseFile);
  return await backUp(database, source, backup.folder, backup.objects, { clock: Date.now, verify });
}

/** Restores a backup to an empty place where no service is running. */
export async function restoreService(
  configuration: Configuration,
  place: BackupPlace,
): Promise<RestoreResult> {
  await using opened = new ResourceStack();
  const backup = await openBackup(place, opened);
  await backup.folder.describe();
  const dataFolder = await lockDataFolder(configuration.dataDir);
  opened.defer(() => dataFolder.release());
  const target = await openObjects(configuration, dataFolder.objects, opened);
  const database = await openRestorer(configuration, dataFolder.databaseFile);
  const restored = await restore(backup.folder, backup.objects, database, target, async (location) => {
    const db = await openMigratedDatabase(configuration, location);
    try {
      if (configuration.s3 === null) await markCopy(db, dataFolder.objects);
      return db;
    } catch (error) {
      await db.destroy();
      throw error;
    }
  });
  await giveToOwner(dataFolder.path);
  return restored;
}

/** Reads a complete backup and restores nothing. */
export async function verifyBackupAt(place: BackupPlace): Promise<VerifyResult> {
  await using opened = new ResourceStack();
  const { folder, objects } = await openBackup(place, opened);
  return await verifyBackup(folder, objects);
}

/** Throws `StartError` if the folder of objects is not that of the database: a backup would lack its files. */
async function requireOwnObjects(
  configuration: Configuration,
  databaseFile: string,
  objects: string,
): Promise<void> {
  const db = await openDatabase(configuration, databaseFile);
  try {
    await withStartErrors(describeDatabase(configuration, databaseFile), () =>
      requireObjectsOfDatabase(db, objects, { markNew: false }),
    );
  } finally {
    await db.destroy();
  }
}

async function openDumper({ databaseUrl }: Configuration, file: string): Promise<DatabaseDumper> {
  if (databaseUrl === null) return (await import('../adapters/database/dump-sqlite.ts')).sqliteDumper(file);
  return (await import('../adapters/database/dump-postgres.ts')).postgresDumper(databaseUrl);
}

async function openRestorer({ databaseUrl }: Configuration, file: string): Promise<DatabaseRestorer> {
  if (databaseUrl === null) return (await import('../adapters/database/dump-sqlite.ts')).sqliteRestorer(file);
  return (await import('../adapters/database/dump-postgres.ts')).postgresRestorer(databaseUrl);
}

/** Opens the objects of a service, in its bucket or its folder. */
async function openObjects(
  { s3 }: Configuration,
  folder: string,
  opened: ResourceStack,
): Promise<ObjectFolder> {
  if (s3 === null) return new DiskObjectFolder(folder);
  const [bucket, { BucketObjectFolder, keysOfStore }, { Keys }] = await Promise.all([
    openBucket(s3, 'BINDERY_OBJECTS', opened),
    import('../adapters/objects/s3/object-folder.ts'),
    import('../adapters/objects/s3/keys.ts'),
  ]);
  return new BucketObjectFolder(bucket, keysOfStore(new Keys(s3.prefix)), await temporaryFolder(opened));
}

async function openBackup(place: BackupPlace, opened: ResourceStack): Promise<OpenedBackup> {
  if (typeof place === 'string') {
    const files = new DiskFiles(place);
    return { folder: new StoredBackup(files), objects: new DiskObjectFolder(files.place) };
  }
  const [bucket, { BucketObjectFolder, keysOfBackup }, { BucketFiles }] = await Promise.all([
    openBucket(place, 'the backup', opened),
    import('../adapters/objects/s3/object-folder.ts'),
    import('../adapters/backup/bucket-files.ts'),
  ]);
  const prefix = place.prefix === '' ? '' : `${place.prefix}/`;
  const folder = await temporaryFolder(opened);
  const files = new BucketFiles(bucket, prefix, { place: `s3://${place.bucket}/${prefix}`, folder });
  const objects = new BucketObjectFolder(bucket, keysOfBackup(prefix), folder);
  return { folder: new StoredBackup(files), objects };
}

async function openBucket({ credentials, ...location }: S3Settings, setting: string, opened: ResourceStack) {
  const { connect, defaultProvider } = await import('../adapters/objects/s3/connect.ts');
  return openInBucket(location.bucket, setting, async () => {
    const log = createLog({ logLevel: 'silent' });
    const connection = await connect({
      location,
      credentials: credentials ?? (await defaultProvider()),
      log,
    });
    opened.defer(() => connection.close());
    return connection.bucket;
  });
}

async function temporaryFolder(opened: ResourceStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-backup-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
