import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '@bindery/contract';
import {
  DESCRIPTION_FILE,
  DESCRIPTION_SCHEMA,
  type ModelDescription,
  type ModelFile,
  parseDescription,
} from '../description.ts';
import { EncoderError } from '../errors.ts';
import { RECIPES } from '../recipes.ts';
import { hashOf } from './hash.ts';
import type { ModelSource } from './source.ts';

/** What exports call the files of a model; the first that is there counts. */
const NAMES = {
  image: ['image.onnx', 'vision_model.onnx'],
  text: ['text.onnx', 'text_model.onnx'],
  tokenizer: ['tokenizer.json'],
} as const;

/**
 * A folder on this machine: with a `model.json`, or the bare files of a model that is known by name, as exports write
 * them. Of bare files the hashes are taken as they are.
 */
export function folderSource(folder: string): ModelSource {
  return {
    async describe(id) {
      const names = await readdir(folder).catch((cause: Error) => {
        throw new EncoderError('missing', `${folder} cannot be read: ${cause.message}`, { cause });
      });
      if (!names.includes(DESCRIPTION_FILE)) return describeBare(folder, names, id);
      const file = join(folder, DESCRIPTION_FILE);
      return parseDescription(await readFile(file), file);
    },
    async copy({ name }, part, offset, arrived) {
      for await (const chunk of createReadStream(join(folder, name), { start: offset })) {
        await part.write(chunk);
        arrived(chunk.length);
      }
    },
  };
}

async function describeBare(folder: string, names: readonly string[], id: string): Promise<ModelDescription> {
  const recipe = RECIPES.get(id);
  if (recipe === undefined) {
    throw new EncoderError(
      'missing',
      `${folder} has no ${DESCRIPTION_FILE}, and ${id} is not known without one.`,
    );
  }
  const find = (candidates: readonly string[]): string => {
    const found = candidates.find((name) => names.includes(name));
    if (found !== undefined) return found;
    throw new EncoderError('missing', `${folder} has no ${candidates.join(' or ')}.`);
  };
  const [image, text, tokenizer] = [find(NAMES.image), find(NAMES.text), find(NAMES.tokenizer)];
  // Large models keep their numbers in files beside the model.
  const data = names.filter((name) => [image, text].some((model) => isDataOf(model, name)));
  return {
    schema: DESCRIPTION_SCHEMA,
    id,
    dim: LIMITS.embedding.dimensions,
    image: { model: image, ...recipe.image },
    text: { model: text, tokenizer, ...recipe.text },
    files: await Promise.all([image, text, tokenizer, ...data].map((name) => fileOf(folder, name))),
  };
}

function isDataOf(model: string, name: string): boolean {
  return name === `${model}_data` || name === `${model}.data`;
}

async function fileOf(folder: string, name: string): Promise<ModelFile> {
  const file = join(folder, name);
  return { name, size: (await stat(file)).size, sha256: await hashOf(file) };
}
