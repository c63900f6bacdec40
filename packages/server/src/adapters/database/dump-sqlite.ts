import { constants, existsSync } from 'node:fs';
import { chmod, copyFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { storedLibraries } from '../../backup/library-objects.ts';
import type { DatabaseDumper, DatabaseRestorer } from '../../backup/ports.ts';
import { StartError } from '../../errors.ts';
import { unlessMissing } from '../../objects/missing.ts';
import { PRIVATE_FILE, syncFile, syncFolder } from '../objects/files.ts';
import { openSqlite } from './sqlite.ts';
import { restoringFile } from './unfinished-restore.ts';

/** How long a dump waits for a checkpoint of the service to finish (milliseconds). */
const BUSY_TIMEOUT = 10_000;

const FORMAT = 'sqlite';

/** What SQLite keeps beside a database, and applies to whichever database has that name. */
const LOG_SUFFIXES = ['-wal', '-shm', '-journal'];

/** Dumps an SQLite database as of its last commit; the service can keep writing meanwhile. */
export function sqliteDumper(databaseFile: string): DatabaseDumper {
  return {
    format: FORMAT,
    dump: async (file) => {
      withSqlite(databaseFile, (database) => database.prepare('vacuum into ?').run(file));
      await chmod(file, PRIVATE_FILE);
      const copy = openSqlite(file);
      try {
        return await storedLibraries(copy);
      } finally {
        await copy.destroy();
      }
    },
  };
}

/** Restores a dumped database beside a path where none exists, and moves it there at the end. */
export function sqliteRestorer(databaseFile: string): DatabaseRestorer {
  const restoring = restoringFile(databaseFile);
  return {
    format: FORMAT,
    prepare: async () => {
      if ((await unlessMissing(stat(databaseFile))) !== null) {
        throw new StartError(
          `The database ${databaseFile} already exists. Restore into an empty folder with --data-dir.`,
        );
      }
      requireNoLeftOverLog(databaseFile);
      for (const suffix of ['', ...LOG_SUFFIXES]) await rm(restoring + suffix, { force: true });
    },
    restore: async (file) => {
      await copyFile(file, restoring, constants.COPYFILE_FICLONE);
      await chmod(restoring, PRIVATE_FILE);
      return restoring;
    },
    finish: async () => {},
    publish: async () => {
      await syncFile(restoring);
      await rename(restoring, databaseFile);
      await syncFolder(dirname(databaseFile));
    },
    // The lock of the data folder keeps others out.
    release: async () => {},
  };
}

/** Throws `StartError` if there is a log of a database that is gone. */
function requireNoLeftOverLog(file: string): void {
  const found = LOG_SUFFIXES.map((suffix) => file + suffix).filter((path) => existsSync(path));
  if (found.length === 0) return;
  throw new StartError(
    `${found.join(' and ')} ${found.length === 1 ? 'belongs' : 'belong'} to a database that is not there any more. ` +
      'Move the database and these files to the same place, and try again.',
  );
}

function withSqlite(file: string, work: (database: DatabaseSync) => unknown): void {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT });
  try {
    work(database);
  } finally {
    database.close();
  }
}
