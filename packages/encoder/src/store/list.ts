import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ModelFile, readDescription } from '../description.ts';
import { folderOfModel, modelId } from '../models.ts';
import { hashOf } from './hash.ts';
import { INCOMING } from './incoming.ts';

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
