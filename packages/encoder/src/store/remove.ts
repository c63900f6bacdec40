import { mkdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EncoderError } from '../errors.ts';
import { folderOfModel, modelId } from '../models.ts';
import { incomingOf } from './incoming.ts';
import { tryLock } from './lock.ts';

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
