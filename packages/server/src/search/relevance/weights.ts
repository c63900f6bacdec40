import {
  WORD_FIELD_MASK,
  WORD_FIELDS,
  type WordField,
  wordFieldBit,
} from '../../revision/words/word-index.ts';

/** The weight of a match in each field, from 0 to 1. */
const RELEVANCE_WEIGHTS: Readonly<Record<WordField, number>> = {
  title: 1,
  id: 1,
  tags: 0.9,
  labels: 0.8,
  description: 0.5,
  broader: 0.4,
  definition: 0.1,
  derived: 0.3,
};

/** The share of a match's weight that its best field determines; the rest grows with the fields that have the word. */
const BEST_FIELD = 0.85;

/** The most deducted from a match: all of it if the title lacks the word, else more the longer the title. */
const LONG_TITLE = 0.15;

/** The highest value of a match. */
export const FULL_MATCH = 200;

const SUM = WORD_FIELDS.reduce((sum, field) => sum + RELEVANCE_WEIGHTS[field], 0);

/** The weight of a match in each set of fields, from 0 to 1. */
const WEIGHT_OF: Float64Array = Float64Array.from({ length: WORD_FIELD_MASK + 1 }, (_, fields) => {
  const weights = WORD_FIELDS.filter((field) => fields & wordFieldBit(field)).map(
    (field) => RELEVANCE_WEIGHTS[field],
  );
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return BEST_FIELD * Math.max(0, ...weights) + (1 - BEST_FIELD) * (sum / SUM);
});

const TITLE = wordFieldBit('title');

/** How many title lengths the tables of values distinguish; the last stands for all longer titles. */
const LENGTHS = 8;

/** Returns a table of the values of matches with this factor: `table[fields * LENGTHS + length of the title]`. */
export function valuesOf(factor: number): Uint8Array {
  return Uint8Array.from({ length: WEIGHT_OF.length * LENGTHS }, (_, at) => {
    const fields = Math.floor(at / LENGTHS);
    const length = Math.max(1, at % LENGTHS);
    const inTitle = (fields & TITLE) !== 0;
    const titleFactor = inTitle ? 1 - LONG_TITLE * (1 - 1 / length) : 1 - LONG_TITLE;
    return Math.round(FULL_MATCH * factor * (WEIGHT_OF[fields] as number) * titleFactor);
  });
}

export function valueAt(fields: number, titleLength: number): number {
  return fields * LENGTHS + (titleLength < LENGTHS ? titleLength : LENGTHS - 1);
}

/**
 * Returns the weight of a word, given how many of the assets have it: `ln(1 + (N - n + ½) / (n + ½))`, the inverse
 * document frequency of BM25 (Robertson and Zaragoza, "The probabilistic relevance framework", 2009), in 64ths and at
 * least 1.
 */
export function wordWeight(documents: number, having: number): number {
  const rest = Math.max(0, documents - having);
  return Math.max(1, Math.round(64 * Math.log(1 + (rest + 0.5) / (having + 0.5))));
}
