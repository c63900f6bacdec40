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

/** How many words of a query may be corrected: each costs a look at every word of every index. */
const MAX_CORRECTED = 6;

/** Goes through the word indexes of everything that is searched, in the same order every time. */
export type EachIndex = (visit: (index: WordIndex) => Promise<void>) => Promise<void>;

/** A query as the searched assets give it sense. */
export interface UnderstoodQuery {
  slots: WeighedSlot[];
  /** What was looked up already. */
  postings: RememberedPostings;
  /** Whether any word may be found in an index, by the order of the indexes. */
  mayMatch: readonly boolean[];
  /** By what a mistyped word was probably meant to be. */
  corrections: ReadonlyMap<string, string>;
}

/**
 * Finds out what the words of a query match among the assets that are searched, and how much each says. Words that are
 * nowhere count as beginnings of others, or else as mistyped.
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

/** Looks again for words that nothing has: as the beginning of others. */
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

/** Looks again for words that nothing has or begins with: as other words, mistyped. */
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
