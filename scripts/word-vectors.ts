import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEncoder } from '@bindery/encoder';
import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import { Pieces, wordsIn } from '../packages/encoder/src/included/pieces.ts';

/*
 * Writes the vectors of the included model: `node scripts/word-vectors.ts <WordNet's folder> <tokenizer.json of MiniLM>`,
 * with the model `minilm` installed. Takes half an hour.
 *
 * A text is encoded as the sum of the vectors of its pieces of words. The vectors are those for which these sums are
 * nearest to what MiniLM makes of WordNet's definitions and examples: a least-squares fit, drawn towards MiniLM's
 * vectors of single pieces, which decide for what no text has. (What Tulkens and van Dongen, "Model2Vec", 2024, begin.)
 */

const [dict, tokenizer] = process.argv.slice(2);
if (dict === undefined || tokenizer === undefined)
  throw new Error('usage: node scripts/word-vectors.ts <folder with data.noun> <tokenizer.json>');

const DIMENSIONS = 256;
/** How strongly vectors are drawn to those of single pieces, beside one text that consists of the piece. */
const PULL = 0.03;
const ROUNDS = 30;

/** The numbers of WordNet's files about things: animals, artifacts, bodies, food, objects, people, plants, substances. */
const THINGS = new Set([5, 6, 8, 13, 17, 18, 20, 21, 27]);

/** The texts of WordNet's meanings: all of things, and each third of all others. */
function textsOf(line: string, number: number): string[] {
  const [head = '', gloss = ''] = line.split(' | ', 2);
  const fields = head.split(' ');
  const words = Array.from({ length: Number.parseInt(fields[3] ?? '0', 16) }, (_, at) =>
    (fields[4 + 2 * at] ?? '').replaceAll('_', ' '),
  );
  const definition = gloss
    .replace(/"[^"]*"?|\([^)]*\)/g, ' ')
    .replace(/[\s;]+$/, '')
    .trim();
  const examples = [...gloss.matchAll(/"([^"]+)"/g)].map(([, example = '']) => example);
  if (THINGS.has(Number(fields[1])) && fields[2] === 'n')
    return [definition, `${words[0]}, ${definition}`, ...words.filter((word) => word.includes(' '))];
  return number % 3 === 0 ? [definition, ...examples] : [];
}

const texts = [
  ...new Set(
    ['noun', 'verb', 'adj', 'adv'].flatMap((part) =>
      readFileSync(join(dict, `data.${part}`), 'latin1')
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith(' '))
        .flatMap(textsOf),
    ),
  ),
].filter((text) => /[a-z]/.test(text));

const vocabulary = Object.entries(
  (JSON.parse(readFileSync(tokenizer, 'utf8')) as { model: { vocab: Record<string, number> } }).model.vocab,
)
  .sort(([, a], [, b]) => a - b)
  .map(([piece]) => piece)
  .filter((piece) => /^(?:##)?[a-z0-9]+$/.test(piece));
const pieces = new Pieces(vocabulary);

const encoder = await createEncoder({
  folder: process.env.BINDERY_MODEL_DIR ?? '',
  model: 'minilm',
  queueLength: 4096,
});
const taught = await encode(texts);
const single = await encode(vocabulary.map((piece) => piece.replace('##', '')));
await encoder.close();

async function encode(items: readonly string[]): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let start = 0; start < items.length; start += 1024) {
    vectors.push(...(await encoder.embedText(items.slice(start, start + 1024), { isQuery: true })));
    process.stderr.write(`\r${vectors.length} of ${items.length}`);
  }
  process.stderr.write('\n');
  return vectors;
}

/** Rows of numbers, one after another. */
interface Table {
  rows: number;
  columns: number;
  values: Float64Array;
}

const table = (rows: number, columns: number): Table => ({
  rows,
  columns,
  values: new Float64Array(rows * columns),
});

/** The directions in which the texts differ most, as columns. */
const mean = new Float64Array(encoder.dim);
for (const vector of taught)
  for (const [at, value] of vector.entries()) mean[at] = (mean[at] as number) + value / taught.length;
const spread = Matrix.zeros(encoder.dim, encoder.dim);
for (const vector of taught) {
  const centred = vector.map((value, at) => value - (mean[at] as number));
  for (const [row, own] of centred.entries())
    for (let column = 0; column <= row; column++)
      spread.set(row, column, spread.get(row, column) + own * (centred[column] as number));
}
for (let row = 0; row < encoder.dim; row++)
  for (let column = row + 1; column < encoder.dim; column++) spread.set(row, column, spread.get(column, row));
// Eigenvalues come in ascending order.
const directions = new EigenvalueDecomposition(spread, { assumeSymmetric: true }).eigenvectorMatrix;

