import { isMeasure, MEASURES, type Measure, readRange, type SearchFilter } from '@bindery/contract';
import { STOP_WORDS, termOf } from '../../revision/words/text-words.ts';
import { WORD_FIELDS, wordFieldBit } from '../../revision/words/word-index.ts';
import type { EngineFilters, EngineScope, Published } from '../../search/engine/search-engine.ts';
import type { Alternative, Phrase } from '../../search/relevance/query.ts';
import { VALUES, type WeightedSlot } from '../../search/relevance/score-words.ts';
import { valueAt } from '../../search/relevance/weights.ts';
import type { Part } from '../../search/understanding/part.ts';
import { SEPARATOR, stemKey, termKey, valueKey } from './documents.ts';

export type Query = Record<string, unknown>;

export function all(queries: readonly Query[]): Query {
  return { bool: { filter: queries } };
}

export function any(queries: readonly Query[]): Query {
  return { bool: { should: queries, minimum_should_match: 1 } };
}

export function none(query: Query): Query {
  return { bool: { must_not: [query] } };
}

/** What is current in some libraries once a publication is complete. */
export function inScope({ libraries, ...published }: Omit<EngineScope, 'index'>): Query[] {
  return [inLibraries(libraries), ...isCurrent(published)];
}

export function isCurrent({ sequence, unfinished }: Omit<Published, 'index'>): Query[] {
  return [
    { range: { since: { lte: sequence } } },
    none({ terms: { since: unfinished } }),
    any([{ range: { until: { gt: sequence } } }, { terms: { until: unfinished } }]),
  ];
}

export function inLibraries(libraries: readonly number[]): Query {
  return { terms: { library: libraries } };
}

const EVERY_FIELD: readonly number[] = WORD_FIELDS.map((_, at) => at);

/** The fields of names, for completions. */
export const NAME_FIELDS: readonly number[] = [WORD_FIELDS.indexOf('title'), WORD_FIELDS.indexOf('id')];

/** Matches the assets that an alternative matches in `postings.ts`, in any of some fields. */
export function matching(alternative: Alternative, fields: readonly number[] = EVERY_FIELD): Query {
  switch (alternative.match) {
    case 'prefix':
      return { prefix: { [fields === NAME_FIELDS ? 'named' : 'written']: alternative.prefix } };
    case 'stem':
      return anyOfStem(alternative);
    default: {
      const [term = '', ...others] = alternative.terms;
      if (others.length === 0) return hasTerm(term, fields);
      return any(
        fields.map((field) =>
          all(alternative.terms.map((one) => ({ term: { terms: termKey(field, one) } }))),
        ),
      );
    }
  }
}

function hasTerm(term: string, fields: readonly number[] = EVERY_FIELD): Query {
  return { terms: { terms: fields.map((field) => termKey(field, term)) } };
}

/** Terms of a stem other than one lie before and after it. */
function anyOfStem({ stem, except }: Alternative & { match: 'stem' }): Query {
  const own = stemKey(stem, except);
  return any([
    { range: { stems: { gt: stemKey(stem, ''), lt: own } } },
    { range: { stems: { gt: own, lt: `${stem}${String.fromCharCode(SEPARATOR.charCodeAt(0) + 1)}` } } },
  ]);
}

/** Fields that count about as much, the best first. */
const TIERS: readonly (readonly number[])[] = (
  [['title', 'id'], ['tags', 'labels'], ['description'], ['broader', 'derived'], ['definition']] as const
).map((fields) => fields.map((field) => WORD_FIELDS.indexOf(field)));

/** The titles of which a match counts as any other does, for a first guess. */
const GUESSED_TITLE = 4;

/** The engine refuses queries with more clauses than 1,024. */
const MAX_CLAUSES = 800;

/**
 * Finds what has any of the words, in about the order of the ranking: a word counts as the best of its alternatives in
 * its best field. What part of the words an asset has is left to the ranking itself.
 */
