import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folderOfModel } from '../src/index.ts';
import type { Repository } from './hub.ts';
import { SMALL_MODEL, writeSmallModel } from './small-model.ts';

export const COMMIT = 'c0'.repeat(20);

/** The small model as repositories: with a description of its own, and as exports of known models look. */
export async function smallRepositories(folder: string): Promise<{ own: Repository; bare: Repository }> {
  await writeSmallModel(folder);
  const origin = folderOfModel(folder, SMALL_MODEL);
  const file = async (name: string, large: boolean) => ({ bytes: await readFile(join(origin, name)), large });
  const [image, text, tokenizer] = await Promise.all([
    file('image.onnx', true),
    file('text.onnx', true),
    file('tokenizer.json', false),
  ]);
  return {
    own: {
      commit: COMMIT,
      files: {
        'README.md': { bytes: Buffer.from('# A model'), large: false },
        'model.json': await file('model.json', false),
        'image.onnx': image,
        'text.onnx': text,
        'tokenizer.json': tokenizer,
      },
    },
    bare: {
      commit: COMMIT,
      files: {
        'onnx/model.onnx': { bytes: Buffer.from('both halves in one'), large: true },
        'onnx/vision_model.onnx': image,
        'onnx/vision_model_int8.onnx': { bytes: Buffer.from('another precision'), large: true },
        'onnx/text_model.onnx': text,
        'tokenizer.json': tokenizer,
      },
    },
  };
}