function projected(vectors: readonly Float32Array[], centre: Float64Array): Table {
  const found = table(vectors.length, DIMENSIONS);
  for (const [row, vector] of vectors.entries()) {
    for (let direction = 0; direction < DIMENSIONS; direction++) {
      let sum = 0;
      for (const [at, value] of vector.entries())
        sum += (value - (centre[at] as number)) * directions.get(at, encoder.dim - 1 - direction);
      found.values[row * DIMENSIONS + direction] = sum;
    }
  }
  return found;
}

/** Each text as the average of its pieces: a sparse matrix with a row for each text. */
const rows = texts.map((text) => wordsIn(text).flatMap((word) => pieces.split(word)));

/** Adds rows of one table to those of another, for each piece of each text, by its share of the text. */
function addShares(
  from: Table,
  to: Table,
  places: (row: number, piece: number) => [from: number, to: number],
) {
  for (const [row, own] of rows.entries())
    for (const piece of own) {
      const [source, target] = places(row, piece);
      for (let at = 0; at < DIMENSIONS; at++)
        (to.values[target * DIMENSIONS + at] as number) +=
          (from.values[source * DIMENSIONS + at] as number) / own.length;
    }
  return to;
}

/** The averages of the vectors of the pieces of each text. */
const averages = (vectors: Table) =>
  addShares(vectors, table(rows.length, DIMENSIONS), (row, piece) => [piece, row]);

/** The transpose of `averages`. */
const spreadBack = (ofTexts: Table) =>
  addShares(ofTexts, table(vocabulary.length, DIMENSIONS), (row, piece) => [row, piece]);

const dots = (a: Table, b: Table) => {
  const sums = new Float64Array(DIMENSIONS);
  for (let at = 0; at < a.values.length; at++)
    (sums[at % DIMENSIONS] as number) += (a.values[at] as number) * (b.values[at] as number);
  return sums;
};
const addTo = (target: Table, factors: (column: number) => number, other: Table) => {
  for (let at = 0; at < target.values.length; at++)
    (target.values[at] as number) += factors(at % DIMENSIONS) * (other.values[at] as number);
};

const wanted = projected(taught, mean);
const meanOfSingle = new Float64Array(encoder.dim);
for (const vector of single)
  for (const [at, value] of vector.entries()) (meanOfSingle[at] as number) += value / single.length;
const vectors = projected(single, meanOfSingle);
// Pieces are in the order of how often they occur: the rarer, the more they say.
for (let at = 0; at < vectors.values.length; at++)
  (vectors.values[at] as number) *= Math.log(2 + Math.floor(at / DIMENSIONS));
const first = averages(vectors);
const total = (sums: Float64Array) => sums.reduce((sum, value) => sum + value, 0);
const scale = total(dots(first, wanted)) / total(dots(first, first));
for (let at = 0; at < vectors.values.length; at++) (vectors.values[at] as number) *= scale;

// Conjugate gradients for (AᵀA + PULL) d = Aᵀ (wanted - A vectors), each dimension by itself.
const left = averages(vectors);
for (let at = 0; at < left.values.length; at++)
  left.values[at] = (wanted.values[at] as number) - (left.values[at] as number);
const residual = spreadBack(left);
const step: Table = { ...residual, values: residual.values.slice() };
let squares = dots(residual, residual);
for (let round = 0; round < ROUNDS; round++) {
  const product = spreadBack(averages(step));
  addTo(product, () => PULL, step);
  const curvature = dots(step, product);
  const length = (column: number) => (squares[column] as number) / ((curvature[column] as number) + 1e-12);
  addTo(vectors, length, step);
  addTo(residual, (column) => -length(column), product);
  const next = dots(residual, residual);
  for (let at = 0; at < step.values.length; at++)
    step.values[at] =
      (residual.values[at] as number) +
      ((next[at % DIMENSIONS] as number) / ((squares[at % DIMENSIONS] as number) + 1e-12)) *
        (step.values[at] as number);
  squares = next;
  process.stderr.write(`\r${round + 1} of ${ROUNDS} rounds, ${total(squares).toExponential(2)} left`);
}
process.stderr.write('\n');

/** Each vector in whole numbers from -127 to 127, with what they are to be multiplied by. */
const scales = new Float32Array(vocabulary.length);
const numbers = new Int8Array(vocabulary.length * DIMENSIONS);
for (let piece = 0; piece < vocabulary.length; piece++) {
  const own = vectors.values.subarray(piece * DIMENSIONS, (piece + 1) * DIMENSIONS);
  const largest = own.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  scales[piece] = largest / 127;
  for (const [at, value] of own.entries())
    numbers[piece * DIMENSIONS + at] = Math.round((127 * value) / largest);
}
const folder = new URL('../packages/encoder/src/included/', import.meta.url);
writeFileSync(new URL('pieces.txt', folder), `${vocabulary.join('\n')}\n`);
writeFileSync(
  new URL('word-vectors.bin', folder),
  Buffer.concat([Buffer.from(scales.buffer), Buffer.from(numbers.buffer)]),
);
