import { blocksFor } from '../../revision/vectors/block.ts';
import type { Owners } from './scan-part.ts';
import type { JoinedVectors, RevisionVectors, SearchedVectors } from './vector-search.ts';

/** Vectors that are loaded as one. */
export type StoredVectors = RevisionVectors | JoinedVectors;

/** What is searched as one: the vectors of a library, or joined ones, as far as their libraries are searched. */
export interface Unit {
  vectors: StoredVectors;
  owners: Owners;
  /** 1 for each asset that can be found, by number; null for all. */
  filter: Uint8Array | null;
}

/** Returns what has to be loaded to search a library. */
export function storedVectors(library: SearchedVectors): StoredVectors {
  return usableJoined(library) ?? library;
}

/** Returns the units of some of the libraries, given by their positions: joined ones first. */
export function unitsOf(libraries: readonly SearchedVectors[], targets: Iterable<number>): Unit[] {
  const joined = new Map<JoinedVectors, number[]>();
  const alone: Unit[] = [];
  for (const target of targets) {
    const library = libraries[target] as SearchedVectors;
    const vectors = usableJoined(library);
    if (vectors === null) {
      const owners = { targets: Uint32Array.of(target), firsts: Uint32Array.of(0) };
      alone.push({ vectors: library, owners, filter: library.filter });
      continue;
    }
    const own = joined.get(vectors) ?? [];
    own.push(target);
    joined.set(vectors, own);
  }
  return [...[...joined].map(([vectors, own]) => joinedUnit(vectors, libraries, own)), ...alone];
}

function joinedUnit(
  vectors: JoinedVectors,
  libraries: readonly SearchedVectors[],
  unsorted: readonly number[],
): Unit {
  const firstOf = (target: number) => libraries[target]?.joined?.first ?? 0;
  const targets = Uint32Array.from(unsorted).sort((a, b) => firstOf(a) - firstOf(b));
  const firsts = targets.map(firstOf);
  const filter = new Uint8Array(vectors.assetCount);
  let areAll = targets.reduce((sum, at) => sum + (libraries[at]?.assetCount ?? 0), 0) === filter.length;
  for (const [at, target] of targets.entries()) {
    const { assetCount, filter: own } = libraries[target] as SearchedVectors;
    const first = firsts[at] as number;
    if (own === null) filter.fill(1, first, first + assetCount);
    else filter.set(own, first);
    areAll &&= own === null;
  }
  return { vectors, owners: { targets, firsts }, filter: areAll ? null : filter };
}

function usableJoined({ joined }: SearchedVectors): JoinedVectors | null {
  return joined?.vectors?.isDamaged === false ? joined.vectors : null;
}

/** Splits units, in order, into groups that need at most `maxBlocks` blocks, or have a single unit. */
export function* waves(units: readonly Unit[], maxBlocks: number): Generator<Unit[]> {
  let wave: Unit[] = [];
  let blocks = 0;
  for (const unit of units) {
    const own = blocksFor(unit.vectors.assetCount);
    if (wave.length > 0 && blocks + own > maxBlocks) {
      yield wave;
      wave = [];
      blocks = 0;
    }
    wave.push(unit);
    blocks += own;
  }
  if (wave.length > 0) yield wave;
}
