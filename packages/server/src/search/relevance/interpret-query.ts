import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { isEnglish } from '../../revision/words/english-nouns.ts';
import { splitWords, termOf } from '../../revision/words/text-words.ts';
import type { WordsElsewhere } from '../engine/search-engine.ts';
import { countPostings, PostingsCache } from './postings.ts';
import {
  type Alternative,
  MATCH_FACTORS,
  type ParsedQuery,
  type Slot,
  type Synonyms,
  slotsOf,
  type WordMatch,
} from './query.ts';
import type { WeightedSlot } from './score-words.ts';
import { SimilarWords } from './similar-words.ts';
import type { WordSource } from './sources.ts';
import { wordWeight } from './weights.ts';

/** How many words of a query can be corrected: each is compared with every word of every index. */
const MAX_CORRECTED = 6;

/** Visits everything that is searched, in the same order every time. */
type EachSource = (visit: (source: WordSource) => Promise<void>) => Promise<void>;

/** Where words are looked up. */
interface Places {
  eachSource: EachSource;
  elsewhere: WordsElsewhere | null;
}

/** A query, interpreted by what its words match in the searched assets. */
export interface InterpretedQuery {
  slots: WeightedSlot[];
  /** The postings that were already looked up. */
  postings: PostingsCache;
  /** Whether each source might have any of the words, in the order of the sources; what is elsewhere comes last. */
  mayMatch: readonly boolean[];
  /** The English words that stand for what was typed in another language. */
  translated: ReadonlySet<string>;
  /** What each mistyped word was probably meant to be. */
  corrections: ReadonlyMap<string, string>;
}

/**
 * Determines what the words of a query match among the searched assets, and the weight of each. Words that occur
 * nowhere are taken as prefixes of other words, or else as mistyped.
 */
export async function interpretQuery(
  query: ParsedQuery,
  synonyms: Synonyms,
  eachSource: EachSource,
  elsewhere: WordsElsewhere | null = null,
): Promise<InterpretedQuery> {
  const postings = new PostingsCache();
  const look = (slots: readonly Slot[]) => countWords(slots, postings, { eachSource, elsewhere });
  const begun = await withFallbacks(await look(slotsOf(query, synonyms)), look);
  const { survey: found, corrections } = await withCorrections(begun, look, { eachSource, elsewhere });
  const slots = found.slots.map((slot) => weighted(slot, found.documents));
  const translated = new Set(query.typed.keys());
  return { slots, postings, mayMatch: found.hasFound, translated, corrections };
}

interface CountedQuery extends Pick<WordFrequencies, 'hasFound'> {
  slots: CountedSlot[];
  documents: number;
}

type Look = (slots: readonly Slot[]) => Promise<CountedQuery>;

async function countWords(
  slots: readonly Slot[],
  postings: PostingsCache,
  { eachSource, elsewhere }: Places,
): Promise<CountedQuery> {
  const counted = new WordFrequencies(slots, postings);
  await eachSource((source) => counted.add(source));
  if (elsewhere) await counted.addFrom(elsewhere);
  return { slots: counted.slots(), documents: counted.documents, hasFound: counted.hasFound };
}

/** Looks up again, as prefixes, the words that occur nowhere. */
async function withFallbacks(before: CountedQuery, look: Look): Promise<CountedQuery> {
  const missing = before.slots.filter(({ frequency, fallback }) => frequency === 0 && fallback !== null);
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
  before: CountedQuery,
  look: Look,
  { eachSource, elsewhere }: Places,
): Promise<{ survey: CountedQuery; corrections: Map<string, string> }> {
  const missing = before.slots
    .filter(({ frequency, word }) => frequency === 0 && !isEnglish(word))
    .slice(0, MAX_CORRECTED);
  const similar = missing.map(({ word }) => new SimilarWords(word));
  if (missing.length === 0) return { survey: before, corrections: new Map() };
  await eachSource(async (source) => {
    for (const words of similar) await words.add(source);
  });
  for (const words of elsewhere ? similar : []) await words.addFrom(elsewhere as WordsElsewhere);
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

function replaced(before: CountedQuery, again: CountedQuery): CountedQuery {
  const byWord = new Map(again.slots.map((slot) => [slot.word, slot]));
  return {
    documents: before.documents,
    slots: before.slots.map((slot) => byWord.get(slot.word) ?? slot),
    hasFound: before.hasFound.map((hasFound, at) => hasFound || again.hasFound[at] === true),
  };
}

function weighted({ word, alternatives, fallback, frequency }: CountedSlot, documents: number): WeightedSlot {
  return { word, alternatives, fallback, weight: wordWeight(documents, frequency) };
}

/** A word of the query with its frequency among all searched assets. */
interface CountedSlot extends Slot {
  /** The most assets that one of its alternatives finds; prefixes count only if nothing else is found. */
  frequency: number;
}

/** Matches that say less about how often a word occurs than any other. */
const WEAK: ReadonlySet<WordMatch> = new Set(['stem', 'prefix']);

/** Counts how often the words of a query occur in the searched assets, and only in those. */
class WordFrequencies {
  documents = 0;
  /** Whether anything was found in each source, in the order of the sources. */
  readonly hasFound: boolean[] = [];
  readonly #postings: PostingsCache;
  readonly #counts: { slot: Slot; having: number[]; fallback: number }[];

  constructor(slots: readonly Slot[], postings: PostingsCache) {
    this.#postings = postings;
    this.#counts = slots.map((slot) => ({ slot, having: slot.alternatives.map(() => 0), fallback: 0 }));
  }

  async add({ number, members, searched, words }: WordSource): Promise<void> {
    this.documents += members.reduce((sum, { count }) => sum + count, 0);
    let hasFound = false;
    for (const count of this.#counts) {
      for (const [at, alternative] of count.slot.alternatives.entries()) {
        const found = countPostings(this.#postings.find(number, words, alternative), searched);
        hasFound ||= found > 0;
        count.having[at] = (count.having[at] as number) + found;
      }
      if (turnIsOver()) await nextTurn();
    }
    this.hasFound.push(hasFound);
  }

  async addFrom({ documents, frequencies }: WordsElsewhere): Promise<void> {
    this.documents += documents;
    const alternatives = this.#counts.flatMap(({ slot }) => slot.alternatives);
    const found = await frequencies(alternatives);
    let next = 0;
    for (const { having } of this.#counts)
      for (const at of having.keys()) having[at] = (having[at] as number) + (found[next++] ?? 0);
    this.hasFound.push(found.some((count) => count > 0));
  }

  /** Returns the words with those of their alternatives that occur in any asset. */
  slots(): CountedSlot[] {
    return this.#counts.map(({ slot, having }) => {
      const alternatives = slot.alternatives
        .filter((_, at) => having[at] !== 0)
        .sort((a, b) => MATCH_FACTORS[b.match] - MATCH_FACTORS[a.match]);
      const strong = having.filter((_, at) => !WEAK.has(slot.alternatives[at]?.match ?? 'exact'));
      const most = Math.max(0, ...strong) || Math.max(0, ...having);
      return { ...slot, alternatives, frequency: Math.min(most, this.documents) };
    });
  }
}

/** Returns a text with its mistyped words replaced; everything else stays as it was typed. */
export function correctText(text: string, corrections: ReadonlyMap<string, string>): string {
  return text.replace(/[\p{L}\p{M}\p{N}]+/gu, (typed) => {
    const [run] = splitWords(typed);
    return corrections.get(run?.word ?? '') ?? typed;
  });
}
