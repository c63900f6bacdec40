import type { AskedFilters, Measure, SearchFacet, SearchFilter } from '@bindery/contract';
import type { ValueFacet } from '../../revision/derived-values.ts';
import type { Hand } from '../../revision/descriptors.ts';
import type { Alternative, ParsedQuery } from '../relevance/query.ts';
import type { WeightedSlot } from '../relevance/score-words.ts';
import type { DescribedAsset } from '../segments/segment-index.ts';
import type { DescribedModel } from '../similar/likeness.ts';
import type { Part } from '../understanding/part.ts';

/** The engine cannot answer now, or not wholly. */
export class EngineUnavailable extends Error {}

/** The value of `until` of what is current. */
export const NEVER: number = Number.MAX_SAFE_INTEGER;

/** A term of an asset: the fields that have it, as bits, and the words as they are written in its library. */
export interface DocumentTerm {
  term: string;
  fields: number;
  written: readonly string[];
}

/** A value of an asset: folded, and as it is shown. */
export type DocumentValue = readonly [facet: ValueFacet, folded: string, shown: string];

/** What an engine has of an asset. */
export interface EngineDocument {
  /** The number of its library. */
  library: number;
  assetId: string;
  terms: readonly DocumentTerm[];
  titleLength: number;
  titleKey: string;
  values: readonly DocumentValue[];
  /** What is known of it. */
  measures: Readonly<Partial<Record<Measure, number>>>;
  /** The texts in which words may have to be adjacent, each as words with spaces between them. */
  phrases: readonly string[];
  vector: Float32Array | null;
  descriptor: DescribedModel | null;
  hands: readonly Hand[];
  shown: DescribedAsset;
}

/** Words that are looked up elsewhere than in sources. */
export interface WordsElsewhere {
  /** How many assets there are. */
  documents: number;
  /** Returns how many assets match each alternative. */
  frequencies(alternatives: readonly Alternative[]): Promise<number[]>;
  /** Returns words as written that are about as many edits from a word. */
  spellings(word: string, edits: number): Promise<string[]>;
}

/** Some or all assets of a library: all if `assets` is null. */
export interface RetiredAssets {
  library: number;
  assets: readonly string[] | null;
}

/** What is complete of an index. */
export interface Published {
  index: string;
  /** The last publication that is complete. */
  sequence: number;
  /** Earlier and later ones that are not: what was written for them never counts, whenever it arrives. */
  unfinished: readonly number[];
}

/** What a search looks at: some libraries, as they were when the publication `sequence` was complete. */
export interface EngineScope extends Published {
  /** Their numbers; at most `MAX_LIBRARIES`. */
  libraries: readonly number[];
}

/** How many libraries one search can name to the engine. */
export const MAX_LIBRARIES = 65_535;

/** How many assets the engine proposes by words, of which Bindery determines the order. */
export const MAX_CANDIDATES = 1_000;

/** An asset that the engine proposes. */
export interface EngineCandidate {
  /** Names it for `describe`. */
  id: string;
  library: number;
  assetId: string;
  titleLength: number;
  terms: readonly DocumentTerm[];
  titleKey: string;
  bytes: number;
}

/** A candidate by meaning. */
export interface NearestCandidate extends EngineCandidate {
  cosine: number;
  values: readonly DocumentValue[];
  measures: Readonly<Partial<Record<Measure, number>>>;
}

/** A candidate by its descriptor. */
export type AlikeCandidate = Pick<EngineCandidate, 'id' | 'library' | 'assetId'> & {
  descriptor: DescribedModel;
  hands: readonly Hand[];
};

/** A candidate whose name is completed, and whether its title alone has all words. */
export type NamedCandidate = EngineCandidate & { isInTitle: boolean };

/** The conditions of a search. */
export interface EngineFilters {
  /** The libraries that are asked for; null for all of the scope. */
  libraries: readonly number[] | null;
  asked: Omit<AskedFilters, 'library'>;
  query: Pick<ParsedQuery, 'phrases' | 'excluded'>;
}

