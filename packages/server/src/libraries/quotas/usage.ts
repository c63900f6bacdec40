import type { QuotaAmounts } from '@bindery/contract';
import type { Selectable } from 'kysely';
import type { Database } from '../../database/schema.ts';
import type { LibraryUsageTable } from '../../database/tables/libraries.ts';

/** What one library held when it was measured, at a revision and with its releases at that time. */
export type LibraryUsage = Selectable<LibraryUsageTable>;

/** A library whose revision or releases have changed since it was measured. */
export interface Unmeasured {
  store_id: string;
  revision: number;
  release_changes: number;
  index_sha256: string;
  file_count: number;
  total_bytes: number;
}

export interface NamespaceUsage {
  /** Libraries that have not changed since they were measured. */
  measured: LibraryUsage[];
  unmeasured: Unmeasured[];
}

/** Returns what the libraries of a namespace hold, including those in the Trash. */
export async function readUsage(db: Database, namespaceId: string): Promise<NamespaceUsage> {
  const rows = await db
    .selectFrom('libraries')
    .innerJoin('library_names', 'library_names.store_id', 'libraries.store_id')
    .leftJoin('library_usage', (join) =>
      join
        .onRef('library_usage.store_id', '=', 'libraries.store_id')
        .onRef('library_usage.revision', '=', 'libraries.revision')
        .onRef('library_usage.release_changes', '=', 'library_names.release_changes'),
    )
    .select([
      'libraries.store_id',
      'libraries.revision',
      'libraries.index_sha256',
      'libraries.file_count',
      'libraries.total_bytes',
      'library_names.release_changes',
      'library_usage.files',
      'library_usage.bytes',
    ])
    .where('libraries.namespace_id', '=', namespaceId)
    .execute();
  const usage: NamespaceUsage = { measured: [], unmeasured: [] };
  for (const { files, bytes, ...library } of rows) {
    if (files === null || bytes === null) usage.unmeasured.push(library);
    else {
      const { store_id, revision, release_changes } = library;
      usage.measured.push({ store_id, revision, release_changes, files, bytes });
    }
  }
  return usage;
}

export async function recordUsage(db: Database, usage: LibraryUsage): Promise<void> {
  await db
    .insertInto('library_usage')
    .values(usage)
    .onConflict((conflict) => conflict.column('store_id').doUpdateSet(usage))
    .execute();
}

export function sumOf(libraries: readonly Pick<LibraryUsage, 'files' | 'bytes'>[]): QuotaAmounts {
  return {
    libraries: libraries.length,
    files: libraries.reduce((sum, { files }) => sum + files, 0),
    bytes: libraries.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
