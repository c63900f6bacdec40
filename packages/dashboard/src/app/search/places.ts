import { useQuery } from '@tanstack/react-query';
import { librariesLikeQuery, namespacesQuery, sessionQuery } from '../queries.ts';

/** A library, or a namespace if `library` is null. */
export interface Place {
  namespace: string;
  library: string | null;
  title: string | null;
}

/** The namespaces, then the libraries, whose address or title has every word of the query; undefined until they are known. */
export function usePlacesLike(query: string): Place[] | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const isAsked = words.length > 0;
  const { data: session } = useQuery(sessionQuery);
  const { data: own } = useQuery({ ...namespacesQuery, enabled: Boolean(session) && isAsked });
  const { data, isLoading } = useQuery({ ...librariesLikeQuery(query), enabled: isAsked });
  if (!isAsked) return [];
  if (isLoading) return undefined;
  const libraries = data?.libraries ?? [];
  const slugs = new Set([
    ...(own?.namespaces ?? []).map(({ slug }) => slug),
    ...libraries.map(({ namespace }) => namespace),
  ]);
  const likeIt = [...slugs].filter((slug) => words.every((word) => slug.toLowerCase().includes(word)));
  return [
    ...likeIt.map((namespace) => ({ namespace, library: null, title: null })),
    ...libraries.map(({ namespace, name, title }) => ({ namespace, library: name, title })),
  ];
}
