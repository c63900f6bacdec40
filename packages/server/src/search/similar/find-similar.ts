import {
  type AskedFilters,
  type BodyOf,
  LIMITS,
  type QueryOf,
  type routes,
  type SimilarAssets,
} from '@bindery/contract';
import type { RevisionRow } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { SearchContext } from '../../context.ts';
import type { OpenedAsset } from '../../libraries/read/assets.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { comingWith, type VectorTarget } from '../by-vector.ts';
import { describeHits } from '../describe-hits.ts';
import { proposeSimilar } from '../engine/propose-similar.ts';
import { EngineUnavailable } from '../engine/search-engine.ts';
import { Conditions } from '../relevance/conditions.ts';
import { partialIf } from '../relevance/search-by-relevance.ts';
import { eachSource, findSources, loadIndex, RevisionGone, type Sources } from '../relevance/sources.ts';
import { findReadable, qualifiedName, type Target } from '../targets.ts';
import { compareMember, descriptorOf, type SimilarDocument } from './compare-member.ts';
import { compareVectors, LEAST } from './likeness.ts';
import { readSubject, type Subject } from './subject.ts';

type Search = typeof routes.search;
type SimilarRequest = QueryOf<Search['findSimilarTo']>;

/** Finds what is similar to an asset, in everything that the viewer may read and the asset's own library. */
export async function findSimilar(
  context: SearchContext,
  viewer: Viewer,
  { namespace, row, index, number }: OpenedAsset,
  request: SimilarRequest,
): Promise<SimilarAssets> {
  const { assetId: id, digest } = index.card(number);
  const subject: Subject = {
    model: descriptorOf(index.descriptors, number),
    picture: null,
    vector: null,
    asset: { storeId: row.store_id, id, digest },
  };
  const readable = await findReadable(context, viewer);
  const isOwn = (target: Target) => target.row.store_id === row.store_id;
  const targets = readable.some(isOwn) ? readable : [...readable, shared(namespace, row)];
  return search(context, targets, subject, request);
}

/** Finds what is similar to a model or a picture that a client has described. Throws `invalid_parameter`. */
export async function findSimilarTo(
  context: SearchContext,
  viewer: Viewer,
  described: BodyOf<Search['findSimilarTo']>,
  request: SimilarRequest,
): Promise<SimilarAssets> {
  const subject = readSubject(described);
  return search(context, await findReadable(context, viewer), subject, request);
}

/** A share token opens a library that is not among those that the viewer can read. */
function shared(namespace: string, row: RevisionRow): Target {
  return { namespace, library: row.name, row };
}

async function search(
  context: SearchContext,
  targets: readonly Target[],
  subject: Subject,
  request: SimilarRequest,
): Promise<SimilarAssets> {
  const sources = await findSources(context, targets, { usesEngine: true });
  const { searched, unreadable, left } = sources;
  try {
    const skipped = unreadable.map(({ target }) => ({
      library: qualifiedName(target),
      reason: 'unavailable' as const,
    }));
    const { byShape, ...found } = await searchOnce(context, sources, subject, request);
    return { ...found, skipped, ...partialIf(left + byShape, searched.length - byShape) };
  } catch (error) {
    // The next search finds the newer revision of what was replaced meanwhile.
    if (error instanceof EngineUnavailable) context.engine?.failed(error);
    if (error instanceof RevisionGone || error instanceof EngineUnavailable)
      return search(context, targets, subject, request);
    throw error;
  }
}

async function searchOnce(
  context: SearchContext,
  sources: Sources,
  subject: Subject,
  { match, limit, offset, srcset, ...asked }: SimilarRequest,
): Promise<Omit<SimilarAssets, 'skipped'> & { byShape: number }> {
  const { searched, engine } = sources;
  const { similar, vectors } = await compareSources(context, sources, subject, asked);
  const proposed = engine && (await proposeSimilar(engine, searched, subject, asked));
  const all = merged([...similar, ...(vectors?.found ?? []), ...(proposed?.similar ?? [])])
    .filter((one) => one.similarity >= LEAST && (match === undefined || one.match === match))
    .sort((a, b) => b.similarity - a.similarity || a.target - b.target || a.document - b.document)
    .slice(0, LIMITS.similar.max);
  const page = all.slice(offset, offset + limit);
  await proposed?.placed.load(page);
  const ranked = page.map(({ similarity: score, ...place }) => ({ ...place, ...NO_PARTS, score }));
  const assetsOf = (target: number) =>
    proposed?.placed.has(target)
      ? {
          read: async (document: number) => proposed.placed.described(target, document),
          sharedPhrases: () => new Set<string>(),
        }
      : null;
  const described = await describeHits(context, searched, ranked, null, srcset === 'true', assetsOf);
  if (!described) throw new RevisionGone();
  return {
    byShape: vectors?.left ?? 0,
    comparedBy: [
      ...(subject.model ? (['shape'] as const) : []),
      ...(subject.picture ? (['picture'] as const) : []),
      ...(vectors || proposed?.byVector ? (['vector'] as const) : []),
    ],
    total: all.length,
    hits: described.map(({ target, hit }, at) => {
      const { similarity, match, part } = page[at] as SimilarDocument;
      const how = { similarity, match, ...(part !== undefined && { part }) };
      return { namespace: target.namespace, library: target.library, ...hit, ...how };
    }),
  };
}

