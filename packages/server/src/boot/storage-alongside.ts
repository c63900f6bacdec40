import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Configuration } from '../configuration/configuration.ts';
import type { Database } from '../database/schema.ts';
import { presignSecret } from '../objects/presign.ts';
import type { ObjectStore, UploadIntake } from '../objects/store.ts';
import { dataFolderLayout } from '../process/data-folder.ts';
import { createLog } from '../process/log.ts';
import type { ResourceStack } from '../process/resource-stack.ts';
import { openObjectStorage } from './object-storage.ts';

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
