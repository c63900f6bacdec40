import {
  isPostgresUrl,
  migrateDatabase,
  migrateSchema,
  migrateStorage,
  POSTGRES_URL,
  type SchemaMigration,
} from '@bindery/server';
import { defineCommand, flag, type Parse, requiredOption, UsageProblem } from '../command.ts';
import { EXIT } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { formatBytes, formatCount, formatNumber } from '../output/text.ts';
import { configurationOf, dataDir, folderOrBucket, withServiceErrors } from './with-database.ts';

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

const postgresUrl: Parse<string> = (text) => {
  if (isPostgresUrl(text)) return text;
  throw new UsageProblem(`expected ${POSTGRES_URL}`, { isSecret: true });
};

export const migrateDatabaseCommand = defineCommand({
  name: 'migrate-database',
  summary: 'Move the database of a service from SQLite to an empty PostgreSQL',
  description:
    'The service must be stopped. Everything moves in one transaction, and each table is compared by count and hash before it ' +
    'commits: an interrupted move leaves PostgreSQL empty. The SQLite database keeps its content, at the newest schema; files stay where they are.',
  inputs: { to: requiredOption('<url>', 'postgres:// URL of an empty database', postgresUrl), dataDir },
  examples: [
    [
      'bindery admin migrate-database --to postgres://bindery@db/bindery --data-dir /var/lib/bindery',
      'move, then start the service with BINDERY_DATABASE_URL',
    ],
  ],
  run: ({ to, dataDir }, { environment }) =>
    withServiceErrors(async () => ({
      tables: await migrateDatabase(configurationOf(environment, dataDir), to),
    })),
  render: ({ tables }, output) => {
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    output.line(
      `Moved ${formatCount(rows, 'row')} of ${formatCount(tables.length, 'table')}, each compared by hash.`,
    );
    output.note(
      'Start the service with BINDERY_DATABASE_URL set to the same URL. The SQLite database still has its content.',
    );
  },
});

export const migrateStorageCommand = defineCommand({
  name: 'migrate-storage',
  summary: 'Copy the files of a service into a bucket or another data folder',
  description:
    'Works whether the service is running or not. Every file is verified as it is copied, and files already there are left alone: ' +
    'copy while the service runs, stop it, copy again to pick up what is new, and start it with the new setting. Nothing is deleted. ' +
    'Exit code 7: a file is damaged and was not copied.',
  inputs: {
    to: requiredOption(
      '<place>',
      's3://bucket/prefix (AWS_… as for the service), or a data folder',
      folderOrBucket,
    ),
    dataDir,
  },
  examples: [
    ['bindery admin migrate-storage --to s3://robotics/libraries', 'then start with BINDERY_OBJECTS'],
    ['bindery admin migrate-storage --to /data/bindery', 'then start with BINDERY_DATA_DIR'],
  ],
  run: ({ to, dataDir }, { environment }) =>
    withServiceErrors(async () => {
      const { BINDERY_OBJECTS: _, ...others } = environment;
      const target = to.startsWith('s3://')
        ? configurationOf({ ...others, BINDERY_OBJECTS: to }, dataDir)
        : configurationOf(others, to);
      return migrateStorage(configurationOf(environment, dataDir), target);
    }),
  render: ({ objects, copied, bytes, damaged }, output) => {
    output.line(
      `Copied ${formatNumber(copied)} of ${formatCount(objects, 'object')} (${formatBytes(bytes)}).`,
    );
    for (const { storeId, sha256 } of damaged) output.warn(`The object ${storeId}/${sha256} is damaged.`);
    if (damaged.length > 0) output.warn('"bindery admin fsck" says which libraries they belong to.');
    else if (copied > 0)
      output.note('Run it again until nothing is new, the last time with the service stopped.');
  },
  exitCode: ({ damaged }) => (damaged.length === 0 ? EXIT.done : EXIT.integrity),
});
