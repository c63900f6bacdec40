import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { RevisionRow } from '../../access/libraries.ts';
import type { Context } from '../../context.ts';
import { contentLost } from '../../errors.ts';
import { ObjectDamaged, unlessLost } from '../../objects/damaged.ts';
import { readCurrent } from '../../objects/open-revision.ts';

export interface OpenedManifest {
  row: RevisionRow;
  /** The bytes as they were uploaded. The first of them have already been read. */
  stream: Readable;
}

/** Opens the manifest of a library's revision, or of a newer one; see `readCurrent`. Throws `content_lost`. */
export async function openManifest(
  { db, objects, contentChecks }: Context,
  library: RevisionRow,
): Promise<OpenedManifest> {
  const opened = await unlessLost(
    readCurrent(db, library, async (row) => {
      const { store_id: storeId, manifest_sha256: sha256, manifest_size: size } = row;
      const stream = objects.stream({ storeId, sha256 });
      await once(stream, 'readable');
      if (await contentChecks.isDamaged(storeId, { sha256, size })) {
        stream.destroy();
        throw new ObjectDamaged({ storeId, sha256 });
      }
      return { row, stream };
    }),
  );
  if (opened === null) throw contentLost('the manifest of this library');
  return opened;
}
