import type { KeywordDocument } from '../../src/revision/keywords/encode-keywords.ts';
import type { Filters } from '../../src/revision/keywords/keyword-index.ts';
import { referenceSearch } from './reference-search.ts';

export interface ReferenceLibrary {
  documents: KeywordDocument[];
  /** By id; null where the library's vectors cannot be used. */
  cosines: Map<string, number> | null;
}

export interface ReferenceFusedHit {
  library: number;
  id: string;
  score: number;
}

/** The rules of fused search, written as they read in the specification; libraries in the order of ties. */
export function referenceFusedSearch(
  libraries: readonly ReferenceLibrary[],
  query: string,
  filters: Filters = {},
): ReferenceFusedHit[] {
  const left = libraries.map(({ documents }) => referenceSearch(documents, '', filters).map(({ id }) => id));
  const byVector = libraries
    .flatMap(({ cosines }, library) =>
      [...(cosines ?? [])]
        .filter(([id]) => left[library]?.includes(id))
        .map(([id, value]) => ({ library, id, value })),
    )
    .sort((a, b) => b.value - a.value || inOrder(a, b))
    .slice(0, 100);
  const byKeyword = libraries.flatMap(({ documents }, library) =>
    referenceSearch(documents, query, filters).map(({ id, score }) => ({ library, id, value: score })),
  );
  const candidates = new Map(
    [...byVector, ...byKeyword].map(({ library, id }) => [`${library}/${id}`, { library, id }]),
  );
  return [...candidates.values()]
    .map(({ library, id }) => {
      const vector = normalisedAmong(byVector, library, id);
      const keyword = normalisedAmong(byKeyword, library, id);
      return { library, id, score: 1.0 * vector + 0.3 * keyword };
    })
    .sort((a, b) => b.score - a.score || inOrder(a, b));
}

interface Candidate {
  library: number;
  id: string;
  value: number;
}

function normalisedAmong(side: Candidate[], library: number, id: string): number {
  const own = side.find((candidate) => candidate.library === library && candidate.id === id);
  if (!own) return 0;
  const values = side.map(({ value }) => value);
  const least = Math.min(...values);
  const most = Math.max(...values);
  if (least === most) return own.value > 0 ? 1 : 0;
  return (own.value - least) / (most - least);
}

function inOrder(a: { library: number; id: string }, b: { library: number; id: string }): number {
  return a.library - b.library || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
}
