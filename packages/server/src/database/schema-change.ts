import type { Migration } from 'kysely/migration';
import type { SchemaChangesTable } from './schema.ts';

/** A migration, and which code can run once it has been applied. */
export interface SchemaChange extends Migration {
  /**
   * The name of the newest migration that code must know in order to run on the changed schema. Only a change that
   * expands the schema (a new table, a column with a default) can name an earlier migration; by default, code must know
   * this very migration.
   */
  runsFrom?: string;
}

/** The schema as one version of the service knows it: every migration by name, in the order in which they run. */
export interface Release {
  version: string;
  migrations: Record<string, SchemaChange>;
}

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
