import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { EncoderError } from './errors.ts';
import { INCLUDED_MODEL } from './included/included-model.ts';

/**
 * Short names that `--model` and `BINDERY_ENCODER` accept besides any `<library>/<model>/<pretrained>`. Sidecars have 768
 * dimensions, so `clip` is the CLIP model whose projection has 768, ViT-L/14; `clip-small`, ViT-B/32, has 512.
 */
export const MODEL_NAMES: Readonly<Record<string, string>> = {
  siglip2: 'open_clip/ViT-B-16-SigLIP2/webli',
  'siglip2-small': 'open_clip/ViT-B-16-SigLIP2/webli-int8',
  clip: 'open_clip/ViT-L-14/openai',
  'clip-small': 'open_clip/ViT-B-32/openai-int8',
  minilm: 'sentence_transformers/all-MiniLM-L6-v2/int8',
  'minilm-multilingual': 'sentence_transformers/paraphrase-multilingual-MiniLM-L12-v2/int8',
  included: INCLUDED_MODEL,
};

export const DEFAULT_MODEL_NAME = 'siglip2';

const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * Returns the id of a model, `<encoder library>/<model>/<pretrained>` as in a sidecar, given its short name or the id
 * itself. Throws `RangeError` with the rule for anything else.
 */
export function modelId(name: string): string {
  const id = Object.hasOwn(MODEL_NAMES, name) ? (MODEL_NAMES[name] as string) : name;
  const segments = id.split('/');
  if (segments.length === 3 && segments.every((segment) => SEGMENT.test(segment))) return id;
  const known = Object.keys(MODEL_NAMES).join(', ');
  throw new RangeError(`a model is ${known} or <library>/<model>/<pretrained>`);
}

/** Where models are stored: `BINDERY_MODEL_DIR`, else `bindery/models` in the user's data folder. */
export function modelFolder(environment: NodeJS.ProcessEnv): string {
  if (environment.BINDERY_MODEL_DIR) return resolve(environment.BINDERY_MODEL_DIR);
  const data = environment.XDG_DATA_HOME || join(homedir(), '.local', 'share');
  return join(data, 'bindery', 'models');
}

/** The folder of one model. */
export function folderOfModel(folder: string, id: string): string {
  return join(folder, ...id.split('/'));
}

/** The name that a user types for a model: its short name if it has one, else its id. */
export function shortName(id: string): string {
  const known = Object.entries(MODEL_NAMES).find(([, named]) => named === id);
  return known?.[0] ?? id;
}

export function modelMissing(folder: string, id: string): EncoderError {
  return new EncoderError(
    'missing',
    `The model ${id} is not in ${folder}. "bindery model pull ${shortName(id)}" downloads it.`,
  );
}
