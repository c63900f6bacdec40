import type { Database } from '../database/schema.ts';
import type { LibrariesTable } from '../database/tables/libraries.ts';

/** Where the content of a library is stored, according to the database. */
export interface StoredLibrary {
  /** `namespace/name`. */
  address: string;
  storeId: string;
  /** The current revision, and those that have releases. */
  revisions: StoredRevision[];
}

/** Objects that no closure names: manifest, index, codes if there are vectors, and the list of platform artifacts if there are any. */
interface StoredRevision {
  manifest: string;
  index: string;
  codes: string | null;
  artifacts: string | null;
}

const OBJECTS = ['manifest_sha256', 'index_sha256', 'codes_sha256', 'artifacts_sha256'] as const;

/** Returns every library that a restore would bring back, including those in the Trash. */
export async function storedLibraries(db: Database): Promise<StoredLibrary[]> {
  const libraries = await db
    .selectFrom('libraries')
    .innerJoin('namespaces', 'namespaces.id', 'libraries.namespace_id')
    .select(['namespaces.slug', 'libraries.name', 'libraries.store_id', ...OBJECTS])
    .orderBy('namespaces.slug')
    .orderBy('libraries.name')
    .execute();
  const releases = await db
    .selectFrom('releases')
    .select(['store_id', ...OBJECTS])
    .orderBy('name')
    .execute();
  const byStore = Map.groupBy(releases, ({ store_id }) => store_id);
  return libraries.map((row) => ({
    address: `${row.slug}/${row.name}`,
    storeId: row.store_id,
    revisions: [row, ...(byStore.get(row.store_id) ?? [])].map(storedRevision),
  }));
}

function storedRevision(row: Pick<LibrariesTable, (typeof OBJECTS)[number]>): StoredRevision {
  return {
    manifest: row.manifest_sha256,
    index: row.index_sha256,
    codes: row.codes_sha256,
    artifacts: row.artifacts_sha256,
  };
}
