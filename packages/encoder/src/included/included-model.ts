import { meaningOf } from '../nouns/meaning.ts';

/**
 * The text model that comes with this package: Universal Sentence Encoder lite for English, from the packages
 * `@energetic-ai/*` (Cer et al., "Universal Sentence Encoder", 2018). It does not encode pictures.
 */
export const INCLUDED_MODEL = 'energetic_ai/universal-sentence-encoder-lite/en';

/** Raised with the model's packages and the table of nouns, and whenever texts are prepared for it differently. */
export const INCLUDED_VERSION = 'universal-sentence-encoder-lite/en/0.2.0/2';

/**
 * The cosine from which an asset is close in meaning to a query, measured over English nouns and robots: two words that
 * have nothing in common are at 0.36 on average, and 26 of 28 assets that are what a query asks for at 0.45 and above.
 */
export const INCLUDED_RELATED_FROM = 0.47;

/** A part of a text, and how much its vector counts beside those of the others. */
export interface TextPart {
  text: string;
  weight: number;
}

/** What the nouns of a title are defined by counts as much as it, and what they are kinds of half as much. */
const DEFINITION_WEIGHT = 1;
const BROADER_WEIGHT = 0.5;

/** Splits the text of an asset into its parts, and adds what the nouns of its title mean. */
export function assetParts(text: string): TextPart[] {
  const written = textParts(text);
  const { definition, broader } = meaningOf(written[0] ?? '');
  return [
    ...written.map((part) => ({ text: part, weight: 1 })),
    ...(definition === '' ? [] : [{ text: definition, weight: DEFINITION_WEIGHT }]),
    ...(broader === '' ? [] : [{ text: broader, weight: BROADER_WEIGHT }]),
  ];
}

/** Characters of one part: longer parts add no meaning and are slow to encode. */
const MAX_PART = 600;

/** Title, tags, and all of the description. */
const MAX_PARTS = 3;

/**
 * Splits a text into parts that are encoded separately and weighted equally: title, tags and description for the text
 * of an asset. Encoded as one, a long description would drown out the title.
 */
export function textParts(text: string): string[] {
  const sentences = text.split('. ');
  const parts = [...sentences.slice(0, MAX_PARTS - 1), sentences.slice(MAX_PARTS - 1).join('. ')];
  const written = parts
    .map((part) => part.trim().slice(0, MAX_PART).toWellFormed())
    .filter((part) => part !== '');
  return written.length > 0 ? written : [' '];
}
