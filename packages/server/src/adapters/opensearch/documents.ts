import { DESCRIPTOR_PARTS, LIMITS, MEASURES, type Measure, SEARCH_FACETS } from '@bindery/contract';
import type { ValueFacet } from '../../revision/derived-values.ts';
import type { Hand } from '../../revision/descriptors.ts';
import { stemOf } from '../../revision/words/text-words.ts';
import { WORD_FIELDS, wordFieldBit } from '../../revision/words/word-index.ts';
import {
  type AlikeCandidate,
  type DocumentTerm,
  type DocumentValue,
  type EngineCandidate,
  type EngineDocument,
  NEVER,
} from '../../search/engine/search-engine.ts';
import type { DescribedModel } from '../../search/similar/likeness.ts';
import { modelOf } from '../../search/similar/subject.ts';

/** Raised when documents change, so that they are written anew. */
export const MAPPING = 4;

/** Between the parts of a key; sorts before every letter. */
export const SEPARATOR = '\0';

const KEYWORD = { type: 'keyword' };
const STORED = { type: 'keyword', index: false, doc_values: false, store: true };

/** A vector of bytes, with Euclidean distances. */
const bytesVector = (dimension: number) => ({
  type: 'knn_vector',
  dimension,
  data_type: 'byte',
  method: { name: 'hnsw', engine: 'lucene', space_type: 'l2' },
});

/** The facets whose values documents have. */
export const VALUE_FACETS: readonly ValueFacet[] = SEARCH_FACETS.filter((facet) => facet !== 'library');

/** What an index is created with. */
export const INDEX = {
  settings: {
    index: { knn: true, refresh_interval: '-1', max_terms_count: 65_536 },
    analysis: { analyzer: { words: { type: 'custom', tokenizer: 'whitespace' } } },
  },
  mappings: {
    dynamic: 'strict',
    _meta: { deletedUntil: 0 },
    properties: {
      library: { type: 'long' },
      since: { type: 'long' },
      until: { type: 'long' },
      asset: KEYWORD,
      /** `termKey` of each term and field. */
      terms: KEYWORD,
      /** `stemKey` of each term. */
      stems: KEYWORD,
      written: KEYWORD,
      /** The written words of titles and ids. */
      named: KEYWORD,
      phrases: { type: 'text', analyzer: 'words', norms: false },
      /** `valueKey` of each value. */
      values: KEYWORD,
      /** Folded and as shown, to be counted. */
      counted: { properties: Object.fromEntries(VALUE_FACETS.map((facet) => [facet, KEYWORD])) },
      measures: { properties: Object.fromEntries(MEASURES.map((measure) => [measure, { type: 'double' }])) },
      titleKey: KEYWORD,
      titleLength: { type: 'integer' },
      vector: {
        type: 'knn_vector',
        dimension: LIMITS.embedding.dimensions,
        method: { name: 'hnsw', engine: 'lucene', space_type: 'cosinesimil' },
      },
      shape: bytesVector(DESCRIPTOR_PARTS.model.shape),
      outlines: {
        type: 'nested',
        properties: { outline: bytesVector(DESCRIPTOR_PARTS.picture.outlines) },
      },
      hands: { type: 'nested', properties: { hand: bytesVector(DESCRIPTOR_PARTS.model.shape) } },
      /** A descriptor, in Base64. */
      descriptor: STORED,
      /** JSON of the name of each hand, and its shape in Base64. */
      describedHands: STORED,
      /** What ranking needs: see `encodeRanked`. */
      ranked: STORED,
      /** JSON of what a hit shows. */
      shown: STORED,
    },
  },
} as const;

/** Keywords are at most this many bytes; longer titles are sorted by their beginning. */
const MAX_KEYWORD = 8_000;

/** The key of a term in the field with a number. */
export function termKey(field: number, term: string): string {
  return `${field}${term}`;
}

export function stemKey(stem: string, term: string): string {
  return `${stem}${SEPARATOR}${term}`;
}

export function valueKey(facet: ValueFacet, folded: string): string {
  return `${facet}${SEPARATOR}${folded}`;
}

const IN_NAME = wordFieldBit('title') | wordFieldBit('id');

