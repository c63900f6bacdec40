import { LIMITS, type PresignedFile, SOURCE_README_PATH } from '@bindery/contract';
import type { RevisionRow } from '../../access/revision-row.ts';
import type { Parts } from '../../parts.ts';
import { type OpenParts, openRevision } from './open-revision.ts';
import { presignFile } from './presign.ts';

/** Returns the library's own README, or null. The caller has checked that the viewer may read the library. */
export async function readReadme(
  parts: OpenParts & Pick<Parts, 'objects'>,
  library: RevisionRow,
): Promise<PresignedFile | null> {
  const { row, index } = await openRevision(parts, library);
  const file = index.findFile(SOURCE_README_PATH);
  return file && presignFile(parts.objects, row.store_id, file, LIMITS.presignTtl.default);
}
