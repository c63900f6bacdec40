import { loadLibrary, type RevisionAddress } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { MaintenanceContext } from '../../context.ts';
import { contentLost, unknownPath } from '../../errors.ts';
import { unlessLost } from '../../objects/damaged.ts';
import { type OpenedRevision, openRevision } from '../../objects/open-revision.ts';
import type { ClosureFile } from '../../revision/file-closure.ts';

type FileParts = MaintenanceContext;

/**
 * Returns a file of a library with its verified bytes; `bytes` is null if there are more than `maxBytes`. Throws
 * `unknown_path` and `content_lost`.
 */
export async function readFileBytes(
  context: FileParts,
  viewer: Viewer,
  { path, ...address }: RevisionAddress & { path: string },
  maxBytes: number,
): Promise<{ file: ClosureFile; bytes: Buffer | null }> {
  const library = await loadLibrary(context.db, viewer, address);
  const opened = await openRevision(context, library.row);
  const file = opened.index.findFile(path);
  if (file === null) throw unknownPath(path);
  if (file.size > maxBytes) return { file, bytes: null };
  const bytes = await bytesOf(context, opened, file);
  if (bytes === null) throw contentLost('this file');
  return { file, bytes };
}

/** Returns the bytes of an asset's thumbnail; null if there is none, it is lost or it has more than `maxBytes`. */
export async function readThumbnail(
  context: FileParts,
  viewer: Viewer,
  { assetId, ...address }: RevisionAddress & { assetId: string },
  maxBytes: number,
): Promise<Buffer | null> {
  const library = await loadLibrary(context.db, viewer, address);
  const opened = await openRevision(context, library.row);
  const number = opened.index.indexOfAsset(assetId);
  const file = number < 0 ? null : opened.index.thumbnail(number);
  return file === null || file.size > maxBytes ? null : bytesOf(context, opened, file);
}

function bytesOf({ objects }: FileParts, { row }: OpenedRevision, { sha256 }: ClosureFile) {
  return unlessLost(objects.read({ storeId: row.store_id, sha256 }));
}
