import { join } from 'node:path';
import type { ModelDescription } from '../description.ts';
import { loadTokenizer } from '../text/tokens.ts';
import { normalizeRows } from './normalize-rows.ts';
import { openSession, SILENT } from './session.ts';

/** Loads the text half of a model. The returned function encodes texts and concatenates their vectors. */
export async function loadTextHalf(
  folder: string,
  { text, dim }: ModelDescription,
  threads: number,
): Promise<(texts: readonly string[]) => Promise<Float32Array>> {
  const tokenize = await loadTokenizer(join(folder, text.tokenizer), text);
  const { runtime, inference } = await openSession(join(folder, text.model), threads);
  const wantsMask = inference.inputNames.includes('attention_mask');
  return async (texts) => {
    const ids = texts.map(tokenize);
    const shape = [texts.length, text.length];
    const tensor = (numbers: number[]) =>
      new runtime.Tensor('int64', BigInt64Array.from(numbers, BigInt), shape);
    const answers = await inference.run(
      {
        [text.input]: tensor(ids.flat()),
        // The models were trained without a mask, so every position counts, padding included.
        ...(wantsMask && { attention_mask: tensor(new Array<number>(ids.length * text.length).fill(1)) }),
      },
      [text.output],
      { logSeverityLevel: SILENT },
    );
    return normalizeRows(answers[text.output], texts.length, dim);
  };
}
