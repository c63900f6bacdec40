import { LEGACY_MANIFEST_PATH, MANIFEST_PATH, type ManifestLayout } from '@bindery/contract';
import type { LibraryRow } from '../../access/libraries.ts';
import type { Context, DatabaseContext } from '../../context.ts';
import { ServiceError } from '../../errors.ts';

/** The manifest to register. */
export interface ManifestSource {
  sha256: string;
  size: number;
  layout: ManifestLayout;
}

const LAYOUT_PATHS: Record<ManifestLayout, string> = {
  current: MANIFEST_PATH,
  legacy: LEGACY_MANIFEST_PATH,
};

/**
 * Returns the manifest with the hash that the client names; else the last one uploaded since the last register; else
 * the library's own. `assets.json` counts if the library has no manifest of the current layout. Throws
 * `manifest_missing`.
 */
export async function findManifest(
  { db }: DatabaseContext,
  storeId: string,
  library: LibraryRow | null,
  sha256: string | undefined,
): Promise<ManifestSource> {
  const found =
    sha256 === undefined
      ? await findUnnamed(db, storeId, library)
      : await findNamed(db, storeId, library, sha256);
  if (found) return found;
  throw manifestMissing(
    sha256 === undefined
      ? `Nothing was uploaded. Upload the files, then "${MANIFEST_PATH}", and register again.`
      : `No manifest with the hash ${sha256} was uploaded. Upload it as "${MANIFEST_PATH}" and register again.`,
  );
}

export function manifestMissing(message: string): ServiceError {
  return new ServiceError('manifest_missing', message);
}

async function findNamed(
  db: Context['db'],
  storeId: string,
  library: LibraryRow | null,
  sha256: string,
): Promise<ManifestSource | null> {
  if (library?.manifest_sha256 === sha256) return currentManifest(library);
  for (const layout of ['current', 'legacy'] as const) {
    const receipt = await receiptsAt(db, storeId, LAYOUT_PATHS[layout])
      .where('sha256', '=', sha256)
      .executeTakeFirst();
    if (receipt) return { ...receipt, layout };
  }
  return null;
}

async function findUnnamed(
  db: Context['db'],
  storeId: string,
  library: LibraryRow | null,
): Promise<ManifestSource | null> {
  const mayBeLegacy = library === null || library.manifest_layout === 'legacy';
  for (const layout of mayBeLegacy ? (['current', 'legacy'] as const) : (['current'] as const)) {
    const receipt = await receiptsAt(db, storeId, LAYOUT_PATHS[layout])
      .where('number', '>', library?.uploads_settled ?? 0)
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (receipt) return { ...receipt, layout };
  }
  return library && currentManifest(library);
}

function receiptsAt(db: Context['db'], storeId: string, path: string) {
  return db
    .selectFrom('upload_receipts')
    .select(['sha256', 'size'])
    .where('store_id', '=', storeId)
    .where('path', '=', path);
}

function currentManifest({ manifest_sha256, manifest_size, manifest_layout }: LibraryRow): ManifestSource {
  return { sha256: manifest_sha256, size: manifest_size, layout: manifest_layout };
}
