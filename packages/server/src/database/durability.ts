import type { CompiledQuery, QueryId } from 'kysely';
import type { Database } from './schema.ts';

const unsynced = new WeakSet<QueryId>();

/**
 * Returns a handle to the same database for writes that are worth no more than the unsynced bytes that they describe. A
 * statement or a transaction through this handle is atomic and survives the process, but a power failure can undo it,
 * so it does not wait for the disk. On PostgreSQL it makes no difference.
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

/** Whether a query was made through `withoutSync`. */
export function needsNoSync(query: CompiledQuery): boolean {
  return unsynced.has(query.queryId);
}
