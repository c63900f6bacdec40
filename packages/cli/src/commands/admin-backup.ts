import {
  type BackupPlace,
  type BackupResult,
  backUpService,
  restoreService,
  verifyBackup,
} from '@bindery/server';
import { argument, defineCommand, flag } from '../command.ts';
import { EXIT } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { formatBytes, formatCount } from '../output/text.ts';
import { configurationOf, dataDir, folderOrBucket, withServiceErrors } from './with-database.ts';

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
