import { migrateSchema, type SchemaMigration } from '@bindery/server';
import { defineCommand, flag } from '../command.ts';
import type { Output } from '../output/output.ts';
import { formatCount } from '../output/text.ts';
import { configurationOf, dataDir } from './with-database.ts';
import { withServiceErrors } from './with-service-errors.ts';

export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: 'Migrate the database schema to this version',
  description:
    'A service on one machine does this when it starts. Where several servers may run (PostgreSQL and a bucket), they ' +
    'do not start until it is done: make a backup, run this once with the new version, then replace the servers one by one. ' +
    'Migrations are applied together or not at all, and running two at once is safe. With --dry-run nothing is changed.',
  inputs: { dryRun: flag('only list what is pending, and which versions may run afterwards'), dataDir },
  examples: [
    ['bindery admin migrate --dry-run', 'what would be applied, and which versions could still run?'],
    ['bindery admin migrate', 'apply them'],
  ],
  run: ({ dryRun, dataDir }, { environment }) =>
    withServiceErrors(async () => migrateSchema(configurationOf(environment, dataDir), { dryRun })),
  render: ({ applied, pending, runsFrom }, output) => {
    if (applied.length > 0) list(output, `Applied ${formatCount(applied.length, 'migration')}:`, applied);
    else if (pending.length > 0)
      list(output, `${formatCount(pending.length, 'migration')} pending:`, pending);
    else output.line('The schema is up to date.');
    output.line(mayRun(runsFrom, pending.length > 0 ? 'will run' : 'run'));
  },
});

function list(output: Output, heading: string, names: readonly string[]): void {
  output.line(heading);
  for (const name of names) output.line(`  ${name}`);
}

function mayRun({ migration, version }: SchemaMigration['runsFrom'], run: string): string {
  return `${version} and later ${run} on it (they know ${migration}).`;
}
