import { LEGACY_MANIFEST_PATH, MANIFEST_PATH } from '@bindery/contract';
import type { Selectable } from 'kysely';
import type { UploadReceiptsTable } from '../../database/schema.ts';
import type { Parts } from '../../parts.ts';
import type { StoredArtifact } from '../revision/build-revision-index.ts';

type Receipt = Omit<Selectable<UploadReceiptsTable>, 'store_id'>;
type Store = Pick<Parts, 'db'> & { storeId: string };

/** Rows of one statement: few enough that none of them holds up other requests. */
const ROWS_AT_ONCE = 1_000;

const MANIFESTS: readonly string[] = [MANIFEST_PATH, LEGACY_MANIFEST_PATH];

/** What was uploaded for a register. */
export interface Received {
  /** The time of the newest receipt; never before `since`. */
  until: number;
  /** Platform artifacts, the latest of each path. */
  artifacts: StoredArtifact[];
}

/** Reads the receipts of uploads later than `since`. `isArtifact` tells platform artifacts from files. */
export async function readReceived(
  store: Store,
  since: number,
  isArtifact: (path: string) => boolean,
): Promise<Received> {
  const latest = new Map<string, Receipt>();
  let until = since;
  for await (const receipt of receiptsOf(store)) {
    if (receipt.received_at <= since) continue;
    until = Math.max(until, receipt.received_at);
    if (!isArtifact(receipt.path)) continue;
    const before = latest.get(receipt.path);
    if (!before || before.received_at < receipt.received_at) latest.set(receipt.path, receipt);
  }
  const artifacts = [...latest.values()].map(({ path, size, sha256 }) => ({ path, size, sha256 }));
  return { until, artifacts };
}

/** Those of the given paths at which something arrived since. */
export async function pathsReceived(
  { db, storeId }: Store,
  since: number,
  paths: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('upload_receipts')
    .select('path')
    .distinct()
    .where('store_id', '=', storeId)
    .where('path', 'in', paths)
    .where('received_at', '>', since)
    .execute();
  return new Set(rows.map(({ path }) => path));
}

/**
 * Deletes receipts that no register will ask for. Those of manifests stay until they are a day old: a push that was
 * overtaken may still register its own by hash.
 */
export async function clearSettled(store: Store, until: number): Promise<void> {
  const { db, storeId } = store;
  for await (const paths of inBatches(settledPaths(store, until))) {
    await db
      .deleteFrom('upload_receipts')
      .where('store_id', '=', storeId)
      .where('path', 'in', paths)
      .where('received_at', '<=', until)
      .execute();
  }
}

async function* settledPaths(store: Store, until: number): AsyncGenerator<string> {
  for await (const { path, received_at } of receiptsOf(store)) {
    if (received_at <= until && !MANIFESTS.includes(path)) yield path;
  }
}

/** All receipts of a store in pages by key. */
async function* receiptsOf({ db, storeId }: Store): AsyncGenerator<Receipt> {
  let last: Receipt | undefined;
  do {
    const after = last;
    const rows: Receipt[] = await db
      .selectFrom('upload_receipts')
      .select(['path', 'sha256', 'size', 'received_at'])
      .where('store_id', '=', storeId)
      .$if(after !== undefined, (query) =>
        query.where((eb) =>
          eb(eb.refTuple('path', 'sha256'), '>', eb.tuple(after?.path ?? '', after?.sha256 ?? '')),
        ),
      )
      .orderBy('path')
      .orderBy('sha256')
      .limit(ROWS_AT_ONCE)
      .execute();
    yield* rows;
    last = rows.length === ROWS_AT_ONCE ? rows.at(-1) : undefined;
  } while (last !== undefined);
}

async function* inBatches<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < ROWS_AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
