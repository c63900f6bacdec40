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
import type { Context } from '../../context.ts';
import { invalidParameter } from '../../errors.ts';
import type { OpenedAsset } from '../../libraries/read/assets.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { type Descriptors, rowOf } from '../../revision/descriptors.ts';
import type { RelevanceIndex } from '../../revision/revision-index.ts';
import { type VectorTarget, vectorTarget } from '../by-vector.ts';
import { describeHits } from '../describe-hits.ts';
import { Conditions } from '../relevance/conditions.ts';
import { partialIf } from '../relevance/search-by-relevance.ts';
import { findSources, loadIndex, RevisionGone, type Sources } from '../relevance/sources.ts';
import { findReadable, qualifiedName, type Target } from '../targets.ts';
import { compareModels, comparePicture, type Described, type Likeness } from './likeness.ts';
import { nearestRows } from './nearest-rows.ts';

type Search = typeof routes.search;
type SimilarRequest = QueryOf<Search['findSimilarTo']>;
type DescribedByClient = BodyOf<Search['findSimilarTo']>;

/** What is searched for. */
interface Subject {
  model: (Described & { shape: Int8Array }) | null;
  picture: Described | null;
  vector: { model: string; numbers: Float32Array } | null;
  /** The asset itself, which is never found. */
  asset: { storeId: string; id: string; digest: string } | null;
}

/** How many descriptors of one revision are compared closely: more than are found, as colours change the order. */
const COMPARED = 128;
/** Below this, two models have nothing in common. */
const LEAST = 0.2;
/** The cosine from which two pictures have something in common, for most models. */
const RELATED_COSINE = 0.5;

/** Finds what is similar to an asset, in everything that the viewer may read and the asset's own library. */
export async function findSimilar(
  context: Context,
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
  context: Context,
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

function describedAt(descriptors: Descriptors, row: number): Described & { shape: Int8Array } {
  return {
    shape: rowOf(descriptors, 'shapes', row),
    colors: rowOf(descriptors, 'colors', row),
    outlines: rowOf(descriptors, 'outlines', row),
  };
}

interface SimilarDocument extends Likeness {
  target: number;
  document: number;
}

async function search(
  context: Context,
  targets: readonly Target[],
  subject: Subject,
  request: SimilarRequest,
): Promise<SimilarAssets> {
  const sources = await findSources(context, targets, { usesSegments: false });
  const { searched, unreadable, left } = sources;
  try {
    const skipped = unreadable.map(({ target }) => ({
      library: qualifiedName(target),
      reason: 'unavailable' as const,
    }));
    const found = await searchOnce(context, sources, subject, request);
    return { ...found, skipped, ...partialIf(left, searched.length) };
  } catch (error) {
    // The next search finds the newer revision of what was replaced meanwhile.
    if (error instanceof RevisionGone) return search(context, targets, subject, request);
    throw error;
  }
}

async function searchOnce(
  context: Context,
  { searched }: Sources,
  subject: Subject,
  { library: libraries, match, limit, offset, srcset, ...filters }: SimilarRequest,
): Promise<Omit<SimilarAssets, 'skipped'>> {
  const conditions = new Conditions(filters, { phrases: [], excluded: [] }, { counting: false });
  const wanted = libraries && new Set(libraries.map((library) => library.toLowerCase()));
  const byVector: (VectorTarget & { target: number })[] = [];
  const similar: SimilarDocument[] = [];
  for (const [target, library] of searched.entries()) {
    if (wanted?.has(qualifiedName(library)) === false) continue;
    const index = await loadIndex(context, library);
    const misses = await conditions.missesIn(index);
    const itself =
      subject.asset?.storeId === library.row.store_id ? index.indexOfAsset(subject.asset.id) : -1;
    const passes = misses && ((asset: number) => misses[asset] === 0);
    const found = await compareRows(index, subject, passes);
    similar.push(...found.filter(({ document }) => document !== itself).map((one) => ({ ...one, target })));
    if (turnIsOver()) await nextTurn();
    if (subject.vector === null) continue;
    const filter = passes && Uint8Array.from(misses, (bits) => Number(bits === 0));
    byVector.push({ ...vectorTarget({ row: library.row, index }, filter), target });
  }
  const vectors = await compareVectors(context, subject, byVector);
  const all = merged([...similar, ...(vectors ?? [])])
    .filter((one) => one.similarity >= LEAST && (match === undefined || one.match === match))
    .sort((a, b) => b.similarity - a.similarity || a.target - b.target || a.document - b.document)
    .slice(0, LIMITS.similar.max);
  const page = all.slice(offset, offset + limit);
  const ranked = page.map(({ similarity: score, ...place }) => ({ ...place, ...NO_PARTS, score }));
  const described = await describeHits(context, searched, ranked, null, srcset === 'true');
  if (!described) throw new RevisionGone();
  return {
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

/** Compares the nearest descriptors of a revision with the subject. */
async function compareRows(
  index: RelevanceIndex,
  { model, picture, asset }: Subject,
  passes: ((asset: number) => boolean) | null,
): Promise<(Likeness & { document: number })[]> {
  const { descriptors } = index;
  if (descriptors === null) return [];
  const found: (Likeness & { document: number })[] = [];
  if (model) {
    const query = { table: 'shapes', bytes: model.shape } as const;
    for (const row of await nearestRows(descriptors, query, passes, COMPARED)) {
      const document = descriptors.assets[row] as number;
      const hasSameFiles = () => asset !== null && index.card(document).digest === asset.digest;
      found.push({ document, ...compareModels(model, describedAt(descriptors, row), hasSameFiles) });
    }
  }
  if (picture) {
    const query = { table: 'outlines', bytes: picture.outlines } as const;
    for (const row of await nearestRows(descriptors, query, passes, COMPARED))
      found.push({
        document: descriptors.assets[row] as number,
        ...comparePicture(picture, describedAt(descriptors, row)),
      });
  }
  return found;
}

/** Compares the vectors of the libraries that have some of the same model; null if none could be compared. */
async function compareVectors(
  { vectors }: Context,
  { vector }: Subject,
  targets: readonly (VectorTarget & { target: number })[],
): Promise<SimilarDocument[] | null> {
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
  return candidates.map(({ target, document, cosine }) => ({
    target: compared[target]?.target as number,
    document,
    similarity: Math.max(0, 0.95 * ((cosine - RELATED_COSINE) / (1 - RELATED_COSINE))),
    match: 'picture',
  }));
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
