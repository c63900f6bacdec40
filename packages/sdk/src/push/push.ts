import { FolderRecordFile } from '../base/folder-record-file.ts';
import type { Client } from '../client/client.ts';
import { ConflictError } from '../failures.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import { ManifestCache } from '../library/manifest-cache.ts';
import { type FolderSource, readFolder } from './folder.ts';
import { planDigest } from './plan.ts';
import { prepareRevision, scopeOfRetry, type UploadScope } from './prepare.ts';
import { type PushResult, publishRevision, resultOf } from './publish.ts';
import type { PushOptions, RevisionOptions } from './source.ts';

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
  return pushRead(client, address, await readFolder(folder, options), options);
}

/** Options of a push, which may be of a part of a library. */
type PartialPushOptions = PushOptions & Pick<RevisionOptions, 'coverage' | 'removed'>;

/** Like `pushFolder`, for a folder that was read. */
export async function pushRead(
  client: Client,
  address: LibraryAddress,
  source: FolderSource,
  options: PartialPushOptions,
): Promise<FolderPush> {
  try {
    return await pushOnce(client, address, source, options, 'missing');
  } catch (error) {
    const scope = scopeOfRetry(error);
    if (scope === null) throw error;
    return pushOnce(client, address, source, options, scope);
  }
}

async function pushOnce(
  client: Client,
  address: LibraryAddress,
  source: FolderSource,
  options: PartialPushOptions,
  scope: UploadScope,
): Promise<FolderPush> {
  const memory = new FolderRecordFile(options.stateFolder, source.found.root, client.baseUrl, address);
  const cached = { ...options, manifests: new ManifestCache(options.cacheFolder) };
  const prepared = await prepareRevision(client, address, source, memory, cached, scope);
  const plan = planDigest(client.baseUrl, address, prepared);
  if (options.dryRun) return { ...resultOf('planned', address, source, prepared, prepared.head?.row), plan };
  if (options.plan !== undefined && options.plan !== plan) {
    throw new ConflictError('The folder or the library has changed since this was planned.');
  }
  return { ...(await publishRevision(client, address, source, prepared, memory, cached)), plan };
}
