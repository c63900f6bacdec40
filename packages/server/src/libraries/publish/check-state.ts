import type { LibraryRow } from '../../access/libraries.ts';
import { libraryInTrash, ServiceError } from '../../errors.ts';

/** Throws `library_in_trash` or `revision_conflict` if a register may not proceed. */
export function checkState(library: LibraryRow | null, expectedRevision: number | undefined): void {
  if (library?.state === 'deleted') throw libraryInTrash();
  const revision = library?.revision ?? 0;
  if (expectedRevision !== undefined && expectedRevision !== revision) throw revisionConflict(revision);
}

/** A missing library counts as revision 0. */
export function revisionConflict(revision: number): ServiceError {
  return new ServiceError(
    'revision_conflict',
    `The library is now at revision ${revision}. Read it again, then decide whether to repeat this.`,
    { revision },
  );
}
