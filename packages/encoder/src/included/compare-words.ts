import { wordsIn } from './pieces.ts';
import { type WordSum, type WordVectors, wordSum, wordVector } from './word-vectors.ts';

/** What a text loses for each factor of e in how many different words it has: of many, one is near to anything. */
const BY_CHANCE = 1 / 20;

/** The most different words of a text, and of a query, that are compared. */
const MAX_WORDS = 200;
const MAX_QUERY_WORDS = 32;

/** How many words and texts are kept as sums of pieces, which takes longer to find out than to compare them. */
const MAX_KEPT = { words: 20_000, texts: 5_000 };

/** Longer texts, in characters, are not kept. */
const MAX_KEPT_LENGTH = 2_000;

const words = new Map<string, WordSum>();
const texts = new Map<string, readonly WordSum[]>();

function kept<Value>(values: Map<string, Value>, key: string, most: number, make: () => Value): Value {
  let value = values.get(key);
  if (value === undefined) {
    value = make();
    if (values.size >= most) values.clear();
    values.set(key, value);
  }
  return value;
}

/** Returns the words of texts that are known, each once. */
function sumsOf(table: WordVectors, parts: readonly string[], most: number): readonly WordSum[] {
  return [...new Set(parts.flatMap(wordsIn))]
    .slice(0, most)
    .map((word) => kept(words, word, MAX_KEPT.words, () => wordSum(table, word)))
    .filter(({ length }) => length > 0);
}

/**
 * Returns how far the words of a text say what each word of a query says, from 0 to 1. Each word of the query counts by
 * the nearest word of the text, as the square of their cosine, and by how much it says itself, which is the length of its
 * vector. (The late interaction of Khattab and Zaharia, "ColBERT", 2020, with words in place of tokens in context.)
 *
 * @param partsOf returns the parts of a text whose words count
 */
export function comparison(
  table: WordVectors,
  query: string,
  partsOf: (text: string) => readonly string[],
): (text: string) => number {
  const asked = sumsOf(table, [query], MAX_QUERY_WORDS).map((sum) => ({
    vector: wordVector(table, sum),
    length: sum.length,
  }));
  const weights = asked.reduce((sum, { length }) => sum + length, 0);
  const compared = new Map<WordSum, readonly number[]>();
  const compare = (word: WordSum) => {
    const own = wordVector(table, word);
    return asked.map(({ vector, length }) => Math.max(0, product(own, vector) / (word.length * length)) ** 2);
  };
  return (text) => {
    const find = () => sumsOf(table, partsOf(text), MAX_WORDS);
    const own = text.length > MAX_KEPT_LENGTH ? find() : kept(texts, text, MAX_KEPT.texts, find);
    if (own.length === 0 || weights === 0) return 0;
    const nearest = asked.map(() => 0);
    for (const word of own) {
      let near = compared.get(word);
      if (near === undefined) {
        near = compare(word);
        compared.set(word, near);
      }
      for (let at = 0; at < near.length; at++)
        if ((near[at] as number) > (nearest[at] as number)) nearest[at] = near[at] as number;
    }
    const sum = asked.reduce((sum, { length }, at) => sum + length * (nearest[at] as number), 0);
    return Math.max(0, sum / weights - BY_CHANCE * Math.log(own.length));
  };
}

function product(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number);
  return sum;
}
