import {
  type BodyOf,
  DESCRIPTOR_PARTS,
  decodeDescriptor,
  LIMITS,
  type QueryOf,
  type routes,
  type SimilarAssets,
} from '@bindery/contract';
import type { RevisionRow } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { SearchContext } from '../../context.ts';
import { invalidParameter } from '../../errors.ts';
import type { OpenedAsset } from '../../libraries/read/assets.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { comingWith, type VectorTarget } from '../by-vector.ts';
import { describeHits } from '../describe-hits.ts';
import { Conditions } from '../relevance/conditions.ts';
import { partialIf } from '../relevance/search-by-relevance.ts';
import { eachSource, findSources, loadIndex, RevisionGone, type Sources } from '../relevance/sources.ts';
import { findReadable, qualifiedName, type Target } from '../targets.ts';
import { compareMember, describedAt, type SimilarDocument, type Subject } from './compare-member.ts';
import { type Described, LEAST } from './likeness.ts';

type Search = typeof routes.search;
type SimilarRequest = QueryOf<Search['findSimilarTo']>;
type DescribedByClient = BodyOf<Search['findSimilarTo']>;

/** The cosine from which two pictures have something in common, for most models. */
const RELATED_COSINE = 0.5;

/** Finds what is similar to an asset, in everything that the viewer may read and the asset's own library. */
export async function findSimilar(
  context: SearchContext,
  viewer: Viewer,
  { namespace, row, index, number }: OpenedAsset,
  request: SimilarRequest,
): Promise<SimilarAssets> {
  const { assetId: id, digest } = index.card(number);
  const { descriptors } = index;
  const place = descriptors?.assets.indexOf(number) ?? -1;
  const subject: Subject = {
    model: descriptors && place >= 0 ? describedAt(descriptors, place) : null,
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
  { model, picture, vector }: DescribedByClient,
  request: SimilarRequest,
): Promise<SimilarAssets> {
  const subject: Subject = {
    model: model === undefined ? null : modelOf(bytesOf(model, 'model')),
    picture: picture === undefined ? null : pictureOf(bytesOf(picture, 'picture')),
    vector: vector === undefined ? null : { model: vector.model, numbers: numbersOf(vector.numbers) },
    asset: null,
  };
  return search(context, await findReadable(context, viewer), subject, request);
}

/** A share token opens a library that is not among those that the viewer can read. */
function shared(namespace: string, row: RevisionRow): Target {
  return { namespace, library: row.name, row };
}

function bytesOf(base64: string, of: 'model' | 'picture'): Int8Array {
  const bytes = decodeDescriptor(base64, of);
  if (bytes === null) throw invalidParameter(`/${of}`, `/${of}: must be a descriptor.`);
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

function numbersOf(base64: string): Float32Array {
  const bytes = new Uint8Array(Buffer.from(base64, 'base64'));
  const numbers = new Float32Array(bytes.buffer);
  const length = Math.hypot(...numbers);
  if (!(Math.abs(length - 1) < 0.01))
    throw invalidParameter('/vector/numbers', '/vector/numbers: must be a vector of length 1.');
  return numbers;
}

function modelOf(bytes: Int8Array): Described & { shape: Int8Array } {
  const { shape, colors, hasColors } = DESCRIPTOR_PARTS.model;
  return {
    shape: bytes.subarray(0, shape),
    colors: bytes.subarray(shape, shape + colors + hasColors),
    outlines: bytes.subarray(shape + colors + hasColors),
  };
}

function pictureOf(bytes: Int8Array): Described {
  const { colors, hasColors } = DESCRIPTOR_PARTS.picture;
  return {
    shape: null,
    colors: bytes.subarray(0, colors + hasColors),
    outlines: bytes.subarray(colors + hasColors),
  };
}

async function search(
  context: SearchContext,
  targets: readonly Target[],
  subject: Subject,
  request: SimilarRequest,
): Promise<SimilarAssets> {
  const sources = await findSources(context, targets);
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
    if (error instanceof RevisionGone) return search(context, targets, subject, request);
    throw error;
  }
}

async function searchOnce(
  context: SearchContext,
  sources: Sources,
  subject: Subject,
  { library: libraries, match, limit, offset, srcset, ...filters }: SimilarRequest,
): Promise<Omit<SimilarAssets, 'skipped'> & { byShape: number }> {
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
  const vectors = await compareVectors(context, subject, byVector);
  const all = merged([...similar, ...(vectors?.found ?? [])])
    .filter((one) => one.similarity >= LEAST && (match === undefined || one.match === match))
    .sort((a, b) => b.similarity - a.similarity || a.target - b.target || a.document - b.document)
    .slice(0, LIMITS.similar.max);
  const page = all.slice(offset, offset + limit);
  const ranked = page.map(({ similarity: score, ...place }) => ({ ...place, ...NO_PARTS, score }));
  const described = await describeHits(context, searched, ranked, null, srcset === 'true');
  if (!described) throw new RevisionGone();
  return {
    byShape: vectors?.left ?? 0,
    comparedBy: [
      ...(subject.model ? (['shape'] as const) : []),
      ...(subject.picture ? (['picture'] as const) : []),
      ...(vectors ? (['vector'] as const) : []),
    ],
    total: all.length,
    hits: described.map(({ target, hit }, at) => {
      const { similarity, match } = page[at] as SimilarDocument;
      return { namespace: target.namespace, library: target.library, ...hit, similarity, match };
    }),
  };
}

const NO_PARTS = { cosine: null, keyword: null, vectorPart: null, keywordPart: null };

/** Returns the number of the asset that others are compared with; -1 in other libraries than its own. */
async function placeOfSubject(context: SearchContext, library: Target, { asset }: Subject): Promise<number> {
  if (asset?.storeId !== library.row.store_id) return -1;
  return (await loadIndex(context, library)).indexOfAsset(asset.id);
}

/** Compares the vectors of the libraries that have some of the same model; null if none could be compared. */
async function compareVectors(
  { vectors }: SearchContext,
  { vector }: Subject,
  targets: readonly (VectorTarget & { target: number })[],
): Promise<{ found: SimilarDocument[]; left: number } | null> {
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
    similarity: Math.max(0, 0.95 * ((cosine - RELATED_COSINE) / (1 - RELATED_COSINE))),
    match: 'picture' as const,
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
