import type { Migration } from 'kysely/migration';

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
