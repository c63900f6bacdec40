import { LIMITS } from '@bindery/contract';
import { type Graph, type Tensor, writeOnnx } from './onnx.ts';
import { normalNumbers } from './random.ts';
import { COLOR_WORDS, colorToken, END, PAD, type Vocabulary } from './vocabulary.ts';

export const IMAGE_SIZE = 224;
export const TEXT_LENGTH = 64;

const DIM = LIMITS.embedding.dimensions;

/** The model sees a picture as 4 × 4 cells of 56 px. */
const CELL = 56;
const CELLS = (IMAGE_SIZE / CELL) ** 2;

/**
 * How much of a colour a cell has: weights of red, green and blue from -1 to 1, and a threshold. White has a low weight
 * because it is the background of most pictures.
 */
const DETECTORS: Readonly<
  Record<(typeof COLOR_WORDS)[number] | 'any', readonly [number, number, number, number]>
> = {
  red: [1, -0.5, -0.5, -0.3],
  green: [-0.5, 1, -0.5, -0.3],
  blue: [-0.5, -0.5, 1, -0.3],
  yellow: [0.5, 0.5, -1, -0.3],
  purple: [0.5, -1, 0.5, -0.3],
  white: [0.1, 0.1, 0.1, -0.1],
  black: [-0.3, -0.3, -0.3, -0.1],
  // Constant, so that no picture yields a zero vector.
  any: [0, 0, 0, 0.05],
};
const NAMES = Object.keys(DETECTORS) as (keyof typeof DETECTORS)[];
const FEATURES = NAMES.length * CELLS;

/** Weight of a token's own direction relative to a colour. */
const TOKEN_WEIGHT = 0.15;

/** `pixel_values [n, 3, 224, 224]` → `image_embeds [n, 768]`: colours by cell, through a fixed projection. */
export function imageGraph(): Uint8Array {
  return writeOnnx({
    inputs: [{ name: 'pixel_values', element: 'float', dims: ['n', 3, IMAGE_SIZE, IMAGE_SIZE] }],
    outputs: [{ name: 'image_embeds', element: 'float', dims: ['n', DIM] }],
    constants: [
      floats(
        'weights',
        [NAMES.length, 3, 1, 1],
        NAMES.flatMap((name) => DETECTORS[name].slice(0, 3)),
      ),
      floats(
        'thresholds',
        [NAMES.length],
        NAMES.map((name) => DETECTORS[name][3]),
      ),
      projection(),
    ],
    operations: [
      {
        operator: 'AveragePool',
        inputs: ['pixel_values'],
        output: 'cells',
        integers: { kernel_shape: [CELL, CELL], strides: [CELL, CELL] },
      },
      { operator: 'Conv', inputs: ['cells', 'weights', 'thresholds'], output: 'detected' },
      { operator: 'Relu', inputs: ['detected'], output: 'colors' },
      { operator: 'Flatten', inputs: ['colors'], output: 'features', integers: { axis: 1 } },
      { operator: 'MatMul', inputs: ['features', 'projection'], output: 'image_embeds' },
    ],
  });
}

/** `input_ids [n, 64]` → `text_embeds [n, 768]`: the sum of the tokens' features, through the same projection. */
export function textGraph(vocabulary: Vocabulary): Uint8Array {
  const graph: Graph = {
    inputs: [{ name: 'input_ids', element: 'int64', dims: ['n', TEXT_LENGTH] }],
    outputs: [{ name: 'text_embeds', element: 'float', dims: ['n', DIM] }],
    constants: [
      floats('table', [vocabulary.tokens.length, FEATURES], tokenFeatures(vocabulary)),
      { name: 'positions', dims: [1], numbers: BigInt64Array.of(1n) },
      projection(),
    ],
    operations: [
      { operator: 'Gather', inputs: ['table', 'input_ids'], output: 'rows' },
      { operator: 'ReduceSum', inputs: ['rows', 'positions'], output: 'features', integers: { keepdims: 0 } },
      { operator: 'MatMul', inputs: ['features', 'projection'], output: 'text_embeds' },
    ],
  };
  return writeOnnx(graph);
}

function projection(): Tensor {
  const next = normalNumbers(7);
  return floats('projection', [FEATURES, DIM], Array.from({ length: FEATURES * DIM }, next));
}

function tokenFeatures(vocabulary: Vocabulary): Float32Array {
  const next = normalNumbers(11);
  const table = Float32Array.from(
    { length: vocabulary.tokens.length * FEATURES },
    () => next() * TOKEN_WEIGHT,
  );
  const row = (id: number) => table.subarray(id * FEATURES, (id + 1) * FEATURES);
  row(PAD).fill(0);
  row(END).set(featuresOf('any', 0.05));
  for (const color of COLOR_WORDS) row(colorToken(vocabulary, color)).set(featuresOf(color, 1));
  return table;
}

/** The features of a picture that is all one colour. */
function featuresOf(name: keyof typeof DETECTORS, strength: number): number[] {
  return NAMES.flatMap((other) => new Array<number>(CELLS).fill(other === name ? strength : 0));
}

function floats(name: string, dims: readonly number[], numbers: ArrayLike<number>): Tensor {
  return { name, dims, numbers: Float32Array.from(numbers) };
}
