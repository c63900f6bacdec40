import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DESCRIPTION_FILE } from '../src/description.ts';
import { folderOfModel } from '../src/models.ts';
import { type Operation, type Tensor, writeOnnx } from './onnx.ts';
import { writeSmallModel } from './small-model.ts';

const TOKENS = 2_000;

const HANGING_STEPS = 2_800;

/** Text halves that do what a model should never do. All have the inputs and outputs of the small model. */
export const BROKEN_TEXT = {
  /** The root of a negative number. */
  'not a number': () => text(table(768, -1), [{ operator: 'Sqrt', inputs: ['sum'], output: 'text_embeds' }]),
  zero: () => text(table(768, 0), [{ operator: 'Identity', inputs: ['sum'], output: 'text_embeds' }]),
  'too narrow': () => text(table(512, 1), [{ operator: 'Identity', inputs: ['sum'], output: 'text_embeds' }]),
  /** Tokens beyond the table are an error of the runtime. */
  throws: () => text(table(768, 1, 1), [{ operator: 'Identity', inputs: ['sum'], output: 'text_embeds' }]),
  /** So much arithmetic that it takes seconds on a fast machine too. */
  hangs: () => {
    const steps = Array.from({ length: HANGING_STEPS }, (_, step): Operation => {
      const output = `step${step}`;
      return { operator: 'MatMul', inputs: [step === 0 ? 'rows' : `step${step - 1}`, 'square'], output };
    });
    const last: Operation = { operator: 'Max', inputs: ['sum', 'one'], output: 'text_embeds' };
    const one = floats('one', [1], 1);
    const kept: Operation = {
      operator: 'ReduceSum',
      inputs: [`step${HANGING_STEPS - 1}`, 'positions'],
      output: 'kept',
      integers: { keepdims: 0 },
    };
    return text(
      table(768, 1),
      [...steps, kept, { ...last, inputs: ['sum', 'kept', 'one'] }],
      [floats('square', [768, 768], 0.001), one],
    );
  },
  /** No fault that can be seen: the same for every text. */
  'says one thing': () =>
    text(table(768, 1), [{ operator: 'Identity', inputs: ['sum'], output: 'text_embeds' }]),
  'no model at all': () => new TextEncoder().encode('not an ONNX file'),
} as const;

/** Writes the small model with another text half. */
export async function writeBrokenModel(
  folder: string,
  kind: keyof typeof BROKEN_TEXT,
  id?: string,
): Promise<string> {
  const description = await writeSmallModel(folder, id);
  const bytes = BROKEN_TEXT[kind]();
  const own = folderOfModel(folder, description.id);
  await writeFile(join(own, description.text.model), bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const files = description.files.map((file) =>
    file.name === description.text.model ? { ...file, size: bytes.length, sha256 } : file,
  );
  await writeFile(join(own, DESCRIPTION_FILE), JSON.stringify({ ...description, files }));
  return description.id;
}

function text(rows: Tensor, operations: readonly Operation[], constants: readonly Tensor[] = []): Uint8Array {
  return writeOnnx({
    inputs: [{ name: 'input_ids', element: 'int64', dims: ['n', 64] }],
    outputs: [{ name: 'text_embeds', element: 'float', dims: ['n', rows.dims[1] as number] }],
    constants: [rows, { name: 'positions', dims: [1], numbers: BigInt64Array.of(1n) }, ...constants],
    operations: [
      { operator: 'Gather', inputs: ['table', 'input_ids'], output: 'rows' },
      { operator: 'ReduceSum', inputs: ['rows', 'positions'], output: 'sum', integers: { keepdims: 0 } },
      ...operations,
    ],
  });
}

function table(dim: number, value: number, tokens = TOKENS): Tensor {
  return floats('table', [tokens, dim], value);
}

function floats(name: string, dims: readonly number[], value: number): Tensor {
  const count = dims.reduce((product, size) => product * size, 1);
  return { name, dims, numbers: new Float32Array(count).fill(value) };
}
