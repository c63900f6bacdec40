import type { CompiledQuery, QueryId } from 'kysely';
import type { Database } from './schema.ts';

const unsynced = new WeakSet<QueryId>();

/**
 * The same database for writes that are worth no more than the unsynced bytes they tell of. A statement, or a
 * transaction, through this handle is whole and outlives the process, but a power cut may take it back, so it need not
 * wait for the disk. On PostgreSQL it makes no difference.
 */
export function withoutSync(db: Database): Database {
  return db.withPlugin({
    transformQuery: ({ node, queryId }) => {
      unsynced.add(queryId);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}

/** Whether a query came through `withoutSync`. */
export function needsNoSync(query: CompiledQuery): boolean {
  return unsynced.has(query.queryId);
}
