import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DiskStoreOptions, diskBytes, openDiskStore } from '../adapters/objects/disk/disk-store.ts';
import type { DiskThreads } from '../adapters/objects/disk/disk-workers.ts';
import { bucketFailure } from '../adapters/objects/s3/failures.ts';
import type { Configuration, S3Settings } from '../configuration/configuration.ts';
import type { Context } from '../context.ts';
import type { Database } from '../database/schema.ts';
import { StartError } from '../errors.ts';
import { presignSecret } from '../objects/presign.ts';
import type { ObjectStore, UploadIntake } from '../objects/store.ts';
import { announcedBytes } from '../objects/uploads.ts';
import { dataFolderLayout } from '../process/data-folder.ts';
import { createLog } from '../process/log.ts';
import type { ResourceStack } from '../process/resource-stack.ts';
import { requireObjectsOfDatabase } from './database.ts';

const GIB = 1024 ** 3;

/** The default for what one account can have uploaded to a bucket and not registered, in bytes. */
const BUCKET_ALLOWANCE = 1_024 * GIB;

/** An object store, with what the service needs to know besides the port. */
export interface ObjectStorage {
  objects: ObjectStore;
  responses: Context['objectResponses'];
  /** Where the objects are stored, the same for all servers that share them. */
  place: string;
  /** The origin of presigned URLs that are not the service's own; null if there are none. */
  origin: string | null;
  /** Returns the bytes of a store that were uploaded, or might be in transit, and are not registered. */
  unregisteredBytes(storeId: string): Promise<number>;
}

type StorageOptions = Omit<
  DiskStoreOptions,
  'folder' | 'mark' | 'readAheadBytes' | 'reserveBytes' | 'owner' | 'threads'
> & {
  configuration: Configuration;
  db: Database;
  objectsFolder: string;
  /** False if another process serves the same objects. */
  owner?: boolean;
  /** The threads of a folder's store, if they are shared with other services. */
  diskThreads?: DiskThreads | undefined;
};

/**
 * Opens the bucket that the configuration names, else the folder. Throws `StartError` if the
 * bucket cannot be used, or the folder is not that of the database.
 */
export async function openObjectStorage({
  configuration,
  db,
  objectsFolder,
  owner = true,
  diskThreads,
  ...options
}: StorageOptions): Promise<ObjectStorage> {
  const { s3 } = configuration;
  if (s3 !== null) return openBucket(s3, { db, objectsFolder, ...options });
  const mark = await requireObjectsOfDatabase(db, objectsFolder, { markNew: owner });
  const objects = await openDiskStore({
    ...options,
    folder: objectsFolder,
    mark,
    readAheadBytes: configuration.sendMemoryBytes,
    reserveBytes: configuration.diskReserveBytes,
    owner,
    threads: diskThreads,
  });
  return {
    objects,
    responses: objects.responses,
    place: `${objectsFolder} on ${hostname()}`,
    origin: null,
    unregisteredBytes: (storeId) => objects.unregisteredBytes(storeId),
  };
}

/** Returns the maximum bytes that one account can have uploaded and not registered; null for no limit. */
export async function maxUnregisteredBytes(
  { maxUnregistered, s3 }: Pick<Configuration, 'maxUnregistered' | 's3'>,
  objectsFolder: string,
): Promise<number | null> {
  if (maxUnregistered !== 'half') return maxUnregistered;
  return s3 === null ? Math.floor((await diskBytes(objectsFolder)) / 2) : BUCKET_ALLOWANCE;
}

async function openBucket(
  { credentials, cacheBytes, ...location }: S3Settings,
  { db, objectsFolder, ...options }: Omit<StorageOptions, 'configuration' | 'diskThreads'>,
): Promise<ObjectStorage> {
  const [{ openS3Store }, { originOf }, { defaultProvider }] = await Promise.all([
    import('../adapters/objects/s3/s3-store.ts'),
    import('../adapters/objects/s3/s3-client.ts'),
    import('../adapters/objects/s3/connect.ts'),
  ]);
  const cacheFolder = `${objectsFolder}-cache`;
  return openInBucket(location.bucket, 'BINDERY_OBJECTS', async () => {
    const objects = await openS3Store({
      ...options,
      location,
      credentials: credentials ?? (await defaultProvider()),
      cacheFolder,
      cacheBytes,
    });
    options.log.info({ verification: objects.verification }, `objects are in the bucket ${location.bucket}`);
    return {
      objects,
      responses: objects.responses,
      place: `s3://${[location.bucket, location.prefix].filter(Boolean).join('/')} at ${originOf(location)}`,
      origin: originOf(location),
      unregisteredBytes: (storeId) => announcedBytes(db, storeId),
    };
  });
}

/** Opens something in a bucket that `setting` names. Throws `StartError` if that fails. */
export async function openInBucket<Result>(
  bucket: string,
  setting: string,
  open: () => Promise<Result>,
): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    throw new StartError(
      `The bucket ${bucket} of ${setting} cannot be used: ${bucketFailure(error)}. ` +
        'Check its name, AWS_ENDPOINT_URL, AWS_REGION and the credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role.',
      { cause: error },
    );
  }
}

/** Accepts no uploads. */
const NO_INTAKE: UploadIntake = {
  reserve: async () => ({ [Symbol.dispose]() {} }),
  received: async () => new Set(),
  partReceived: async () => {},
};

/** Opens the store of a configuration alongside the service that owns it; it is closed with `opened`. */
export async function openStorageAlongside(
  configuration: Configuration,
  db: Database,
  opened: ResourceStack,
): Promise<ObjectStore> {
  let objectsFolder = dataFolderLayout(configuration.dataDir).objects;
  if (configuration.s3 !== null) {
    // The cache of a bucket in the data folder belongs to the service, which might be running; this one is temporary.
    const own = await mkdtemp(join(tmpdir(), 'bindery-aside-'));
    opened.defer(() => rm(own, { recursive: true, force: true }));
    objectsFolder = join(own, 'objects');
  }
  const { objects } = await openObjectStorage({
    configuration,
    db,
    objectsFolder,
    owner: false,
    secret: await presignSecret(db),
    publicUrl: () => '',
    clock: Date.now,
    log: createLog({ logLevel: 'silent' }),
    admit: () => {},
    isLost: async () => false,
    reportDamaged: () => {},
    intake: NO_INTAKE,
  });
  opened.defer(() => objects.close());
  return objects;
}
