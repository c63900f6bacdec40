import type { SchemaChangesTable } from './schema.ts';

/** The oldest release that can run on a schema: one that knows this migration. */
export interface OldestRelease {
  migration: string;
  /** The version that brought the migration into this database; where versions were left out, one before it may know it too. */
  version: string;
}

/** The oldest release that can run on a schema, of which these are all the `changes`; there is at least one. */
export function oldestRelease(changes: readonly SchemaChangesTable[]): OldestRelease {
  const inOrder = changes.toSorted((a, b) => (a.migration < b.migration ? -1 : 1));
  const suffices = ({ migration }: SchemaChangesTable, at: number) =>
    inOrder.slice(at + 1).every(({ runs_from }) => runs_from <= migration);
  const oldest = inOrder.find(suffices);
  if (!oldest) throw new Error('a schema that nothing changed');
  return { migration: oldest.migration, version: oldest.made_by };
}
