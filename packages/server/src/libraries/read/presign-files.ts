import { clampTtl, type PresignedFile } from '@bindery/contract';
import { loadLibrary, type RevisionAddress } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import { unknownPath } from '../../errors.ts';
import type { Parts } from '../../parts.ts';
import { nextTurn, turnIsOver } from '../../service/turns.ts';
import { type OpenParts, openRevision } from './open-revision.ts';
import { presignFile } from './presign.ts';

/**
 * Returns presigned URLs of files by path, in the requested order. Platform artifacts are files too; the manifest
 * itself is not. Throws `unknown_path` with the first path that the revision does not have.
 */
export async function presignFiles(
  parts: OpenParts & Pick<Parts, 'objects'>,
  viewer: Viewer,
  address: RevisionAddress,
  readBody: () => { paths: string[]; ttlSeconds?: number | undefined },
): Promise<{ ttlSeconds: number; files: PresignedFile[] }> {
  const library = await loadLibrary(parts.db, viewer, address);
  const { paths, ttlSeconds: asked } = readBody();
  const { row, index } = await openRevision(parts, library.row);
  const ttlSeconds = clampTtl(asked);
  const files: PresignedFile[] = [];
  for (const path of paths) {
    const file = index.findFile(path);
    if (!file) throw unknownPath(path);
    files.push(presignFile(parts.objects, row.store_id, file, ttlSeconds));
    if (turnIsOver()) await nextTurn();
  }
  return { ttlSeconds, files };
}
