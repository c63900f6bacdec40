import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '@bindery/contract';
import { DESCRIPTION_FILE, DESCRIPTION_SCHEMA, type ModelDescription } from '../src/description.ts';
import { folderOfModel } from '../src/models.ts';
import { type Graph, type Tensor, writeOnnx } from './onnx.ts';

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

const IMAGE_SIZE = 224;
const TEXT_LENGTH = 64;

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
function imageGraph(): Uint8Array {
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
function textGraph(vocabulary: Vocabulary): Uint8Array {
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

/** The colours that the image half detects. Each word is one token. */
const COLOR_WORDS = ['red', 'green', 'blue', 'yellow', 'purple', 'white', 'black'] as const;

const PAD = 0;
const END = 1;

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/** How byte-level tokenizers write a space. */
const SPACE = 'Ġ';

/** Tokens, and the pairs to merge in order of priority: byte-pair encoding (Sennrich et al., 2016). */
interface Vocabulary {
  tokens: readonly string[];
  merges: readonly (readonly [string, string])[];
}

/** Every byte, pairs of letters, and the colour words: any text has tokens, and similar words share some. */
export function smallVocabulary(): Vocabulary {
  const bytes = Array.from({ length: 256 }, (_, byte) => byteSymbol(byte));
  const merges: [string, string][] = [SPACE, ...LETTERS].flatMap((first) =>
    LETTERS.map((second): [string, string] => [first, second]),
  );
  for (const word of COLOR_WORDS) merges.push(...mergesOfWord(SPACE + word, merges));
  const merged = merges.map(([first, second]) => first + second);
  return { tokens: ['<pad>', '<eos>', ...bytes, ...new Set(merged)], merges };
}

/** The token id of a colour word. */
function colorToken({ tokens }: Vocabulary, word: string): number {
  return tokens.indexOf(SPACE + word);
}

/** The `tokenizer.json` of a vocabulary. */
export function tokenizerFile({ tokens, merges }: Vocabulary): string {
  const special = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  return JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [
      { id: PAD, content: '<pad>', ...special },
      { id: END, content: '<eos>', ...special },
    ],
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel' },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: merges.map((pair) => pair.join(' ')),
    },
  });
}

/** The further merges that turn a word into one token after the given merges are applied. */
function mergesOfWord(word: string, merges: readonly (readonly [string, string])[]): [string, string][] {
  let pieces = [...word];
  for (const [first, second] of merges) pieces = mergePair(pieces, first, second);
  const [start = '', ...rest] = pieces;
  let whole = start;
  return rest.map((piece) => {
    const pair: [string, string] = [whole, piece];
    whole += piece;
    return pair;
  });
}

function mergePair(pieces: readonly string[], first: string, second: string): string[] {
  const merged: string[] = [];
  for (let at = 0; at < pieces.length; at++) {
    const isPair = pieces[at] === first && pieces[at + 1] === second;
    merged.push(isPair ? first + second : (pieces[at] as string));
    if (isPair) at++;
  }
  return merged;
}

/**
 * The character that stands for a byte in byte-level vocabularies (GPT-2): itself if visible, else the next one from
 * U+0100 on.
 */
function byteSymbol(byte: number): string {
  if (isVisible(byte)) return String.fromCharCode(byte);
  const place = Array.from({ length: byte }, (_, before) => before).filter((before) => !isVisible(before));
  return String.fromCharCode(256 + place.length);
}

function isVisible(byte: number): boolean {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

/** Generates about normally distributed numbers, mean 0 and deviation 1; the same sequence for the same seed. */
function normalNumbers(seed: number): () => number {
  const uniform = uniformNumbers(seed);
  return () => {
    // The sum of twelve uniform numbers has deviation 1.
    let sum = -6;
    for (let count = 0; count < 12; count++) sum += uniform();
    return sum;
  };
}

/** Generates uniform numbers between 0 and 1: Marsaglia's 32-bit xorshift (2003). */
function uniformNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
