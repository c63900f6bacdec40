import {
  type BackupPlace,
  type BackupResult,
  backUpService,
  isPostgresUrl,
  migrateDatabase,
  migrateSchema,
  migrateStorage,
  POSTGRES_URL,
  restoreService,
  type SchemaMigration,
  verifyBackup,
} from '@bindery/server';
import { argument, defineCommand, flag, type Parse, requiredOption, UsageProblem } from '../command.ts';
import { EXIT } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { formatBytes, formatCount, formatNumber } from '../output/text.ts';
import { folderOrBucket } from './folder-or-bucket.ts';
import { configurationOf, dataDir } from './with-database.ts';
import { withServiceErrors } from './with-service-errors.ts';

/** Maximum number of lost objects that are listed. */
const MAX_LISTED = 10;

const REPAIR_BY_PUSH =
  'Anyone with a copy of such a library can repair it with "bindery library push --verify".';
const REPAIR_BY_BACKUP =
  '"bindery admin backup --verify" copies whatever is damaged or missing again, if the service has it.';

const place = argument(
  '<place>',
  'a folder, preferably on another disk, or s3://bucket/prefix',
  folderOrBucket,
);

export const backupCommand = defineCommand({
  name: 'backup',
  summary: 'Back up database and files to a folder or bucket, whether the service is running or not',
  description:
    'Every file is verified as it is copied, and a place that holds an earlier backup gets only what is new. A ' +
    'folder is private to you: a backup holds the keys that sign tokens. A bucket is reached through the AWS_… variables, as for ' +
    'the service. Exit code 7: something is missing or damaged in the service itself; everything else was backed up.',
  inputs: {
    place,
    verify: flag('read what the backup already has, and copy anything damaged again'),
    dataDir,
  },
  examples: [
    ['bindery admin backup /backup/bindery', 'create a backup, or update it'],
    ['bindery admin backup s3://backups/bindery', 'into a bucket'],
  ],
  run: ({ place, verify, dataDir }, { environment }) =>
    withServiceErrors(async () => {
      const configuration = configurationOf(environment, dataDir);
      return backUpService(configuration, backupPlace(place, environment), { verify });
    }),
  render: ({ libraries, objects, copied, bytes, lost }, output) => {
    output.line(
      `Backed up ${formatCount(libraries, 'library', 'libraries')}: ${formatCount(objects, 'object')}, ${copied} of them new (${formatBytes(bytes)}).`,
    );
    warnOfLostObjects(lost, output);
    if (lost.length > 0) output.warn(REPAIR_BY_PUSH);
  },
  exitCode: ({ lost }) => (lost.length === 0 ? EXIT.done : EXIT.integrity),
});

export const restoreCommand = defineCommand({
  name: 'restore',
  summary: 'Restore a backup into an empty service, or verify that it can be restored',
  description:
    'The service must be stopped. Every file is verified. Revision numbers continue a million later, so that clients do not mistake ' +
    'lost revisions that they remember for new ones. With --verify the whole backup is read and nothing is restored. ' +
    'Exit code 7: something is missing from the backup; everything else is there.',
  inputs: { place, verify: flag('only read the whole backup and compare every hash'), dataDir },
  examples: [
    ['bindery admin restore /backup/bindery --data-dir /var/lib/bindery', 'restore, then start the service'],
    ['bindery admin restore s3://backups/bindery --verify', 'is the backup complete?'],
  ],
  run: ({ place, verify, dataDir }, { environment }) =>
    withServiceErrors(async () => {
      const configuration = configurationOf(environment, dataDir);
      const backup = backupPlace(place, environment);
      if (verify) return { verified: true, ...(await verifyBackup(backup)) };
      return { verified: false, ...(await restoreService(configuration, backup)) };
    }),
  render: ({ verified, createdAt, libraries, objects, bytes, lost }, output) => {
    const holds = `${formatCount(libraries, 'library', 'libraries')} as of ${createdAt}: ${formatCount(objects, 'object')}, ${formatBytes(bytes)}`;
    output.line(
      verified
        ? `Read ${holds}. ${lost.length === 0 ? 'The backup is complete.' : 'The backup is not complete.'}`
        : `Restored ${holds}.`,
    );
    if (!verified) {
      output.note(
        'Tokens that were revoked since then are valid again; "bindery admin end-logins" ends those of an account.',
      );
    }
    warnOfLostObjects(lost, output);
    if (lost.length > 0) output.warn(verified ? REPAIR_BY_BACKUP : REPAIR_BY_PUSH);
  },
  exitCode: ({ lost }) => (lost.length === 0 ? EXIT.done : EXIT.integrity),
});

function backupPlace(place: string, environment: NodeJS.ProcessEnv): BackupPlace {
  if (!place.startsWith('s3://')) return place;
  return configurationOf({ ...environment, BINDERY_OBJECTS: place }, undefined).s3 ?? place;
}

function warnOfLostObjects(lost: BackupResult['lost'], output: Output): void {
  for (const { library, sha256, reason } of lost.slice(0, MAX_LISTED)) {
    output.warn(`${library}: the object ${sha256} is ${reason}.`);
  }
  if (lost.length > MAX_LISTED)
    output.warn(`… and ${lost.length - MAX_LISTED} more (--json lists them all).`);
}

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
