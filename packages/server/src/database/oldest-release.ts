import type { SchemaChangesTable } from './schema.ts';

/** The oldest release that can run on a schema: one that knows this migration. */
export interface OldestRelease {
  migration: string;
  /**
   * The version that applied the migration to this database; if versions were skipped, an earlier one might know it
   * too.
   */
  version: string;
}

/** Returns the oldest release that can run on a schema. `changes` are all changes of that schema, at least one. */
export function oldestRelease(changes: readonly SchemaChangesTable[]): OldestRelease {
  const inOrder = changes.toSorted((a, b) => (a.migration < b.migration ? -1 : 1));
  const suffices = ({ migration }: SchemaChangesTable, at: number) =>
    inOrder.slice(at + 1).every(({ runs_from }) => runs_from <= migration);
  const oldest = inOrder.find(suffices);
  if (!oldest) throw new Error('a schema that nothing changed');
  return { migration: oldest.migration, version: oldest.made_by };
}
