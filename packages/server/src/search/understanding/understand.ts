import {
  type AskedFilters,
  FEATURES,
  isMeasure,
  MEASURES,
  readRange,
  type UnderstoodPart,
  VALUE_FILTERS,
  writeRange,
} from '@bindery/contract';
import type { DocumentSet } from '../../revision/keywords/keyword-index.ts';
import type { ValueIndex } from '../../revision/values.ts';
import { readFormats } from './formats.ts';
import { readLicenses } from './licenses.ts';
import { readMeasures } from './measures.ts';
import { type Part, type Reader, readEach } from './part.ts';

/** What a query says: which of its parts are filters, and the words that are left. */
export interface UnderstoodQuery {
  parts: UnderstoodPart[];
  filters: AskedFilters;
  /** The query without these parts. */
  words: string;
}

/** In this order, since a format counts at the edge of what the others leave. */
const READERS: readonly Reader[] = [
  readWritten,
  readLicenses,
  readMeasures,
  readFeatures,
  readAuthors,
  readFormats,
];

/**
 * Finds the parts of a query that can only mean a filter, such as `under 5 MB` or `CC0 or MIT`. Quoted words, excluded
 * ones and those in `asWords` are words.
 */
export function readParts(query: string, asWords: readonly string[]): Part[] {
  const kept = asWords.map((text) => text.trim().toLowerCase());
  let text = query.replaceAll(/"[^"]*"|(?<=^|\s)-\S+/g, blank);
  const parts: Part[] = [];
  for (const read of READERS) {
    for (const part of read(text)) {
      const end = part.start + part.text.length;
      const isFree = text.slice(part.start, end) === part.text;
      if (!isFree || kept.some((words) => words.includes(part.text.toLowerCase()))) continue;
      parts.push(part);
      text = text.slice(0, part.start) + blank(part.text) + text.slice(end);
    }
  }
  return parts.sort((a, b) => a.start - b.start);
}

/**
 * Understands a query by parts that something here can meet: what nothing here states or measures is words. Filters that
 * a parameter sets already are left to it.
 */
export function understand(query: string, parts: readonly Part[], set: AskedFilters): UnderstoodQuery {
  let words = query;
  for (const { start, text } of parts)
    words = words.slice(0, start) + blank(text) + words.slice(start + text.length);
  const own = parts.filter(({ filter }) => set[filter] === undefined);
  const filters: Record<string, string[]> = {};
  for (const { filter, values } of own) {
    const before = filters[filter];
    filters[filter] =
      before !== undefined && isMeasure(filter) ? narrowed(before, values) : [...(before ?? []), ...values];
  }
  return {
    parts: own.map(({ text, filter, values }) => ({ text, filter, values })),
    filters: { ...(filters as AskedFilters), ...set },
    words: parts.length === 0 ? query : tidied(words),
  };
}

/** Whether an asset that is searched could meet a part, so that it means something here. Everything has a size and a licence, or none. */
export function isKnownIn({ values, searched }: SearchedValues, { filter, values: asked }: Part): boolean {
  if (filter === 'license' || filter === 'library') return true;
  const isSome = (place: number) =>
    searched === null || values.documents(place).some((document) => searched[document] === 1);
  if (!isMeasure(filter)) {
    const places = asked.map((value) => values.placeOf(filter, value));
    return places.some((place) => place >= 0 && isSome(place));
  }
  const { first, end } = values.rangeOf(filter);
  for (let place = first; place < end; place++) if (isSome(place)) return true;
  return false;
}

/** The values of an index, and which of its documents are searched; null if all are. */
interface SearchedValues {
  values: ValueIndex;
  searched: DocumentSet | null;
}

/** `license:MIT`, `mass:..2`: filters as they are called. */
function readWritten(text: string): Part[] {
  const names = [...VALUE_FILTERS, ...MEASURES];
  const pattern = new RegExp(`(?<=^|\\s)(${names.join('|')}):([^\\s":]+)`, 'gi');
  return readEach(text, pattern, ([, name = '', value = '']) => {
    const filter = names.find((one) => one === name.toLowerCase());
    if (filter === undefined || (isMeasure(filter) && readRange(value) === null)) return null;
    if (filter === 'has' && !FEATURES.some((feature) => feature === value)) return null;
    return { filter, values: [value] };
  });
}

/** `with texture`, `with textures and animation`, where nothing follows that they could belong to; `certified`. */
function readFeatures(text: string): Part[] {
  const name = '(?:an? |some )?(texture|animation)s?';
  const pattern = new RegExp(
    `(?<!\\p{L})with ${name}(?: and ${name})?(?=\\s*(?:$|,|;|and |but |or |under |below |over ))`,
    'giu',
  );
  const certified = readEach(text, /(?<![\p{L}-])certified(?![\p{L}-])/giu, () => ({
    filter: 'has',
    values: ['certified'],
  }));
  const named = readEach(text, pattern, ([, ...names]) => ({
    filter: 'has',
    values: names.filter((one) => one !== undefined).map((one) => one.toLowerCase()),
  }));
  return [...certified, ...named];
}

/** `by Ann Lee` at the end; whether there is such an author is for the libraries to say. */
function readAuthors(text: string): Part[] {
  return readEach(
    text,
    /(?<!\p{L})(?:made |created |modelled )?by ([\p{L}@][^,;]{1,60}?)(?=\s*$|[,;])/giu,
    ([, name = '']) => ({
      filter: 'author',
      values: [name.trim()],
    }),
  );
}

/** The range that both ask for, or both if they have nothing in common. */
function narrowed(one: readonly string[], other: readonly string[]): string[] {
  const [a, b] = [readRange(one[0] ?? ''), readRange(other[0] ?? '')];
  if (a === null || b === null) return [...one, ...other];
  const both = { least: Math.max(a.least, b.least), most: Math.min(a.most, b.most) };
  return both.least <= both.most ? [writeRange(both)] : [...one, ...other];
}

function blank(text: string): string {
  return ' '.repeat(text.length);
}

/** Removes what joined the parts to the words: commas, and words such as `with` at either end. */
function tidied(words: string): string {
  const loose = '(?:and|or|with|but|that|which|is|are|has|have|,|;)';
  return words
    .replaceAll(/\s+/g, ' ')
    .replace(new RegExp(`^(?:\\s*${loose}(?=\\s|$))+`, 'i'), '')
    .replace(new RegExp(`(?:(?:^|\\s|(?=[,;]))${loose}\\s*)+$`, 'i'), '')
    .trim();
}
