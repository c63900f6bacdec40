import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '@bindery/contract';
import { DESCRIPTION_FILE, DESCRIPTION_SCHEMA, type ModelDescription } from '../description.ts';
import { folderOfModel } from '../models.ts';
import { IMAGE_SIZE, imageGraph, TEXT_LENGTH, textGraph } from './graphs.ts';
import { END, PAD, smallVocabulary, tokenizerFile } from './vocabulary.ts';

export const SMALL_MODEL = 'bindery/small/colors';

/**
 * Writes the small model into a model folder: the inputs and outputs of SigLIP 2 in less than 2 MB, the same bytes
 * every time. It knows seven colours, and that words which share letters are similar. For tests and experiments.
 * @param folder where models are stored, as `BINDERY_MODEL_DIR`
 * @param id the id in its description; tests pass the id of the model that it stands in for
 */
export async function writeSmallModel(folder: string, id: string = SMALL_MODEL): Promise<ModelDescription> {
  const vocabulary = smallVocabulary();
  const contents = {
    'image.onnx': imageGraph(),
    'text.onnx': textGraph(vocabulary),
    'tokenizer.json': Buffer.from(tokenizerFile(vocabulary)),
  };
  const description: ModelDescription = {
    schema: DESCRIPTION_SCHEMA,
    id,
    dim: LIMITS.embedding.dimensions,
    image: {
      model: 'image.onnx',
      input: 'pixel_values',
      output: 'image_embeds',
      size: IMAGE_SIZE,
      resize: 'squash',
      mean: [0.5, 0.5, 0.5],
      std: [0.5, 0.5, 0.5],
    },
    text: {
      model: 'text.onnx',
      input: 'input_ids',
      output: 'text_embeds',
      tokenizer: 'tokenizer.json',
      length: TEXT_LENGTH,
      clean: 'canonicalize',
      start: null,
      end: END,
      pad: PAD,
    },
    files: Object.entries(contents).map(([name, bytes]) => ({
      name,
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })),
  };
  const own = folderOfModel(folder, id);
  await mkdir(own, { recursive: true });
  for (const [name, bytes] of Object.entries(contents)) await writeFile(join(own, name), bytes);
  await writeFile(join(own, DESCRIPTION_FILE), `${JSON.stringify(description, null, 2)}\n`);
  return description;
}
