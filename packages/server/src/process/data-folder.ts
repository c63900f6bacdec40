import { chmod } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isSqliteBusy, sqliteReason } from '../database/failures.ts';
import { makeFolders } from './make-folders.ts';
import { StartError } from './start-error.ts';

/** The folder that holds everything the service stores on this machine; one process serves it at a time. */
export interface DataFolder {
  path: string;
  databaseFile: string;
  objects: string;
  /** Releases the folder for another process. */
  release(): void;
}

/** Returns where things are stored in a data folder. */
export function dataFolderLayout(dataDir: string): Pick<DataFolder, 'path' | 'databaseFile' | 'objects'> {
  const path = resolve(dataDir);
  return { path, databaseFile: join(path, 'bindery.db'), objects: join(path, 'objects') };
}

/** Creates the folder if it is missing, private to the user of this process (0700). Throws `StartError`. */
export async function makeDataFolder(dataDir: string): Promise<void> {
  const { path } = dataFolderLayout(dataDir);
  try {
    await makeFolders(path, 0o700);
    await chmod(path, 0o700);
  } catch (error) {
    throw new StartError(
      `The data folder ${path} cannot be written (${(error as NodeJS.ErrnoException).code}). ` +
        'Make it a folder that this user owns, or choose another with --data-dir or BINDERY_DATA_DIR.',
      { cause: error },
    );
  }
}

/** Creates the folder and locks it for this process. Throws `StartError` if another process serves it. */
export async function lockDataFolder(dataDir: string): Promise<DataFolder> {
  await makeDataFolder(dataDir);
  const layout = dataFolderLayout(dataDir);
  return { ...layout, release: acquireLock(layout.path) };
}

/**
 * Takes a lock that the operating system releases with the process, however it terminates: an exclusive transaction on
 * a dedicated SQLite file. A file with a process id would outlive a crash.
 */
function acquireLock(path: string): () => void {
  const file = join(path, 'serving.lock');
  let lock: DatabaseSync | null = null;
  try {
    lock = new DatabaseSync(file, { timeout: 0 });
    lock.exec('begin exclusive');
    return () => lock?.close();
  } catch (error) {
    lock?.close();
    throw new StartError(
      isSqliteBusy(error)
        ? `Another Bindery is already using the data folder ${path}. Stop it first, or choose another with --data-dir.`
        : `The data folder ${path} cannot be locked with its file ${file}: ${sqliteReason(error) ?? (error as Error).message}. ` +
            'Or choose another folder with --data-dir or BINDERY_DATA_DIR.',
      { cause: error },
    );
  }
}
