import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { arrivingChunks, forEachBounded } from '@bindery/concurrency';
import { isDamage } from '../../objects/damaged.ts';
import { isMissing } from '../../objects/missing.ts';
import { contentsOf, type ObjectAddress, type ObjectStore } from '../../objects/store.ts';
import { HashedContent } from './files.ts';

const LISTED_AT_ONCE = 1_000;
const COPIED_AT_ONCE = 8;

type Source = Pick<ObjectStore, 'list' | 'stream'>;
type Target = Pick<ObjectStore, 'findAbsent' | 'createDraft'>;

export interface StorageCopy {
  /** Objects in the source. */
  objects: number;
  /** Objects that the target did not have. */
  copied: number;
  bytes: number;
  /** Objects whose bytes do not match the hash that names them; they were not copied. */
  damaged: ObjectAddress[];
}

/**
 * Copies the objects of the given stores, verifying each against the hash that names it. Objects that the target
 * already has are skipped, so that a copy resumes where an earlier one stopped and can run alongside a service: objects
 * never change. Objects deleted meanwhile are skipped too.
 */
export async function copyStorage(
  storeIds: readonly string[],
  source: Source,
  target: Target,
): Promise<StorageCopy> {
  const copy: StorageCopy = { objects: 0, copied: 0, bytes: 0, damaged: [] };
  for (const storeId of storeIds) {
    for await (const listed of arrivingChunks(source.list(storeId), LISTED_AT_ONCE)) {
      copy.objects += listed.length;
      const absent = await target.findAbsent(storeId, contentsOf(listed));
      const wanted = absent.flatMap((place) => listed[place] ?? []);
      await forEachBounded(wanted, { concurrency: COPIED_AT_ONCE }, async ({ sha256, size }) => {
        const outcome = await copyObject(source, target, { storeId, sha256 });
        if (outcome === 'damaged') copy.damaged.push({ storeId, sha256 });
        if (outcome !== 'copied') return;
        copy.copied += 1;
        copy.bytes += size;
      });
    }
  }
  return copy;
}

async function copyObject(
  source: Source,
  target: Target,
  object: ObjectAddress,
): Promise<'copied' | 'damaged' | 'gone'> {
  await using draft = await target.createDraft(object.storeId);
  const hashed = new HashedContent(source.stream(object));
  try {
    await pipeline(hashed.chunks, createWriteStream(draft.file));
  } catch (error) {
    if (isMissing(error)) return 'gone';
    if (isDamage(error) && (error as NodeJS.ErrnoException).syscall === 'read') return 'damaged';
    throw error;
  }
  if (hashed.finish().sha256 !== object.sha256) return 'damaged';
  await draft.commit(object.sha256);
  return 'copied';
}
