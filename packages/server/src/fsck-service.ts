import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInProcessLocks } from './adapters/locks/in-process.ts';
import { DiskObjectFolder } from './adapters/objects/disk/object-folder.ts';
import { createRevisionWorkers } from './adapters/workers/revision-workers.ts';
import type { Configuration } from './configuration.ts';
import type { FsckOptions, FsckReport } from './libraries/integrity/fsck/finding.ts';
import { fsck } from './libraries/integrity/fsck/fsck.ts';
import { IndexMender } from './libraries/integrity/index-mender.ts';
import { RevisionCache } from './libraries/read/revision-cache.ts';
import { NO_METRICS } from './metrics.ts';
import { openObjectStorage } from './object-storage.ts';
import { presignSecret } from './objects/presign-secret.ts';
import type { UploadIntake } from './objects/store.ts';
import { openPreparedDatabase } from './open-database.ts';
import { dataFolderLayout } from './service/data-folder.ts';
import { createLog } from './service/log.ts';
import { Opened } from './service/opened.ts';
import { StartError } from './service/start-error.ts';

/** A day: an index of any size is rebuilt by then. */
const MENDED_WITHIN = 86_400_000;

/** Takes no uploads. */
const NO_INTAKE: UploadIntake = {
  expect: async () => ({ [Symbol.dispose]() {} }),
  received: async () => new Set(),
  partReceived: async () => {},
};

/** Composition root of the check: the store beside the service that owns it. */
export async function fsckService(configuration: Configuration, options: FsckOptions): Promise<FsckReport> {
  const { databaseUrl, dataDir, s3 } = configuration;
  const { databaseFile, objects: folder } = dataFolderLayout(dataDir);
  if (databaseUrl === null && !existsSync(databaseFile)) {
    throw new StartError(
      `There is no database ${databaseFile}. Name the data folder of the service with --data-dir.`,
    );
  }
  await using opened = new Opened();
  const db = await openPreparedDatabase(configuration, databaseFile);
  opened.defer(() => db.destroy());
  const log = createLog({ ...configuration, logLevel: 'silent' });
  // What of a bucket is kept on this machine belongs to the service, where it runs.
  const objectsFolder =
    s3 === null ? folder : join(await mkdtemp(join(tmpdir(), 'bindery-fsck-')), 'objects');
  if (s3 !== null) opened.defer(() => rm(join(objectsFolder, '..'), { recursive: true, force: true }));
  const { objects } = await openObjectStorage({
    configuration,
    db,
    objectsFolder,
    owner: false,
    secret: await presignSecret({ db }),
    publicUrl: () => '',
    clock: Date.now,
    log,
    admit: () => {},
    isLost: async () => false,
    intake: NO_INTAKE,
  });
  opened.defer(() => objects.close());
  const storeLocks =
    databaseUrl === null
      ? createInProcessLocks()
      : (await import('./adapters/locks/postgres.ts')).createPostgresLocks(databaseUrl);
  opened.defer(() => storeLocks.close());
  const revisionWorkers = createRevisionWorkers();
  opened.defer(() => revisionWorkers.close());
  const parts = {
    configuration,
    db,
    objects,
    clock: Date.now,
    log,
    metrics: NO_METRICS,
    storeLocks,
    revisionWorkers,
  };
  const revisions = new RevisionCache(objects, configuration.indexCacheBytes);
  const indexMender = new IndexMender({ ...parts, revisions }, { maxWait: MENDED_WITHIN });
  const stores = s3 === null ? () => new DiskObjectFolder(folder).stores() : undefined;
  return await fsck({ ...parts, indexMender }, options, stores);
}