/** Returns the body of a document that is current from a publication on. */
export function encodeDocument(document: EngineDocument, since: number): object {
  const { library, assetId, terms, values, measures, phrases, vector, titleKey, titleLength, shown } =
    document;
  const { descriptor, hands } = document;
  const counted = Map.groupBy(values, ([facet]) => facet);
  return {
    library,
    since,
    until: NEVER,
    asset: assetId,
    terms: terms.flatMap(({ term, fields }) =>
      WORD_FIELDS.flatMap((field, at) => (fields & wordFieldBit(field) ? [termKey(at, term)] : [])),
    ),
    stems: terms.flatMap(({ term }) => {
      const stem = stemOf(term);
      return stem === null ? [] : [stemKey(stem, term)];
    }),
    written: [...new Set(terms.flatMap(({ written }) => written))],
    named: [...new Set(terms.flatMap(({ written, fields }) => (fields & IN_NAME ? written : [])))],
    phrases,
    values: values.map(([facet, folded]) => valueKey(facet, folded)),
    counted: Object.fromEntries(
      [...counted].map(([facet, own]) => [facet, own.map(([, folded, shown]) => folded + SEPARATOR + shown)]),
    ),
    measures,
    titleKey: titleKey.slice(0, MAX_KEYWORD),
    titleLength,
    ...(vector && { vector: [...vector] }),
    ...(descriptor && encodeDescriptor(descriptor)),
    ...(hands.length > 0 && encodeHands(hands)),
    ranked: encodeRanked(document),
    shown: JSON.stringify(shown),
  };
}

function encodeDescriptor({ shape, colors, outlines }: DescribedModel): object {
  const { outlines: width } = DESCRIPTOR_PARTS.picture;
  return {
    shape: [...shape],
    outlines: Array.from({ length: outlines.length / width }, (_, at) => ({
      outline: [...outlines.subarray(at * width, (at + 1) * width)],
    })),
    descriptor: Buffer.from([...shape, ...colors, ...outlines]).toString('base64'),
  };
}

function encodeHands(hands: readonly Hand[]): object {
  const texts = hands.map(({ name, shape }) => [name, Buffer.from(shape).toString('base64')]);
  return {
    hands: hands.map(({ shape }) => ({ hand: [...shape] })),
    describedHands: JSON.stringify(texts),
  };
}

function encodeRanked({ library, assetId, titleLength, titleKey, measures, terms }: EngineDocument): string {
  const head = JSON.stringify([library, assetId, titleLength, titleKey, measures.bytes ?? 0]);
  return [head, ...terms.map(({ term, fields, written }) => [fields, term, ...written].join(' '))].join('\n');
}

/** A document that a search found. */
export interface FoundDocument {
  _id: string;
  _score: number | null;
  fields: { ranked: [string] } & Record<string, unknown[]>;
}

export function decodeCandidate({
  _id: id,
  fields,
}: {
  _id: string;
  fields: Pick<FoundDocument['fields'], 'ranked'>;
}): EngineCandidate {
  const [head = '', ...lines] = fields.ranked[0].split('\n');
  const [library, assetId, titleLength, titleKey, bytes] = JSON.parse(head);
  return { id, library, assetId, titleLength, titleKey, bytes, terms: lines.map(decodeTerm) };
}

function decodeTerm(line: string): DocumentTerm {
  const [fields, term = '', ...written] = line.split(' ');
  return { fields: Number(fields), term, written };
}

export function decodeDescribed({ _id: id, fields }: Pick<FoundDocument, '_id' | 'fields'>): AlikeCandidate {
  const [library] = fields.library as [number];
  const [assetId] = fields.asset as [string];
  const [descriptor] = fields.descriptor as [string];
  const [hands = '[]'] = (fields.describedHands ?? []) as [string?];
  return {
    ...{ id, library, assetId },
    descriptor: modelOf(bytesOf(descriptor)),
    hands: (JSON.parse(hands) as [string, string][]).map(([name, shape]) => ({
      name,
      shape: bytesOf(shape),
    })),
  };
}

function bytesOf(base64: string): Int8Array {
  return new Int8Array(Buffer.from(base64, 'base64'));
}

export function decodeValues({ fields }: FoundDocument): DocumentValue[] {
  return VALUE_FACETS.flatMap((facet) =>
    ((fields[`counted.${facet}`] ?? []) as string[]).map((key): DocumentValue => {
      const [folded = '', shown = ''] = key.split(SEPARATOR);
      return [facet, folded, shown];
    }),
  );
}

export function decodeMeasures({ fields }: FoundDocument): Partial<Record<Measure, number>> {
  return Object.fromEntries(
    MEASURES.flatMap((measure) => {
      const value = fields[`measures.${measure}`]?.[0];
      return value === undefined ? [] : [[measure, Number(value)]];
    }),
  );
}
