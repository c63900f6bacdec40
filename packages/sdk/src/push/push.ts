import { FolderRecordFile } from '../base/folder-record-file.ts';
import type { Client } from '../client/client.ts';
import { ConflictError } from '../failures.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import { ManifestCache } from '../library/manifest-cache.ts';
import { type FolderSource, preparePush } from './folder.ts';
import { planDigest } from './plan.ts';
import { type Extent, planRevision } from './prepare.ts';
import { type PushResult, publishPlan, resultOf } from './publish.ts';
import { retryExtent } from './retry-extent.ts';
import type { PushOptions } from './source.ts';

export interface FolderPush extends PushResult {
  /** Identifies the plan, byte for byte. */
  plan: string;
}

/**
 * Makes a library equal to a folder. Throws `TreeError` and `CurationError` for problems in the folder, `ConflictError`
 * if it would undo what others did since the folder was last in step with the library, or if the plan is no longer
 * `options.plan`, and the client's errors.
 */
export async function pushFolder(
  client: Client,
  address: LibraryAddress,
  folder: string,
  options: PushOptions,
): Promise<FolderPush> {
  const source = await preparePush(folder, options);
  try {
    return await pushOnce(client, address, source, options, 'new');
  } catch (error) {
    const again = retryExtent(error);
    if (again === null) throw error;
    return pushOnce(client, address, source, options, again);
  }
}

async function pushOnce(
  client: Client,
  address: LibraryAddress,
  source: FolderSource,
  options: PushOptions,
  extent: Extent,
): Promise<FolderPush> {
  const memory = new FolderRecordFile(options.stateFolder, source.found.root, client.baseUrl, address);
  const placed = { ...options, manifests: new ManifestCache(options.cacheFolder) };
  const planned = await planRevision(client, address, source, memory, placed, extent);
  const plan = planDigest(client.baseUrl, address, planned);
  if (options.dryRun) return { ...resultOf('planned', address, source, planned, planned.head?.row), plan };
  if (options.plan !== undefined && options.plan !== plan) {
    throw new ConflictError('the folder or the library has changed since this was planned');
  }
  return { ...(await publishPlan(client, address, source, planned, memory, placed)), plan };
}
