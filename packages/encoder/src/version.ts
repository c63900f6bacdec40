import { createHash } from 'node:crypto';
import { type ModelDescription, readDescription } from './description.ts';
import { EncoderError } from './errors.ts';
import { INCLUDED_FACTS, INCLUDED_MODEL } from './included/included-model.ts';
import { modelId } from './models.ts';

/** Raised whenever this package turns the same picture or text into different numbers. */
const PREPARATION = 3;

/**
 * Hashes everything that determines the vectors of a model: how pictures and texts are prepared for it, and the bytes
 * of its files, regardless of their names and source. Equal versions give equal vectors.
 */
export function versionOf({ id, dim, image, text, files }: ModelDescription): string {
  const hashes = new Map(files.map(({ name, sha256 }) => [name, sha256]));
  const { script: _, ...preparation } = text;
  const decides = [
    PREPARATION,
    id,
    dim,
    image ? sorted({ ...image, model: hashes.get(image.model) }) : null,
    sorted({ ...preparation, model: hashes.get(text.model), tokenizer: hashes.get(text.tokenizer) }),
    [...hashes.values()].sort(),
  ];
  return createHash('sha256').update(JSON.stringify(decides)).digest('hex');
}

export interface ModelFacts {
  version: string;
  /** Number of dimensions of a vector. */
  dim: number;
  encodesImages: boolean;
}

/** What is known of an installed model; null if it is missing or damaged. Throws `RangeError` for an invalid name. */
export async function installedModel(folder: string, model: string): Promise<ModelFacts | null> {
  const id = modelId(model);
  if (id === INCLUDED_MODEL) return INCLUDED_FACTS;
  try {
    return factsOf(await readDescription(folder, id));
  } catch (error) {
    if (error instanceof EncoderError) return null;
    throw error;
  }
}

export function factsOf(description: ModelDescription): ModelFacts {
  const { dim, image } = description;
  return { version: versionOf(description), dim, encodesImages: image !== undefined };
}

function sorted(settings: object): [string, unknown][] {
  return Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
}
