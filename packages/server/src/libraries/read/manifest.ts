import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { LibraryRow } from '../../access/libraries.ts';
import { unlessLost } from '../../objects/damaged.ts';
import type { Parts } from '../../parts.ts';
import { contentLost } from '../content-lost.ts';
import { readPresent } from '../revision/open.ts';

export interface OpenedManifest {
  row: LibraryRow;
  /** The bytes as they were uploaded; the first of them are there. */
  stream: Readable;
}

/** Opens the manifest of a library's revision, or of a newer one; see `readPresent`. Throws `content_lost`. */
export async function openManifest(
  { db, objects }: Pick<Parts, 'db' | 'objects'>,
  library: LibraryRow,
): Promise<OpenedManifest> {
  const opened = await unlessLost(
    readPresent({ db }, library, async (row) => {
      const stream = objects.stream({ storeId: row.store_id, sha256: row.manifest_sha256 });
      await once(stream, 'readable');
      return { row, stream };
    }),
  );
  if (opened === null) throw contentLost('the manifest of this library');
  return opened;
}
