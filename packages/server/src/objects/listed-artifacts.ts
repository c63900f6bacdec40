import type { RevisionRow } from '../access/libraries.ts';
import { ServiceError } from '../errors.ts';
import { readArtifactList } from '../revision/artifact-list.ts';
import type { StoredArtifact } from '../revision/encode-index.ts';
import { unlessLost } from './damaged.ts';
import type { ObjectStore } from './store.ts';

/**
 * The platform artifacts of a revision according to the list that was stored with it: all that is still known of a
 * revision without manifest and index. Null if it has no list or that is lost too.
 */
export async function listedArtifacts(
  objects: ObjectStore,
  { store_id: storeId, artifacts_sha256: sha256 }: Pick<RevisionRow, 'store_id' | 'artifacts_sha256'>,
): Promise<StoredArtifact[] | null> {
  const bytes = sha256 && (await unlessLost(objects.read({ storeId, sha256 })));
  return bytes ? readArtifactList(bytes) : null;
}

/** Returns null if the service has lost what the operation needs. */
export async function unlessContentLost<Value>(operation: Promise<Value>): Promise<Value | null> {
  try {
    return await operation;
  } catch (error) {
    if (isContentLost(error)) return null;
    throw error;
  }
}

export function isContentLost(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'content_lost';
}