export function wordsQuery(slots: readonly WeightedSlot[]): Query {
  const count = slots.reduce((sum, { alternatives }) => sum + alternatives.length, 0);
  const isLong = count * TIERS.length > MAX_CLAUSES;
  const queries = slots
    .filter(({ alternatives }) => alternatives.length > 0)
    .map(({ alternatives, weight }) => ({
      dis_max: {
        queries: alternatives.flatMap((alternative) => guesses(alternative, weight, isLong)),
      },
    }));
  return queries.length === 0 ? { match_none: {} } : any(queries);
}

function guesses(alternative: Alternative, weight: number, isLong: boolean): Query[] {
  const value = (fields: readonly number[]) => {
    const [field = 0] = fields;
    const bits = wordFieldBit(WORD_FIELDS[field] as (typeof WORD_FIELDS)[number]);
    return VALUES[alternative.match][valueAt(bits, GUESSED_TITLE)] as number;
  };
  const constant = (filter: Query, boost: number) => ({
    constant_score: { filter, boost: Math.max(1, weight * boost) },
  });
  const isWord = alternative.match !== 'prefix' && alternative.match !== 'stem';
  if (!isWord || isLong) return [constant(matching(alternative), value(TIERS[2] as number[]))];
  return TIERS.map((fields) => constant(matching(alternative, fields), value(fields)));
}

/** What every hit meets besides the filters. */
export function phraseConditions({ phrases, excluded }: EngineFilters['query']): Query[] {
  return [...phrases.map(hasPhrase), ...excluded.map((phrase) => none(hasPhrase(phrase)))];
}

function hasPhrase(phrase: Phrase): Query {
  const words = phrase.filter((word) => !STOP_WORDS.has(word)).map((word) => hasTerm(termOf(word)));
  if (phrase.length > 1) words.push({ match_phrase: { phrases: phrase.join(' ') } });
  return words.length === 0 ? { match_all: {} } : all(words);
}

/** Returns a condition for each filter that was asked for. */
export function filterConditions({ asked, libraries }: EngineFilters): Map<SearchFilter, Query> {
  const conditions = new Map<SearchFilter, Query>();
  if (libraries !== null) conditions.set('library', inLibraries(libraries));
  for (const [name, values] of Object.entries(asked)) {
    const filter = name as Exclude<SearchFilter, 'library'>;
    if (values !== undefined) conditions.set(filter, passes(filter, values));
  }
  return conditions;
}

function passes(filter: Exclude<SearchFilter, 'library'>, values: readonly string[]): Query {
  if (isMeasure(filter)) return within(filter, values);
  const keys = values.map((value) => valueKey(filter, value.toLowerCase()));
  if (filter === 'has') return all(keys.map((key) => ({ term: { values: key } })));
  const classes =
    filter === 'license' ? values.map((value) => valueKey('licenseClass', value.toLowerCase())) : [];
  return { terms: { values: [...keys, ...classes] } };
}

/** Has a measure in one of the ranges. */
export function within(measure: Measure, ranges: readonly string[]): Query {
  const read = ranges.flatMap((text) => readRange(text) ?? []);
  const bound = (name: string, value: number) => (Number.isFinite(value) ? { [name]: value } : {});
  return any(
    read.map(({ least, most }) => ({
      range: { [`measures.${measure}`]: { ...bound('gte', least), ...bound('lte', most) } },
    })),
  );
}

/** Nothing but the size of its files is known. */
export function isUnmeasured(): Query {
  const known = MEASURES.filter((measure) => measure !== 'bytes');
  return none(any(known.map((measure) => ({ exists: { field: `measures.${measure}` } }))));
}

/** Meets a part of a query, as `isKnownIn` says. */
export function meets({ filter, values }: Part): Query {
  if (filter === 'license' || filter === 'library') return { match_all: {} };
  if (isMeasure(filter)) return { exists: { field: `counted.${filter}` } };
  return { terms: { values: values.map((value) => valueKey(filter, value.toLowerCase())) } };
}
