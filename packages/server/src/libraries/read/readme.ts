import { LIMITS, type PresignedFile, SOURCE_README_PATH } from '@bindery/contract';
import type { RevisionRow } from '../../access/libraries.ts';
import type { MaintenanceContext } from '../../context.ts';
import { openRevision } from '../../objects/open-revision.ts';
import { presignFile } from './presign.ts';

/** Returns the library's own README, or null. The caller has checked that the viewer may read the library. */
export async function readReadme(
  context: MaintenanceContext,
  library: RevisionRow,
): Promise<PresignedFile | null> {
  const { row, index } = await openRevision(context, library);
  const file = index.findFile(SOURCE_README_PATH);
  return file && presignFile(context.objects, row.store_id, file, LIMITS.presignTtl.default);
}
