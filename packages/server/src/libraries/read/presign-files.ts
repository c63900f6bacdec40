import { clampTtl, type PresignedFile } from '@bindery/contract';
import type { RevisionRow } from '../../access/libraries.ts';
import type { MaintenanceContext } from '../../context.ts';
import { unknownPath } from '../../errors.ts';
import { isContentLost, listedArtifacts } from '../../objects/listed-artifacts.ts';
import { openRevision } from '../../objects/open-revision.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { StoredArtifact } from '../../revision/encode-index.ts';
import { presignFile } from './presign.ts';

/**
 * Returns presigned URLs of files by path, in the requested order. Platform artifacts are files too; the manifest
 * itself is not. Throws `unknown_path` with the first path that the revision does not have.
 */
export async function presignFiles(
  context: MaintenanceContext,
  library: RevisionRow,
  { paths, ttlSeconds: asked }: { paths: string[]; ttlSeconds?: number | undefined },
): Promise<{ ttlSeconds: number; files: PresignedFile[] }> {
  const { row, find } = await openFiles(context, library, paths);
  const ttlSeconds = clampTtl(asked);
  const files: PresignedFile[] = [];
  for (const path of paths) {
    const file = find(path);
    if (!file) throw unknownPath(path);
    files.push(presignFile(context.objects, row.store_id, file, ttlSeconds));
    if (turnIsOver()) await nextTurn();
  }
  return { ttlSeconds, files };
}

interface OpenedFiles {
  row: RevisionRow;
  find(path: string): StoredArtifact | null;
}

/**
 * Opens the files of a revision. If its manifest and index are lost, its platform artifacts are still known by their
 * list; throws `content_lost` if one of the paths is not in it.
 */
async function openFiles(
  context: MaintenanceContext,
  library: RevisionRow,
  paths: readonly string[],
): Promise<OpenedFiles> {
  try {
    const { row, index } = await openRevision(context, library);
    return { row, find: (path) => index.findFile(path) };
  } catch (error) {
    if (!isContentLost(error)) throw error;
    const listed = new Map(
      (await listedArtifacts(context.objects, library))?.map((file) => [file.path, file]),
    );
    if (!paths.every((path) => listed.has(path))) throw error;
    return { row: library, find: (path) => listed.get(path) ?? null };
  }
}
