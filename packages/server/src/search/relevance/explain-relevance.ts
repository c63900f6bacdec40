import type { MatchedTerm, SearchExplanation } from '@bindery/contract';
import type { AssetCard } from '../../revision/asset-table.ts';
import {
  derivedTexts,
  nounsOf,
  textsOf,
  titleLength,
  type WordDocument,
} from '../../revision/words/encode-words.ts';
import type { SharedPhrases } from '../../revision/words/shared-phrases.ts';
import { stemOf, termOf, textWords } from '../../revision/words/text-words.ts';
import { WORD_FIELDS, type WordField, wordFieldBit } from '../../revision/words/word-index.ts';
import type { FusedScore } from '../fusion.ts';
import type { InterpretedQuery } from './interpret-query.ts';
import type { Alternative } from './query.ts';
import { VALUES, type WeightedSlot } from './score-words.ts';
import { valueAt } from './weights.ts';

/** The words of an asset by field, each as written and with its term. */
type AssetWords = ReadonlyMap<WordField, ReadonlyMap<string, string>>;

/** How an asset matches one word of the query. */
interface SlotMatch {
  alternative: Alternative;
  fields: WordField[];
  value: number;
}

/** Explains the rank of a hit. `keyword` is the share of the query that it matches by its words, from 0 to 1. */
export function explainRelevance(
  { slots, translated, corrections }: InterpretedQuery,
  card: AssetCard,
  { cosine, keyword, keywordPart, vectorPart, score }: FusedScore,
  named: Pick<WordDocument, 'entryPoints' | 'derived'>,
  shared: SharedPhrases,
): SearchExplanation {
  const words = wordsOf({ ...card, id: card.assetId, ...named }, shared);
  const terms: MatchedTerm[] = [];
  const sentences = [...translated].map((word) => `"${word}" translates what was typed.`);
  const length = titleLength(card.title);
  const matches = slots.map((slot) => ({ slot, found: bestMatch(slot, words, length) }));
  const pointsOf = (slot: WeightedSlot, { value }: SlotMatch) => slot.weight * value;
  const all = matches.reduce((sum, { slot, found }) => sum + (found ? pointsOf(slot, found) : 0), 0);
  for (const { slot, found } of matches) {
    if (!found) {
      sentences.push(`No match for "${slot.word}".`);
      continue;
    }
    const weight = round(((keywordPart ?? 0) * pointsOf(slot, found)) / all);
    const { match } = found.alternative;
    for (const [at, field] of found.fields.entries())
      terms.push({ term: slot.word, field, match, weight: at === 0 ? weight : 0 });
    sentences.push(sentenceOf(slot.word, found, corrections, weight));
  }
  const parts = [
    ...(keywordPart === null ? [] : [`keywords ${keywordPart.toFixed(2)}`]),
    ...(vectorPart === null ? [] : [`meaning ${vectorPart.toFixed(2)}`]),
  ];
  sentences.push(`Relevance ${score.toFixed(2)} (${parts.join(', ')}).`);
  return { terms, keyword, cosine, keywordPart, vectorPart, score, sentences };
}

function sentenceOf(
  word: string,
  { alternative, fields }: SlotMatch,
  corrections: ReadonlyMap<string, string>,
  weight: number,
): string {
  const where = `in ${fields.join(', ')} (+${weight}).`;
  switch (alternative.match) {
    case 'exact':
      return `"${word}" ${where}`;
    case 'stem':
      return `A word of the stem "${alternative.stem}", which "${word}" has too, ${where}`;
    case 'prefix':
      return `A word starting with "${word}" ${where}`;
    case 'typo':
      return `"${corrections.get(word) ?? word}", the closest spelling of "${word}", ${where}`;
    case 'synonym':
      return `"${alternative.terms.join(' ')}", a synonym of "${word}", ${where}`;
  }
}

function wordsOf(document: WordDocument, shared: SharedPhrases): AssetWords {
  const words = new Map<WordField, Map<string, string>>();
  const nouns = nounsOf(document);
  for (const field of ['broader', 'definition'] as const)
    words.set(field, new Map(nouns.flatMap((noun) => noun[field].map((term) => [term, term]))));
  const derived = derivedTexts(document).map((text): [WordField, string] => ['derived', text]);
  for (const [field, text] of [...textsOf(document, shared), ...derived]) {
    const own = words.get(field) ?? new Map<string, string>();
    for (const word of textWords(text)) own.set(word, termOf(word));
    words.set(field, own);
  }
  return words;
}

function bestMatch({ alternatives }: WeightedSlot, words: AssetWords, length: number): SlotMatch | null {
  let best: SlotMatch | null = null;
  for (const alternative of alternatives) {
    const fields = WORD_FIELDS.filter((field) => matches(alternative, words.get(field)));
    const bits = fields.reduce((sum, field) => sum + wordFieldBit(field), 0);
    const value = bits === 0 ? 0 : (VALUES[alternative.match][valueAt(bits, length)] as number);
    if (value > (best?.value ?? 0)) best = { alternative, fields, value };
  }
  return best;
}

function matches(alternative: Alternative, words: ReadonlyMap<string, string> | undefined): boolean {
  if (words === undefined) return false;
  if (alternative.match === 'prefix')
    return [...words.keys()].some((word) => word.startsWith(alternative.prefix));
  const terms = new Set(words.values());
  if (alternative.match === 'stem') return [...terms].some((term) => stemOf(term) === alternative.stem);
  return alternative.terms.every((term) => terms.has(term));
}

function round(value: number): number {
  return Number(value.toFixed(3));
}