/** Compares what this process has opened. */
async function compareSources(
  context: SearchContext,
  sources: Sources,
  subject: Subject,
  { library: libraries, ...filters }: AskedFilters,
): Promise<{ similar: SimilarDocument[]; vectors: ComparedVectors | null }> {
  const { searched } = sources;
  const conditions = new Conditions(filters, { phrases: [], excluded: [] }, { counting: false });
  const wanted = libraries && new Set(libraries.map((library) => library.toLowerCase()));
  const byVector: (VectorTarget & { target: number })[] = [];
  const similar: SimilarDocument[] = [];
  await eachSource(context, sources, async (source) => {
    const members = source.members.filter(
      ({ target }) => wanted?.has(qualifiedName(searched[target] as Target)) !== false,
    );
    if (members.length === 0) return;
    const misses = await conditions.missesIn(source);
    const passes = misses && ((document: number) => misses[document] === 0);
    for (const member of members) {
      const library = searched[member.target] as Target;
      const itself = await placeOfSubject(context, library, subject);
      for (const one of await compareMember(source, member, subject, passes))
        if (one.document !== itself) similar.push(one);
      if (turnIsOver()) await nextTurn();
      if (subject.vector === null) continue;
      const { target, first, count } = member;
      const filter =
        misses && Uint8Array.from(misses.subarray(first, first + count), (bits) => Number(bits === 0));
      const known = { ...member, assetCount: count };
      byVector.push({ ...comingWith(library.row, known, filter), target });
    }
  });
  return { similar, vectors: await findByVectors(context, subject, byVector) };
}

const NO_PARTS = { cosine: null, keyword: null, vectorPart: null, keywordPart: null };

/** Returns the number of the asset that others are compared with; -1 in other libraries than its own. */
async function placeOfSubject(context: SearchContext, library: Target, { asset }: Subject): Promise<number> {
  if (asset?.storeId !== library.row.store_id) return -1;
  return (await loadIndex(context, library)).indexOfAsset(asset.id);
}

interface ComparedVectors {
  found: SimilarDocument[];
  /** How many libraries were left out. */
  left: number;
}

/** Compares the vectors of the libraries that have some of the same model; null if none could be compared. */
async function findByVectors(
  { vectors }: SearchContext,
  { vector }: Subject,
  targets: readonly (VectorTarget & { target: number })[],
): Promise<ComparedVectors | null> {
  if (vector === null) return null;
  const compared = targets.flatMap(({ library, vectors: own, target }) =>
    own !== null && library.vectors_model === vector.model && library.vectors_dim === vector.numbers.length
      ? [{ target, own }]
      : [],
  );
  if (compared.length === 0) return null;
  const { candidates, uses } = await vectors.nearest(
    vector.numbers,
    compared.map(({ own }) => own),
  );
  if (!uses.includes('used')) return null;
  const left = uses.filter((use) => use === 'unavailable').length;
  const found = candidates.map(({ target, document, cosine }) => ({
    target: compared[target]?.target as number,
    document,
    ...compareVectors(cosine),
  }));
  return { found, left };
}

/** Keeps the strongest likeness of each document. */
function merged(all: readonly SimilarDocument[]): SimilarDocument[] {
  const strongest = new Map<string, SimilarDocument>();
  for (const one of all) {
    const key = `${one.target} ${one.document}`;
    const other = strongest.get(key);
    if (other === undefined || one.similarity > other.similarity) strongest.set(key, one);
  }
  return [...strongest.values()];
}
