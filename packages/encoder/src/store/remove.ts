import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { folderOfModel, modelId, modelMissing } from '../models.ts';
import { INCOMING } from './pull.ts';

/** Takes a model out of the folder of models, at once and whole. Throws `EncoderError` (`missing`). */
export async function removeModel(folder: string, model: string): Promise<{ id: string; folder: string }> {
  const id = modelId(model);
  const own = folderOfModel(folder, id);
  const gone = join(folder, INCOMING, `${id.replaceAll('/', '__')}.removed`);
  await rm(gone, { recursive: true, force: true });
  await mkdir(dirname(gone), { recursive: true });
  await rename(own, gone).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? modelMissing(folder, id) : error;
  });
  await rm(gone, { recursive: true, force: true });
  for (const parent of [dirname(own), dirname(dirname(own))]) await rmdir(parent).catch(() => {});
  return { id, folder: own };
}
