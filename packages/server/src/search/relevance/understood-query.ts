import { termOf } from '../../revision/words/terms.ts';
import type { WordIndex } from '../../revision/words/word-index.ts';
import type { ParsedQuery } from './parse-query.ts';
import { RememberedPostings } from './remembered-postings.ts';
import type { WeighedSlot } from './score-words.ts';
import { SimilarWords } from './similar-words.ts';
import { type Alternative, type Slot, slotsOf } from './slots.ts';
import { Survey, type SurveyedSlot } from './survey.ts';
import type { Synonyms } from './synonyms.ts';
import { wordWeight } from './weights.ts';

/** How many words of a query can be corrected: each is compared with every word of every index. */
const MAX_CORRECTED = 6;

/** Visits the word indexes of everything that is searched, in the same order every time. */
export type EachIndex = (visit: (index: WordIndex) => Promise<void>) => Promise<void>;

/** A query, interpreted by what its words match in the searched assets. */
export interface UnderstoodQuery {
  slots: WeighedSlot[];
  /** The postings that were already looked up. */
  postings: RememberedPostings;
  /** Whether each index might have any of the words, in the order of the indexes. */
  mayMatch: readonly boolean[];
  /** What each mistyped word was probably meant to be. */
  corrections: ReadonlyMap<string, string>;
}

/**
 * Determines what the words of a query match among the searched assets, and the weight of each. Words that occur
 * nowhere are taken as prefixes of other words, or else as mistyped.
 */
export async function understand(
  query: ParsedQuery,
  synonyms: Synonyms,
  eachIndex: EachIndex,
): Promise<UnderstoodQuery> {
  const postings = new RememberedPostings();
  const look = (slots: readonly Slot[]) => survey(slots, postings, eachIndex);
  const begun = await withFallbacks(await look(slotsOf(query, synonyms)), look);
  const { survey: found, corrections } = await withCorrections(begun, look, eachIndex);
  const slots = found.slots.map((slot) => weighed(slot, found.documents));
  return { slots, postings, mayMatch: found.hasFound, corrections };
}

interface Surveyed extends Pick<Survey, 'hasFound'> {
  slots: SurveyedSlot[];
  documents: number;
}

type Look = (slots: readonly Slot[]) => Promise<Surveyed>;

async function survey(
  slots: readonly Slot[],
  postings: RememberedPostings,
  eachIndex: EachIndex,
): Promise<Surveyed> {
  const counted = new Survey(slots, postings);
  await eachIndex((index) => counted.add(index));
  return { slots: counted.slots(), documents: counted.documents, hasFound: counted.hasFound };
}

/** Looks up again, as prefixes, the words that occur nowhere. */
async function withFallbacks(before: Surveyed, look: Look): Promise<Surveyed> {
  const missing = before.slots.filter(({ having, fallback }) => having === 0 && fallback !== null);
  if (missing.length === 0) return before;
  const again = await look(
    missing.map((slot) => ({
      ...slot,
      alternatives: [{ match: 'prefix', prefix: slot.fallback as string }],
    })),
  );
  return replaced(before, again);
}

/** Looks up again, as misspellings of other words, the words that do not occur even as prefixes. */
async function withCorrections(
  before: Surveyed,
  look: Look,
  eachIndex: EachIndex,
): Promise<{ survey: Surveyed; corrections: Map<string, string> }> {
  const missing = before.slots.filter(({ having }) => having === 0).slice(0, MAX_CORRECTED);
  const similar = missing.map(({ word }) => new SimilarWords(word));
  if (missing.length === 0) return { survey: before, corrections: new Map() };
  await eachIndex(async (index) => {
    for (const words of similar) await words.add(index);
  });
  const corrections = new Map<string, string>();
  const corrected = missing.map((slot, at): Slot => {
    const words = similar[at]?.best() ?? [];
    const [best] = words;
    if (best !== undefined) corrections.set(slot.word, best);
    const terms = new Set(words.map(termOf));
    return {
      ...slot,
      alternatives: [...terms].map((term): Alternative => ({ match: 'typo', terms: [term] })),
    };
  });
  if (corrections.size === 0) return { survey: before, corrections };
  const again = await look(corrected);
  return { survey: replaced(before, again), corrections };
}

function replaced(before: Surveyed, again: Surveyed): Surveyed {
  const byWord = new Map(again.slots.map((slot) => [slot.word, slot]));
  return {
    documents: before.documents,
    slots: before.slots.map((slot) => byWord.get(slot.word) ?? slot),
    hasFound: before.hasFound.map((hasFound, at) => hasFound || again.hasFound[at] === true),
  };
}

function weighed({ word, alternatives, fallback, having }: SurveyedSlot, documents: number): WeighedSlot {
  return { word, alternatives, fallback, weight: wordWeight(documents, having) };
}
