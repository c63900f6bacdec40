import type { Readable } from 'node:stream';
import { loadLibrary } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Parts } from '../../parts.ts';
import { manifestTag } from './entity-tags.ts';

export interface ManifestReading {
  tag: string;
  /** Bytes. */
  size: number;
  /** The bytes as they were uploaded. */
  open(): Readable;
}

export async function readManifest(
  { db, objects }: Pick<Parts, 'db' | 'objects'>,
  viewer: Viewer,
  slug: string,
  name: string,
): Promise<ManifestReading> {
  const { row } = await loadLibrary(db, viewer, slug, name);
  return {
    tag: manifestTag(row),
    size: row.manifest_size,
    open: () => objects.stream({ storeId: row.store_id, sha256: row.manifest_sha256 }),
  };
}
