import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DESCRIPTION_FILE,
  DESCRIPTION_SCHEMA,
  dataFilesOf,
  type ModelDescription,
  type ModelFile,
  parseDescription,
} from '../description.ts';
import { EncoderError } from '../errors.ts';
import { folderOfModel } from '../models.ts';
import { RECIPES } from '../recipes.ts';
import { hashOf } from './model-folder.ts';
import { type ModelSource, writeAt } from './source.ts';

/**
 * Reads a model from a folder on this machine: one with a `model.json`, another machine's model folder, or the bare
 * export of a model that is known by name. There is nothing to verify bare files against, so they are taken as found.
 */
export function folderSource(given: string): ModelSource {
  let folder = given;
  let paths: ReadonlyMap<string, string> = new Map();
  return {
    async describe(id) {
      const names = await readdir(folder).catch((cause) => {
        throw unreadable(folder, cause);
      });
      for (const place of [given, folderOfModel(given, id)]) {
        const file = join(place, DESCRIPTION_FILE);
        const bytes = await readFile(file).catch(unlessAbsent);
        if (bytes === null) continue;
        folder = place;
        return parseDescription(bytes, file);
      }
      const inner = await readdir(join(folder, 'onnx')).catch(() => []);
      const bare = await describeBareExport(id, {
        where: folder,
        paths: [...names, ...inner.map((name) => `onnx/${name}`)],
        measure: (path) => measure(join(folder, path)),
      });
      paths = bare.paths;
      return bare.description;
    },
    async copy({ name }, part, offset, arrived) {
      const path = join(folder, paths.get(name) ?? name);
      const file = await open(path).catch((cause) => {
        throw unreadable(path, cause);
      });
      let at = offset;
      for await (const chunk of file.createReadStream({ start: at })) {
        await writeAt(part, chunk, at);
        at += chunk.length;
        arrived(chunk.length);
      }
    },
  };
}

function unreadable(path: string, cause: NodeJS.ErrnoException): EncoderError {
  return new EncoderError('missing', `${path} ${UNREADABLE[cause.code ?? ''] ?? cause.message}.`, { cause });
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  ENOTDIR: 'is not a folder',
  EACCES: 'cannot be read',
};

function unlessAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}

async function measure(file: string): Promise<{ size: number; sha256: string }> {
  return { size: (await stat(file)).size, sha256: await hashOf(file) };
}

/** Where they are: all in one folder, or the models in a subfolder. */
const FOLDERS = ['', 'onnx/'];

/** The files of an export without a description. */
interface BareFiles {
  /** Names their location in errors. */
  where: string;
  paths: readonly string[];
  /** Size and SHA-256 of one of them. */
  measure(path: string): Promise<Omit<ModelFile, 'name'>>;
}

/**
 * Describes the bare export of a model that is known by name; the returned `paths` map each file name to its path.
 * Throws `EncoderError` (`missing`).
 */
export async function describeBareExport(
  id: string,
  { where, paths, measure }: BareFiles,
): Promise<{ description: ModelDescription; paths: Map<string, string> }> {
  const recipe = RECIPES.get(id);
  if (recipe === undefined) {
    throw new EncoderError('missing', `${where} has no model.json, and ${id} cannot be used without one.`);
  }
  const isThere = (path: string) => paths.includes(path);
  const find = (names: readonly string[]): string => {
    const found = names.flatMap((name) => FOLDERS.map((folder) => folder + name)).find(isThere);
    if (found !== undefined) return found;
    throw new EncoderError('missing', `${where} has no ${names.join(' or ')}.`);
  };
  const { names, hub: _, image: pictures, text: texts, ...known } = recipe;
  const image = pictures && { ...pictures, model: find(names.image) };
  const [text, tokenizer] = [find(names.text), find(names.tokenizer)];
  const models = [...(image ? [image.model] : []), text];
  // Large models store their weights in files next to the model.
  const all = [...models, tokenizer, ...models.flatMap(dataFilesOf).filter(isThere)];
  const files = await Promise.all(
    all.map(async (path): Promise<ModelFile> => ({ name: nameOf(path), ...(await measure(path)) })),
  );
  return {
    description: {
      schema: DESCRIPTION_SCHEMA,
      id,
      ...known,
      ...(image && { image: { ...image, model: nameOf(image.model) } }),
      text: { model: nameOf(text), tokenizer: nameOf(tokenizer), ...texts },
      files,
    },
    paths: new Map(all.map((path) => [nameOf(path), path])),
  };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
