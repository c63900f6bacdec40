import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMITS } from '@bindery/contract/limits';
import { EncoderError } from '../errors.ts';
import { isLearned } from '../known-words.ts';
import { meaningParts, type TextPart } from '../nouns/meaning.ts';
import { comparison } from './compare-words.ts';
import { wordsIn } from './pieces.ts';
import { vectorOf, type WordVectors, wordVectors } from './word-vectors.ts';

/** The text model that comes with this package: vectors of English words, and what nouns mean. It encodes no pictures. */
export const INCLUDED_MODEL = 'bindery/word-vectors/en';

/** The vectors are followed by zeros, which change no cosine, so that libraries can have them. */
export const INCLUDED_FACTS = {
  /** Raised with the table of vectors and that of nouns, and whenever texts are prepared for it differently. */
  version: 'word-vectors/en/1',
  dim: LIMITS.embedding.dimensions as number,
  encodesImages: false,
};

/** The cosine from which an asset is close in meaning to a query: see `docs/decisions/search.md`, "What is only related". */
const RELATED_FROM = 0.37;

/** Texts that are encoded in one turn of the event loop: a few milliseconds. */
const TEXTS_A_TURN = 16;

interface EncodeOptions {
  isQuery?: boolean;
  signal?: AbortSignal | undefined;
}

/** Opens the included model, which runs in this process. */
export function includedEncoder() {
  return {
    id: INCLUDED_MODEL,
    ...INCLUDED_FACTS,
    async embedText(texts: readonly string[], { isQuery = false, signal }: EncodeOptions = {}) {
      const table = await wordVectors();
      const vectors: Float32Array[] = [];
      for (const [at, text] of texts.entries()) {
        if (at > 0 && at % TEXTS_A_TURN === 0) await nextTurn();
        if (signal?.aborted) throw new EncoderError('closed', 'The caller cancelled the encoding.');
        vectors.push(encode(table, isQuery ? queryParts(text) : assetParts(text)));
      }
      return vectors;
    },
    embedImages: async (): Promise<never> => {
      throw new EncoderError('failed', 'The included model only encodes texts.');
    },
    async relatedFrom(text: string) {
      const { pieces } = await wordVectors();
      const count = wordsIn(text).reduce((sum, word) => sum + (pieces.split(word).length || word.length), 0);
      return isLearned(text, count) ? RELATED_FROM : Number.POSITIVE_INFINITY;
    },
    async compareWords(query: string) {
      const partsOf = (text: string) => assetParts(text).map((part) => part.text);
      return comparison(await wordVectors(), query.slice(0, MAX_PART), partsOf);
    },
    close: async () => {},
  };
}

/** Adds up the vectors of parts by their weights. What has no known word is like nothing else. */
function encode(table: WordVectors, parts: readonly TextPart[]): Float32Array {
  const sum = new Float32Array(INCLUDED_FACTS.dim);
  for (const { text, weight } of parts) {
    const vector = vectorOf(table, text) ?? [];
    for (const [at, value] of vector.entries()) sum[at] = (sum[at] as number) + weight * value;
  }
  const length = Math.hypot(...sum);
  if (length > 0) return sum.map((value) => value / length);
  sum[sum.length - 1] = 1;
  return sum;
}

/** Splits the text of an asset into its parts, and adds what the nouns of its title mean. */
export function assetParts(text: string): TextPart[] {
  const written = textParts(text);
  return [...written.map((text) => ({ text, weight: 1 })), ...meaningParts(written[0] ?? '')];
}

function queryParts(text: string): TextPart[] {
  return [{ text: text.slice(0, MAX_PART), weight: 1 }];
}

/** Characters of one part: longer parts add no meaning. */
const MAX_PART = 600;

/** Title, tags, and all of the description. */
const MAX_PARTS = 3;

/**
 * Splits a text into parts that count alike: title, tags and description for the text of an asset. Encoded as one, a long
 * description would drown out the title.
 */
export function textParts(text: string): string[] {
  const sentences = text.split('. ');
  const parts = [...sentences.slice(0, MAX_PARTS - 1), sentences.slice(MAX_PARTS - 1).join('. ')];
  return parts.map((part) => part.trim().slice(0, MAX_PART)).filter((part) => part !== '');
}
