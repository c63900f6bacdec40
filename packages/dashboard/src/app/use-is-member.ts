import { useQuery } from '@tanstack/react-query';
import { namespacesQuery, sessionQuery } from './queries.ts';

/** Whether the viewer belongs to a namespace, if only as a reader, who may propose changes; undefined until it is known. */
export function useIsMember(namespace: string): boolean | undefined {
  const { data: session } = useQuery(sessionQuery);
  const { data } = useQuery({ ...namespacesQuery, enabled: Boolean(session) });
  return session === null ? false : data?.namespaces.some(({ slug }) => slug === namespace);
}
