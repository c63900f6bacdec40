import { LIMITS, type SemanticReason } from '@bindery/contract';
import type { RevisionRow } from '../access/libraries.ts';
import type { SearchContext } from '../context.ts';
import { isSemantic, type LibraryVectors } from '../libraries/read/library.ts';
import type { QueryOutcome } from '../metrics.ts';
import type { DocumentSet } from '../revision/keywords/keyword-index.ts';
import { type SidecarHashes, sidecarHashes } from '../revision/vectors/sidecar.ts';
import { derivedVersion } from './derived/derived-vectors.ts';
import type { EncodedQuery } from './encoder.ts';
import type { OpenedTarget } from './targets.ts';
import type {
  JoinedPlace,
  RevisionVectors,
  SearchedVectors,
  VectorCandidate,
} from './vectors/vector-search.ts';

type VectorContext = Pick<SearchContext, 'encoder' | 'vectors' | 'log' | 'metrics'>;

/** What one library contributes to the vector side of a search. */
export interface VectorTarget {
  library: LibraryVectors;
  /** Null if the revision has no sidecar. */
  vectors: SearchedVectors | null;
}

export function vectorTarget({ row, index }: OpenedTarget, filter: DocumentSet | null): VectorTarget {
  const sidecar = sidecarHashes(index, row.manifest_layout);
  return comingWith(row, { sidecar, assetCount: index.assetCount, joined: null }, filter);
}

/** The vectors that a revision comes with, of whatever model. */
export function comingWith(
  row: VectorRow,
  { joined, ...known }: KnownVectors,
  filter: DocumentSet | null,
): VectorTarget {
  const vectors = vectorsOf(row, known);
  return { library: row, vectors: vectors && { ...vectors, filter, ...ifSame(joined, vectors) } };
}

/** Joined vectors, if they are those of the revision. */
function ifSame(joined: JoinedPlace | null, { documentSha256, matrixSha256 }: RevisionVectors) {
  const isSame =
    joined?.documentSha256 === documentSha256 &&
    joined.matrixSha256 === matrixSha256 &&
    joined.vectors?.isDamaged !== true;
  return isSame ? { joined } : {};
}

type VectorRow = Pick<
  OpenedTarget['row'],
  'store_id' | 'index_sha256' | 'codes_sha256' | 'vectors_model' | 'vectors_dim'
>;

/** What is known of a revision besides its row. */
interface KnownVectors {
  /** The files of the vectors that it comes with. */
  sidecar: SidecarHashes | null;
  assetCount: number;
  /** Where its vectors were when those of its segment were joined. */
  joined: JoinedPlace | null;
}

function vectorsOf(
  row: VectorRow,
  { sidecar, assetCount }: Omit<KnownVectors, 'joined'>,
): RevisionVectors | null {
  if (row.vectors_model === null || sidecar === null) return null;
  const { store_id: storeId, index_sha256: indexSha256, codes_sha256: codesSha256 } = row;
  return { storeId, indexSha256, ...sidecar, codesSha256, assetCount };
}

type DerivedContext = Pick<SearchContext, 'encoder' | 'derivedVectors'>;

/**
 * The vectors that a revision comes with; if it has none of the active model, those that this server made itself.
 */
export function targetByMeaning(context: DerivedContext, row: VectorRow, known: KnownVectors): VectorTarget {
  const derived = findDerived(context, row);
  if (derived === null) return comingWith(row, known, null);
  const vectors = derivedOf(row, derived, known.assetCount);
  return {
    library: { vectors_model: derived.model, vectors_dim: LIMITS.embedding.dimensions },
    vectors: { ...vectors, filter: null, ...ifSame(known.joined, vectors) },
  };
}

function derivedOf(
  { store_id: storeId, index_sha256: indexSha256 }: VectorRow,
  { version, folder }: { version: string; folder: string },
  assetCount: number,
): RevisionVectors {
  const hashes = { documentSha256: version, matrixSha256: version, codesSha256: null };
  return { storeId, indexSha256, ...hashes, folder, assetCount };
}

/** Why a search of this library by relevance would, or would not, use vectors. */
export function semanticReasonOf(context: DerivedContext, row: RevisionRow): SemanticReason {
  return findDerived(context, row) ? 'on' : semanticReason('any', context.encoder.model, [row]);
}

/** Returns the vectors that this server made of a revision without any of the active model; null if there are none. */
function findDerived({ encoder, derivedVectors }: DerivedContext, row: VectorRow) {
  const { model, facts } = encoder;
  if (model === null || facts === null || isSemantic(model, row)) return null;
  const version = derivedVersion(facts);
  const folder = derivedVectors.find({ storeId: row.store_id, indexSha256: row.index_sha256, version });
  return folder === null ? null : { model, version, folder };
}

export interface FoundByVector {
  reason: SemanticReason;
  /** Candidates, whose `target` is a position in the given targets; null if vectors were not searched. */
  candidates: VectorCandidate[] | null;
  /** How many targets were left out though others were searched, for lack of room or time. */
  left: number;
  /** The cosine from which a candidate is related to the query; null if it depends on its library. */
  relatedFrom: number | null;
}

