import { constants } from 'node:fs';
import { chmod, copyFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DatabaseDumper, DatabaseRestorer } from '../../backup/ports.ts';
import { storedLibraries } from '../../backup/stored-library.ts';
import { unlessMissing } from '../../objects/missing.ts';
import { StartError } from '../../service/start-error.ts';
import { PRIVATE_FILE, syncFile, syncFolder } from '../objects/disk/files.ts';
import { openSqlite } from './sqlite.ts';

/** How long a dump waits for a checkpoint of the service to finish (milliseconds). */
const BUSY_TIMEOUT = 10_000;

const FORMAT = 'sqlite';

/** Dumps an SQLite database as of its last commit; the service can keep writing meanwhile. */
export function sqliteDumper(databaseFile: string): DatabaseDumper {
  return {
    format: FORMAT,
    dump: async (file) => {
      if ((await unlessMissing(stat(databaseFile))) === null) {
        throw new StartError(
          `There is no database ${databaseFile}. Name the data folder of the service with --data-dir.`,
        );
      }
      const database = new DatabaseSync(databaseFile, { timeout: BUSY_TIMEOUT });
      try {
        database.prepare('vacuum into ?').run(file);
      } finally {
        database.close();
      }
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

/** Restores a dumped database to a path where none exists. */
export function sqliteRestorer(databaseFile: string): DatabaseRestorer {
  return {
    format: FORMAT,
    requireEmpty: async () => {
      if ((await unlessMissing(stat(databaseFile))) === null) return;
      throw new StartError(
        `The database ${databaseFile} already exists. Restore into an empty folder with --data-dir.`,
      );
    },
    restore: async (file) => {
      const arriving = `${databaseFile}.arriving`;
      await copyFile(file, arriving, constants.COPYFILE_FICLONE);
      await chmod(arriving, PRIVATE_FILE);
      await syncFile(arriving);
      await rename(arriving, databaseFile);
      await syncFolder(dirname(databaseFile));
    },
  };
}
