import { LIMITS } from '@bindery/contract';
import { DESCRIPTION_SCHEMA, dataFilesOf, type ModelDescription, type ModelFile } from '../description.ts';
import { EncoderError } from '../errors.ts';
import { RECIPES } from '../recipes.ts';

/** The file names that exports use; the first one found is taken. */
const NAMES = {
  image: ['image.onnx', 'vision_model.onnx'],
  text: ['text.onnx', 'text_model.onnx'],
  tokenizer: ['tokenizer.json'],
} as const;

/** Where they are: all in one folder, or the models in a subfolder. */
const FOLDERS = ['', 'onnx/'];

/** The files of an export without a description. */
export interface BareFiles {
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
