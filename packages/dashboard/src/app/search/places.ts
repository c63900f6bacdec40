import type { LibrarySummary } from '@bindery/contract';
import { useQuery } from '@tanstack/react-query';
import { namespacesQuery, sessionQuery } from '../queries.ts';

/** A library, or a namespace if `library` is null. */
export interface Place {
  namespace: string;
  library: string | null;
  title: string | null;
}

/** The namespaces, then the libraries, whose address or title has every word of the query. */
export function usePlacesLike(query: string | undefined, libraries: readonly LibrarySummary[]): Place[] {
  const { data: session } = useQuery(sessionQuery);
  const { data: own } = useQuery({ ...namespacesQuery, enabled: Boolean(session) && query !== undefined });
  const words = (query ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const slugs = new Set([
    ...(own?.namespaces.map(({ slug }) => slug) ?? []),
    ...libraries.map(({ namespace }) => namespace),
  ]);
  const places: Place[] = [
    ...[...slugs].map((namespace) => ({ namespace, library: null, title: null })),
    ...libraries.map(({ namespace, name, title }) => ({ namespace, library: name, title })),
  ];
  return places.filter(({ namespace, library, title }) => {
    const text = (library === null ? namespace : `${namespace}/${library} ${title ?? ''}`).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
