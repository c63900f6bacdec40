import { MEASURES } from '@bindery/contract';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { ValueFacet } from '../../revision/derived-values.ts';
import { handsOf } from '../../revision/descriptors.ts';
import type { RelevanceIndex } from '../../revision/revision-index.ts';
import { textsOf } from '../../revision/words/encode-words.ts';
import { WORD_FIELD_BITS, WORD_FIELD_MASK, type WordIndex } from '../../revision/words/word-index.ts';
import { describeAsset } from '../describe-hits.ts';
import { phraseOf } from '../relevance/query.ts';
import { descriptorOf } from '../similar/compare-member.ts';
import type { DocumentTerm, DocumentValue, EngineDocument } from './search-engine.ts';

/** How many assets are made into documents at a time: what takes some ten megabytes. */
const AT_ONCE = 1_000;

/** Values are counted by facet, which their keys begin with. */
const END_OF_FACET = '\0';

/** Returns the vectors of some assets, null for those that have none. */
export type ReadVectors = (assets: readonly number[]) => Promise<readonly (Float32Array | null)[]>;

/** Yields the documents of some assets of a revision, some at a time. */
export async function* makeDocuments(
  library: number,
  index: RelevanceIndex,
  assets: readonly number[],
  readVectors: ReadVectors | null,
): AsyncGenerator<EngineDocument[]> {
  const written = await writtenByTerm(index.words);
  for (let start = 0; start < assets.length; start += AT_ONCE) {
    const some = assets.slice(start, start + AT_ONCE);
    const vectors = await readVectors?.(some);
    const terms = await termsOf(index, some, written);
    const values = await valuesOf(index, some);
    const documents: EngineDocument[] = [];
    for (const [at, asset] of some.entries()) {
      documents.push({
        library,
        assetId: index.assetId(asset),
        terms: terms[at] ?? [],
        titleLength: index.words.titleLengths[asset] as number,
        titleKey: index.titleKey(asset),
        values: values[at] ?? [],
        measures: measuresOf(index, asset),
        phrases: phrasesOf(index, asset),
        vector: vectors?.[at] ?? null,
        descriptor: descriptorOf(index.descriptors, asset),
        hands: handsOf(index.descriptors, asset),
        shown: describeAsset(index, asset),
      });
      if (turnIsOver()) await nextTurn();
    }
    yield documents;
  }
}

/** Returns the written words of each term, by its place. */
async function writtenByTerm(words: WordIndex): Promise<Map<number, string[]>> {
  const written = new Map<number, string[]>();
  for (let place = 0; place < words.masks.length; place++) {
    const term = words.termOfWritten(place);
    const own = written.get(term);
    if (own) own.push(words.written(place));
    else written.set(term, [words.written(place)]);
    if (turnIsOver()) await nextTurn();
  }
  return written;
}

/** Returns the place of each asset among some, plus one; 0 for the others. */
function placesAmong(some: readonly number[], assetCount: number): Uint32Array {
  const places = new Uint32Array(assetCount);
  for (const [at, asset] of some.entries()) places[asset] = at + 1;
  return places;
}

async function termsOf(
  { words, assetCount }: RelevanceIndex,
  some: readonly number[],
  written: ReadonlyMap<number, string[]>,
): Promise<DocumentTerm[][]> {
  const places = placesAmong(some, assetCount);
  const terms = some.map((): DocumentTerm[] => []);
  for (let term = 0; term < words.termCount; term++) {
    let text: string | undefined;
    for (const posting of words.postings(term)) {
      const place = places[posting >>> WORD_FIELD_BITS] as number;
      if (place === 0) continue;
      text ??= words.term(term);
      const fields = posting & WORD_FIELD_MASK;
      terms[place - 1]?.push({ term: text, fields, written: written.get(term) ?? [] });
    }
    if (turnIsOver()) await nextTurn();
  }
  return terms;
}

async function valuesOf(
  { values: index, assetCount }: RelevanceIndex,
  some: readonly number[],
): Promise<DocumentValue[][]> {
  const places = placesAmong(some, assetCount);
  const values = some.map((): DocumentValue[] => []);
  for (let value = 0; value < index.length; value++) {
    for (const asset of index.documents(value)) {
      const place = places[asset] as number;
      if (place === 0) continue;
      const [facet, folded] = splitKey(index.key(value));
      values[place - 1]?.push([facet, folded, index.spelling(value)]);
    }
    if (turnIsOver()) await nextTurn();
  }
  return values;
}

function splitKey(key: string): [facet: ValueFacet, folded: string] {
  const end = key.indexOf(END_OF_FACET);
  return [key.slice(0, end) as ValueFacet, key.slice(end + 1)];
}

function measuresOf({ measures }: RelevanceIndex, asset: number): EngineDocument['measures'] {
  return Object.fromEntries(
    MEASURES.flatMap((measure) => {
      const value = measures[measure][asset] as number;
      return Number.isNaN(value) ? [] : [[measure, value]];
    }),
  );
}

/** The texts in which `Conditions` looks for phrases. */
function phrasesOf(index: RelevanceIndex, asset: number): string[] {
  const card = index.card(asset);
  return textsOf({ ...card, id: card.assetId }).map(([, text]) => phraseOf(text).join(' '));
}
