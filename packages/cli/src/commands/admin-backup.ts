import { type BackupResult, backUpService, restoreService } from '@bindery/server';
import { argument, defineCommand } from '../command.ts';
import { EXIT } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { count, formatBytes } from '../output/text.ts';
import { configurationOf, dataDir } from './on-database.ts';
import { inService } from './service-failures.ts';

/** How many lost objects are named one by one. */
const NAMED = 10;

export const backupCommand = defineCommand({
  name: 'backup',
  summary: 'Back up database and files into a folder, with the service running or not',
  description:
    'Every file is verified while it is copied, and a folder that holds an earlier backup gets only what is new. The ' +
    'folder is private to you: it holds the keys that sign tokens. Exit code 7: something is missing or damaged in the ' +
    'service itself; everything else is backed up.',
  inputs: { dir: argument('<dir>', 'folder of the backup, best on another disk'), dataDir },
  examples: [['bindery admin backup /backup/bindery', 'make a backup, or bring it up to date']],
  run: ({ dir, dataDir }, { environment }) =>
    inService(async () => backUpService(configurationOf(environment, dataDir), dir)),
  render: ({ libraries, objects, copied, bytes, lost }, output) => {
    output.line(
      `Backed up ${count(libraries, 'library', 'libraries')}: ${count(objects, 'object')}, ${copied} of them new (${formatBytes(bytes)}).`,
    );
    nameLost(lost, output);
  },
  exitCode: ({ lost }) => (lost.length === 0 ? EXIT.done : EXIT.integrity),
});

export const restoreCommand = defineCommand({
  name: 'restore',
  summary: 'Restore a backup into an empty data folder',
  description:
    'The service must not run. Every file is verified. Revisions go on a million later, so that clients do not take ' +
    'what they remember of lost ones for new ones. Exit code 7: the backup lacks something; everything else is there.',
  inputs: { dir: argument('<dir>', 'folder of the backup'), dataDir },
  examples: [
    ['bindery admin restore /backup/bindery --data-dir /var/lib/bindery', 'restore, then start the service'],
  ],
  run: ({ dir, dataDir }, { environment }) =>
    inService(async () => restoreService(configurationOf(environment, dataDir), dir)),
  render: ({ createdAt, libraries, objects, bytes, lost }, output) => {
    output.line(
      `Restored ${count(libraries, 'library', 'libraries')} as of ${createdAt}: ${count(objects, 'object')}, ${formatBytes(bytes)}.`,
    );
    output.note(
      'Tokens that were revoked after that are valid again; "bindery admin end-logins" ends those of an account.',
    );
    nameLost(lost, output);
  },
  exitCode: ({ lost }) => (lost.length === 0 ? EXIT.done : EXIT.integrity),
});

function nameLost(lost: BackupResult['lost'], output: Output): void {
  if (lost.length === 0) return;
  for (const { library, sha256, reason } of lost.slice(0, NAMED)) {
    output.warn(`${library}: the object ${sha256} is ${reason}.`);
  }
  if (lost.length > NAMED) output.warn(`… and ${lost.length - NAMED} more (--json lists all).`);
  output.warn('Who has a copy of such a library can mend it with "bindery library push --verify".');
}
