import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '@bindery/contract';
import {
  DESCRIPTION_FILE,
  DESCRIPTION_SCHEMA,
  dataFilesOf,
  type ImageDescription,
  type ModelDescription,
  type ModelFile,
  parseDescription,
  type TextDescription,
} from '../description.ts';
import { EncoderError } from '../errors.ts';
import { folderOfModel } from '../models.ts';
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

/** The file names that exports use; the first one found is taken. */
const NAMES = {
  image: ['image.onnx', 'vision_model.onnx'],
  text: ['text.onnx', 'text_model.onnx'],
  tokenizer: ['tokenizer.json'],
} as const;

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
  const [image, text, tokenizer] = [find(NAMES.image), find(NAMES.text), find(NAMES.tokenizer)];
  // Large models store their weights in files next to the model.
  const data = [image, text].flatMap(dataFilesOf).filter(isThere);
  const all = [image, text, tokenizer, ...data];
  const files = await Promise.all(
    all.map(async (path): Promise<ModelFile> => ({ name: nameOf(path), ...(await measure(path)) })),
  );
  return {
    description: {
      schema: DESCRIPTION_SCHEMA,
      id,
      dim: LIMITS.embedding.dimensions,
      image: { model: nameOf(image), ...recipe.image },
      text: { model: nameOf(text), tokenizer: nameOf(tokenizer), ...recipe.text },
      files,
    },
    paths: new Map(all.map((path) => [nameOf(path), path])),
  };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** How a model known by name expects its pictures and texts, for exports that come without a description. */
interface Recipe {
  image: Omit<ImageDescription, 'model'>;
  text: Omit<TextDescription, 'model' | 'tokenizer'>;
}

/**
 * SigLIP 2. Pictures: open_clip `ViT-B-16-SigLIP2.json` (224 px) with the SigLIP defaults of `pretrained.py` (mean and
 * deviation 0.5, bicubic, squashed). Texts: the same file (64 tokens, `clean: canonicalize`) with the Gemma vocabulary,
 * whose tokenizer adds no token before the text, `<eos>` (1) after it and `<pad>` (0) up to the length; the last
 * position is pooled, so the padding matters. Outputs have the names that ONNX exports of transformers'
 * `SiglipVisionModel` and `SiglipTextModel` give them.
 */
const SIGLIP2: Recipe = {
  image: {
    input: 'pixel_values',
    output: 'pooler_output',
    size: 224,
    resize: 'squash',
    mean: [0.5, 0.5, 0.5],
    std: [0.5, 0.5, 0.5],
  },
  text: {
    input: 'input_ids',
    output: 'pooler_output',
    length: 64,
    clean: 'canonicalize',
    start: null,
    end: 1,
    pad: 0,
  },
};

/**
 * OpenAI's CLIP. Pictures: open_clip `constants.py` (mean and deviation of the training set) and `transform.py`
 * (224 px, bicubic on the shorter side, centre crop). Texts: open_clip `tokenizer.py` (77 tokens, lower case,
 * `<start_of_text>` 49406 before, `<end_of_text>` 49407 after, even if the text is truncated, then zeros). Outputs have
 * the names that exports of transformers' `CLIPVisionModelWithProjection` and `CLIPTextModelWithProjection` give them.
 */
const CLIP: Recipe = {
  image: {
    input: 'pixel_values',
    output: 'image_embeds',
    size: 224,
    resize: 'shortest',
    mean: [0.48145466, 0.4578275, 0.40821073],
    std: [0.26862954, 0.26130258, 0.27577711],
  },
  text: {
    input: 'input_ids',
    output: 'text_embeds',
    length: 77,
    clean: 'lower',
    start: 49_406,
    end: 49_407,
    pad: 0,
  },
};

export const RECIPES: ReadonlyMap<string, Recipe> = new Map([
  ['open_clip/ViT-B-16-SigLIP2/webli', SIGLIP2],
  ['open_clip/ViT-L-14/openai', CLIP],
]);