const NO_VECTORS: LibraryVectors = { vectors_model: null, vectors_dim: null };

/**
 * Finds the vector candidates over all targets together. Never throws: any failure becomes the reason why the search is
 * by keyword alone. A target with unusable vectors is searched by keyword.
 */
export async function findByVector(
  context: VectorContext,
  query: string,
  targets: readonly VectorTarget[],
): Promise<FoundByVector> {
  const libraries = targets.map(({ library }) => library);
  const expected = semanticReason(query, context.encoder.model, libraries);
  if (expected !== 'on') return byKeyword(expected);
  try {
    // Vectors that are not in memory yet are loaded while the query is encoded.
    context.vectors.prepare(searchable(context.encoder.model, targets).map(({ vectors }) => vectors));
    const encoded = await encode(context, query);
    if (!encoded.ok) return byKeyword('encoder-unavailable');
    // The encoder might have been replaced since: what counts is the model that made this vector.
    const reason = semanticReason(query, encoded.model, libraries);
    if (reason !== 'on') return byKeyword(reason);
    return await searchVectors(context, encoded, targets);
  } catch (error) {
    context.log.warn({ err: error }, 'a search used keywords only');
    return byKeyword('encoder-unavailable');
  }
}

/** Encodes the query, validates the vector and records the outcome in the metrics. */
export async function encode({ encoder, metrics }: VectorContext, query: string): Promise<EncodedQuery> {
  const since = performance.now();
  let outcome: QueryOutcome = 'failed';
  try {
    const encoded = await encoder.encodeQuery(query);
    if (!encoded.ok) {
      outcome = encoded.failure;
      return encoded;
    }
    if (!isUnit(encoded.vector)) {
      outcome = 'output';
      return { ok: false, failure: outcome, reason: 'The encoder returned no valid vector.' };
    }
    outcome = encoded.cached ? 'remembered' : 'encoded';
    return encoded;
  } finally {
    metrics.queryEncoded({ outcome, seconds: (performance.now() - since) / 1_000 });
  }
}

async function searchVectors(
  { vectors }: VectorContext,
  { model, vector, relatedFrom }: Extract<EncodedQuery, { ok: true }>,
  targets: readonly VectorTarget[],
): Promise<FoundByVector> {
  const searched = searchable(model, targets);
  const { candidates, uses } = await vectors.nearest(
    vector,
    searched.map((one) => one.vectors),
  );
  if (uses.includes('used')) {
    const placed = candidates.map((found) => ({ ...found, target: searched[found.target]?.place as number }));
    const left = uses.filter((use) => use === 'unavailable').length;
    return { reason: 'on', candidates: placed, left, relatedFrom };
  }
  if (uses.includes('unavailable')) return byKeyword('encoder-unavailable');
  // A library with damaged vectors counts as having none.
  const left = targets.map(({ library }) => (isSemantic(model, library) ? NO_VECTORS : library));
  return byKeyword(semanticReason('any', model, left));
}

/** Returns the targets with vectors of this model, and their positions. */
function searchable(
  model: string | null,
  targets: readonly VectorTarget[],
): { place: number; vectors: SearchedVectors }[] {
  return targets.flatMap(({ library, vectors }, place) =>
    vectors !== null && isSemantic(model, library) ? [{ place, vectors }] : [],
  );
}

/** The tolerance admits half-precision vectors; a vector with a number that is not finite fails. */
function isUnit(vector: Float32Array): boolean {
  const square = vector.reduce((sum, value) => sum + value * value, 0);
  return vector.length === LIMITS.embedding.dimensions && Math.abs(square - 1) < 0.01;
}

function byKeyword(reason: SemanticReason): FoundByVector {
  return { reason, candidates: null, left: 0, relatedFrom: Number.POSITIVE_INFINITY };
}

/**
 * Why a search does, or does not, use vectors; the first reason that applies. One library with vectors of the active
 * model is enough.
 */
export function semanticReason(
  query: string,
  activeModel: string | null,
  libraries: readonly LibraryVectors[],
): SemanticReason {
  if (query === '') return 'no-query';
  if (activeModel === null) return 'encoder-unavailable';
  if (libraries.every(({ vectors_dim }) => vectors_dim === null)) return 'no-sidecar';
  return libraries.some((library) => isSemantic(activeModel, library)) ? 'on' : 'model-mismatch';
}

/**
 * Starts loading the model if any library has vectors made with it, or has them made here; otherwise no search will
 * need it.
 */
export async function prepareEncoder({ db, encoder, configuration }: SearchContext): Promise<void> {
  const { model } = encoder;
  if (model === null) return;
  const any = db.selectFrom('libraries').select(['vectors_model', 'vectors_dim']).limit(1);
  const derives = configuration.derivesVectors === 'all';
  const found = await (derives ? any : any.where('vectors_model', '=', model)).executeTakeFirst();
  if (found && (derives || isSemantic(model, found))) encoder.prepare();
}
