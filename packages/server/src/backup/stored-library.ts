import type { Database } from '../database/schema.ts';

/** Where the content of a library is, as a database says. */
export interface StoredLibrary {
  /** `namespace/name`. */
  address: string;
  storeId: string;
  /** Objects that no closure names: manifest, index, and codes where there are vectors. */
  manifest: string;
  index: string;
  codes: string | null;
}

/** Every library that a restore would bring back, those in the Trash too. */
export async function storedLibraries(db: Database): Promise<StoredLibrary[]> {
  const rows = await db
    .selectFrom('libraries')
    .innerJoin('namespaces', 'namespaces.id', 'libraries.namespace_id')
    .select([
      'namespaces.slug',
      'libraries.name',
      'libraries.store_id',
      'libraries.manifest_sha256',
      'libraries.index_sha256',
      'libraries.codes_sha256',
    ])
    .orderBy('namespaces.slug')
    .orderBy('libraries.name')
    .execute();
  return rows.map((row) => ({
    address: `${row.slug}/${row.name}`,
    storeId: row.store_id,
    manifest: row.manifest_sha256,
    index: row.index_sha256,
    codes: row.codes_sha256,
  }));
}
