import { DiskObjectFolder } from '../adapters/objects/disk/object-folder.ts';
import { openMaintenance } from '../boot/maintenance-context.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { FsckOptions, FsckReport } from '../objects/health/finding.ts';
import { fsck } from '../objects/health/fsck.ts';
import { dataFolderLayout } from '../process/data-folder.ts';
import { ResourceStack } from '../process/resource-stack.ts';

/** Composition root of the check: opens the store alongside the service that owns it. */
export async function fsckService(configuration: Configuration, options: FsckOptions): Promise<FsckReport> {
  await using opened = new ResourceStack();
  const context = await openMaintenance(configuration, opened);
  const { objects: folder } = dataFolderLayout(configuration.dataDir);
  const stores = configuration.s3 === null ? () => new DiskObjectFolder(folder).stores() : undefined;
  return await fsck(context, options, stores);
}