export interface CandidateRequest {
  filters: EngineFilters;
  /** Null if everything is a candidate. */
  slots: readonly WeightedSlot[] | null;
  /** Which come first: those with the best words, or those of an order; of `libraries` alone the first by id of each. */
  first: 'words' | 'title' | 'size' | 'libraries';
  count: number;
  facets: boolean;
}

/** A facet value with how many hits have it. */
export interface CountedValue {
  key: string;
  value: string;
  count: number;
}

export interface EngineCounts {
  values: ReadonlyMap<Exclude<SearchFacet, 'library'>, readonly CountedValue[]>;
  /** Of each library, by its number. */
  libraries: ReadonlyMap<number, number>;
  /** How many there are without each filter that was asked for, and how many of those were never measured. */
  without: ReadonlyMap<SearchFilter, number>;
  unmeasured: ReadonlyMap<SearchFilter, number>;
}

export interface EngineCandidates {
  /** How many there are in all; exact. */
  total: number;
  candidates: EngineCandidate[];
  counts: EngineCounts | null;
}

/**
 * The port to a search engine outside of this process, which proposes what Bindery ranks. It holds what is published of
 * every library and knows nothing of who may read it. Each call may throw `EngineUnavailable`.
 */
export interface SearchEngine {
  /** The version of what its documents are; raised when they change. */
  readonly mapping: number;

  /** Creates an empty index and returns its name. */
  create(): Promise<string>;

  /** Returns the last publication that has left a trace in an index, complete or not; null if it does not exist. */
  newest(index: string): Promise<number | null>;

  /** Undoes what was done for publications that are not completed. */
  undo(index: string, unfinished: readonly number[]): Promise<void>;

  /** Adds assets as part of a publication, which does not show them before it is complete. */
  add(index: string, sequence: number, documents: readonly EngineDocument[]): Promise<void>;

  /** Retires assets of completed publications with `sequence`, which follows these. */
  retire(published: Published, retired: RetiredAssets): Promise<void>;

  /** Makes what was done visible to searches from this publication on. */
  refresh(index: string): Promise<void>;

  /** Deletes what was retired by completed publications up to this one. */
  deleteRetired(published: Published): Promise<void>;

  /** Deletes an index, if it exists. */
  drop(index: string): Promise<void>;

  /** Returns how many current assets there are. */
  size(published: Published): Promise<number>;

  /** Returns whether something in the scope could meet each part of a query. */
  known(scope: EngineScope, parts: readonly Part[]): Promise<boolean[]>;

  /** Returns how many assets match each alternative. */
  frequencies(scope: EngineScope, alternatives: readonly Alternative[]): Promise<number[]>;

  /** Returns words as written that are about as many edits from a word. */
  spellings(scope: EngineScope, word: string, edits: number): Promise<string[]>;

  /** Returns candidates by words, or in another order, with the counts of all. */
  candidates(scope: EngineScope, request: CandidateRequest): Promise<EngineCandidates>;

  /** Returns how many hits each library has. */
  countLibraries(
    scope: EngineScope,
    request: Pick<CandidateRequest, 'filters' | 'slots'>,
  ): Promise<ReadonlyMap<number, number>>;

  /** Returns the assets whose vectors have the highest cosines with a vector. */
  nearest(
    scope: EngineScope,
    request: { filters: EngineFilters; vector: Float32Array; count: number },
  ): Promise<NearestCandidate[]>;

  /** Returns the assets whose shape, or any of whose hands or outlines, is nearest to one. */
  alike(
    scope: EngineScope,
    request: {
      filters: EngineFilters;
      part: 'shape' | 'hands' | 'outlines';
      bytes: Int8Array;
      count: number;
    },
  ): Promise<AlikeCandidate[]>;

  /** Returns what a hit shows of candidates; null for one that is gone. */
  describe(scope: EngineScope, ids: readonly string[]): Promise<(DescribedAsset | null)[]>;

  /** Returns the first tags that begin so, and candidates whose title or id has all words. */
  complete(
    scope: EngineScope,
    request: { beginning: string; words: readonly Alternative[]; count: number },
  ): Promise<{ tags: CountedValue[]; named: NamedCandidate[] }>;

  close(): Promise<void>;
}
