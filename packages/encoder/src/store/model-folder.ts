import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ModelFile, readDescription } from '../description.ts';
import { EncoderError } from '../errors.ts';
import { folderOfModel, modelId } from '../models.ts';

export interface InstalledModel {
  id: string;
  folder: string;
  bytes: number;
  /** Why the model cannot be used; null if every file is present and intact. */
  problem: string | null;
}

/** Lists every model in the model folder, sorted by id. Reads all of their files to verify them. */
export async function listModels(folder: string): Promise<InstalledModel[]> {
  const models: InstalledModel[] = [];
  for (const library of await foldersIn(folder)) {
    for (const model of await foldersIn(join(folder, library))) {
      for (const pretrained of await foldersIn(join(folder, library, model))) {
        models.push(await inspectModel(folder, `${library}/${model}/${pretrained}`));
      }
    }
  }
  return models.sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function inspectModel(folder: string, id: string): Promise<InstalledModel> {
  const own = folderOfModel(folder, id);
  try {
    const { files } = await readDescription(folder, modelId(id));
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    for (const { name, size, sha256 } of files) {
      const problem = await problemOf(join(own, name), { size, sha256 });
      if (problem !== null) return { id, folder: own, bytes, problem: `${name} is ${problem}` };
    }
    return { id, folder: own, bytes, problem: null };
  } catch (error) {
    return { id, folder: own, bytes: 0, problem: (error as Error).message };
  }
}

async function problemOf(file: string, { size, sha256 }: Omit<ModelFile, 'name'>): Promise<string | null> {
  const found = await stat(file).catch(() => null);
  if (found === null) return 'missing';
  return found.size === size && (await hashOf(file)) === sha256 ? null : 'damaged';
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory() && entry.name !== INCOMING).map(({ name }) => name);
}

/**
 * Removes a model from the model folder in one step, and what an unfinished pull of it left behind. Throws
 * `EncoderError` (`missing`).
 */
export async function removeModel(folder: string, model: string): Promise<{ id: string; folder: string }> {
  const id = modelId(model);
  const own = folderOfModel(folder, id);
  const { root, files } = incomingOf(folder, id);
  const gone = `${files}.removed`;
  await rm(gone, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  const installed = await rename(own, gone).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return false;
    },
  );
  await rm(gone, { recursive: true, force: true });
  const unfinished = await removeUnfinished(folder, id);
  if (!installed && !unfinished) {
    throw new EncoderError('missing', `The model ${id} is not in ${folder}.`);
  }
  for (const parent of [dirname(own), dirname(dirname(own))]) await rmdir(parent).catch(() => {});
  return { id, folder: own };
}

/** Leaves the files of a pull in progress alone. Returns whether there was something to remove. */
async function removeUnfinished(folder: string, id: string): Promise<boolean> {
  const { files, lock } = incomingOf(folder, id);
  if ((await stat(files).catch(() => null)) === null) return false;
  const release = await tryLock(lock);
  if (release === null) return false;
  await rm(files, { recursive: true, force: true });
  release();
  return true;
}

/** Folder of pulls in progress, next to the models so that a rename installs a finished one. */
const INCOMING = '.incoming';

/** Paths for the pull of a model: its incoming files, its lock, and the model that it replaces. */
export function incomingOf(
  folder: string,
  id: string,
): { root: string; files: string; lock: string; old: string } {
  const root = join(folder, INCOMING);
  const files = join(root, id.replaceAll('/', '__'));
  return { root, files, lock: `${files}.lock`, old: `${files}.old` };
}

const BUSY = 5;
const LOOK_EVERY = 250;

/**
 * Acquires the lock, waiting while somebody else holds it, and returns a function that releases it. The lock is an
 * exclusive transaction on a dedicated SQLite file, so the operating system releases it however the process ends.
 * @param waiting called once if somebody else holds the lock
 */
export async function lock(
  file: string,
  { waiting, signal }: { waiting?: (() => void) | undefined; signal?: AbortSignal | undefined } = {},
): Promise<() => void> {
  for (let told = false; ; told = true) {
    const release = await tryLock(file);
    if (release !== null) return release;
    if (!told) waiting?.();
    await sleep(LOOK_EVERY, undefined, { signal });
  }
}

/** Acquires the lock, or returns null if somebody else holds it. */
async function tryLock(file: string): Promise<(() => void) | null> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('begin exclusive');
    return () => database.close();
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === BUSY) return null;
    throw error;
  }
}

const MIB = 1_048_576;

/** Throws `EncoderError` (`failed`) if the bytes of the files that are still missing do not fit on the disk. */
export async function requireRoom(incoming: string, files: readonly ModelFile[]): Promise<void> {
  let wanted = 0;
  for (const { name, size } of files) {
    const there = await Promise.all([name, `${name}.part`].map((path) => sizeOf(join(incoming, path))));
    wanted += Math.max(0, size - Math.max(...there));
  }
  const { bavail, bsize } = await statfs(incoming);
  if (wanted <= bavail * bsize) return;
  const [needs, has] = [Math.ceil(wanted / MIB), Math.floor((bavail * bsize) / MIB)];
  throw new EncoderError(
    'failed',
    `${incoming} needs ${needs} MiB more, and ${has} MiB of its disk are free.`,
  );
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  return found?.size ?? 0;
}

/** Converts an error about a full or unwritable model folder to an `EncoderError`; returns other errors unchanged. */
export function asDiskError(error: unknown, folder: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const message = `The disk of ${folder} is full. What has arrived is kept, and the next pull resumes there.`;
    return new EncoderError('failed', message, { cause: error });
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    const message = `${folder} cannot be written (${code}). Set BINDERY_MODEL_DIR to use another folder.`;
    return new EncoderError('refused', message, { cause: error });
  }
  return error;
}

/** The SHA-256 of a file, in lowercase hex. */
export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1_048_576 }), hash);
  return hash.digest('hex');
}
