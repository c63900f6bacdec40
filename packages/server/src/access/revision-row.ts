import type { Selectable } from 'kysely';
import type { Database } from '../database/schema.ts';
import type { LibrariesTable, RevisionColumns } from '../database/tables/libraries.ts';

/** A library at its current revision, or at that of one of its releases. */
export interface RevisionRow extends Selectable<LibrariesTable> {
  /** The name of the release; absent if the row is the library's own. */
  release?: string;
}

/** The columns of a library's row that describe its revision. */
export const REVISION_COLUMNS = [
  'revision',
  'type',
  'title',
  'description',
  'provider',
  'homepage',
  'license',
  'tags',
  'upstream_repo',
  'upstream_commit',
  'asset_count',
  'file_count',
  'total_bytes',
  'categories',
  'kinds',
  'licenses',
  'vectors_dim',
  'vectors_model',
  'cover_sha256',
  'cover_path',
  'manifest_sha256',
  'manifest_size',
  'manifest_layout',
  'index_sha256',
  'codes_sha256',
  'artifacts_sha256',
  'updated_at',
] as const satisfies readonly (keyof RevisionColumns)[];

const LIBRARY_COLUMNS = [
  'id',
  'namespace_id',
  'name',
  'store_id',
  'state',
  'changes',
  'visibility',
  'share_token',
  'uploads_settled',
  'created_at',
  'deleted_at',
] as const satisfies readonly Exclude<keyof LibrariesTable, keyof RevisionColumns>[];

/** The columns of a `RevisionRow` in a query that joins a library with one of its releases. */
export const RELEASED_COLUMNS = [
  ...LIBRARY_COLUMNS.map((column) => `libraries.${column}` as const),
  ...REVISION_COLUMNS.map((column) => `releases.${column}` as const),
  'releases.name as release' as const,
];

/** Reads the row again, in any state; null if the library or the release has been deleted. */
export async function findRevision(
  db: Database,
  { id, release }: Pick<RevisionRow, 'id' | 'release'>,
): Promise<RevisionRow | null> {
  const library = db.selectFrom('libraries').where('libraries.id', '=', id);
  const row =
    release === undefined
      ? await library.selectAll('libraries').executeTakeFirst()
      : await library
          .innerJoin('releases', 'releases.store_id', 'libraries.store_id')
          .where('releases.name', '=', release)
          .select(RELEASED_COLUMNS)
          .executeTakeFirst();
  return row ?? null;
}
