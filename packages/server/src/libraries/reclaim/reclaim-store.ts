import type { LibraryRow } from '../../access/libraries.ts';
import { unlessLost } from '../../objects/damaged.ts';
import type { ObjectAddress, Reclaimed } from '../../objects/store.ts';
import type { Parts } from '../../parts.ts';
import { RevisionIndex } from '../../revision/revision-index.ts';
import { nextTurn, turnIsOver } from '../../service/turns.ts';
import { forgetDamaged } from '../integrity/damaged-objects.ts';
import { gracePeriod, scheduleNext } from './due.ts';

type ReclaimParts = Pick<Parts, 'db' | 'objects' | 'clock' | 'configuration' | 'storeLocks' | 'indexMender'>;

/** How many candidates are collected before they are processed: a bound on memory. */
const CANDIDATES = 50_000;

/** How many are deleted while a register has to wait. */
const DELETED_AT_ONCE = 500;

/** What of a store must stay. */
interface Kept {
  library: LibraryRow | null;
  /** Indexes of the current revision and of those retired less than the grace period ago. */
  indexes: string[];
  /** Manifests, indexes, codes of vectors, lists of artifacts: objects that no closure names. */
  documents: Set<string>;
}

/**
 * Deletes the objects of a store, due at `dueAt`, that neither the current revision nor one retired within the grace
 * period refers to. Finds them without a lock; deletes them in batches, each only while the library is unchanged.
 * Resolves to null if it changed or its index had to be mended: then the store stays due. Deletes nothing unless it
 * is certain what is referenced.
 */
export async function reclaimStore(
  parts: ReclaimParts,
  storeId: string,
  dueAt: number,
): Promise<Reclaimed | null> {
  const { db, objects, clock, configuration } = parts;
  const retiredBefore = clock() - gracePeriod(configuration);
  const kept = await keptOf(db, storeId, retiredBefore);
  const freed: Reclaimed = { objects: 0, bytes: 0 };
  let candidates: string[] = [];

  async function deleteCandidates(): Promise<boolean> {
    const unnamed = await withoutNamed(parts, storeId, kept, candidates);
    if (unnamed === null) return false;
    candidates = [];
    for (let at = 0; at < unnamed.length; at += DELETED_AT_ONCE) {
      const batch = unnamed.slice(at, at + DELETED_AT_ONCE);
      const deleted = await unlessChanged(parts, kept.library, storeId, () => objects.delete(storeId, batch));
      if (deleted === null) return false;
      await forgetDamaged(parts, storeId, batch);
      freed.objects += deleted.objects;
      freed.bytes += deleted.bytes;
    }
    return true;
  }

  for await (const { sha256 } of objects.list(storeId)) {
    if (kept.documents.has(sha256)) continue;
    candidates.push(sha256);
    if (candidates.length >= CANDIDATES && !(await deleteCandidates())) return null;
  }
  if (!(await deleteCandidates())) return null;
  // A concurrent register would retire a revision that this pass took for the current one.
  return unlessChanged(parts, kept.library, storeId, async () => {
    await db
      .deleteFrom('retired_revisions')
      .where('store_id', '=', storeId)
      .where('retired_at', '<', retiredBefore)
      .execute();
    await scheduleNext(parts, storeId, dueAt);
    return freed;
  });
}

async function keptOf(db: Parts['db'], storeId: string, retiredBefore: number): Promise<Kept> {
  const library = await libraryOf(db, storeId);
  const retired = await db
    .selectFrom('retired_revisions')
    .select(['index_sha256', 'manifest_sha256', 'codes_sha256', 'artifacts_sha256'])
    .where('store_id', '=', storeId)
    .where('retired_at', '>=', retiredBefore)
    .execute();
  const revisions = library ? [library, ...retired] : retired;
  const indexes = [...new Set(revisions.map(({ index_sha256 }) => index_sha256))];
  const others = revisions.flatMap(({ manifest_sha256, codes_sha256, artifacts_sha256 }) =>
    [manifest_sha256, codes_sha256, artifacts_sha256].filter((sha256) => sha256 !== null),
  );
  return { library, indexes, documents: new Set([...indexes, ...others]) };
}

/**
 * Drops what any index refers to, with one index in memory at a time. Null if the library's own could not be read.
 */
async function withoutNamed(
  { objects, indexMender }: Pick<Parts, 'objects' | 'indexMender'>,
  storeId: string,
  { library, indexes }: Kept,
  candidates: readonly string[],
): Promise<string[] | null> {
  let unnamed = [...candidates];
  for (const sha256 of indexes) {
    if (unnamed.length === 0) break;
    const index = await unlessLost(openIndex(objects, { storeId, sha256 }));
    if (index === null && library?.index_sha256 === sha256) {
      await indexMender.mend(library);
      return null;
    }
    if (index === null) throw new Error(`the index ${sha256} of a replaced revision is damaged or missing`);
    const { files } = index;
    const left: string[] = [];
    for (const candidate of unnamed) {
      if (files.sizeOfContent(candidate) === null) left.push(candidate);
      if (turnIsOver()) await nextTurn();
    }
    unnamed = left;
  }
  return unnamed;
}

async function openIndex(objects: Parts['objects'], address: ObjectAddress): Promise<RevisionIndex> {
  return RevisionIndex.open(await objects.read(address));
}

/** Runs `work` while no register is under way; null if the library has changed. */
async function unlessChanged<Result>(
  { db, storeLocks }: Pick<Parts, 'db' | 'storeLocks'>,
  before: LibraryRow | null,
  storeId: string,
  work: () => Promise<Result>,
): Promise<Result | null> {
  return storeLocks.hold(storeId, async (lock) => {
    const now = await libraryOf(db, storeId);
    if (!isSame(now, before)) return null;
    lock.assertHeld();
    return work();
  });
}

/** An index that was rebuilt meanwhile is an object that the pass may have taken for a stray one. */
function isSame(now: LibraryRow | null, before: LibraryRow | null): boolean {
  return (
    now?.id === before?.id && now?.revision === before?.revision && now?.index_sha256 === before?.index_sha256
  );
}

async function libraryOf(db: Parts['db'], storeId: string): Promise<LibraryRow | null> {
  const row = await db.selectFrom('libraries').selectAll().where('store_id', '=', storeId).executeTakeFirst();
  return row ?? null;
}
