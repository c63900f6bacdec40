import { createHash } from 'node:crypto';
import { type ModelDescription, readDescription } from './description.ts';
import { EncoderError } from './errors.ts';
import { INCLUDED_MODEL, INCLUDED_VERSION } from './included/included-model.ts';
import { modelId } from './models.ts';

/** Raised whenever this package turns the same picture or text into different numbers. */
const PREPARATION = 3;

/**
 * Hashes everything that determines the vectors of a model: how pictures and texts are prepared for it, and the bytes
 * of its files, regardless of their names and source. Equal versions give equal vectors.
 */
export function versionOf({ id, dim, image, text, files }: ModelDescription): string {
  const hashes = new Map(files.map(({ name, sha256 }) => [name, sha256]));
  const decides = [
    PREPARATION,
    id,
    dim,
    sorted({ ...image, model: hashes.get(image.model) }),
    sorted({ ...text, model: hashes.get(text.model), tokenizer: hashes.get(text.tokenizer) }),
    [...hashes.values()].sort(),
  ];
  return createHash('sha256').update(JSON.stringify(decides)).digest('hex');
}

/** The version of an installed model; null if it is missing or damaged. Throws `RangeError` for an invalid name. */
export async function installedVersion(folder: string, model: string): Promise<string | null> {
  const id = modelId(model);
  if (id === INCLUDED_MODEL) return INCLUDED_VERSION;
  try {
    return versionOf(await readDescription(folder, id));
  } catch (error) {
    if (error instanceof EncoderError) return null;
    throw error;
  }
}

function sorted(settings: object): [string, unknown][] {
  return Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
}
