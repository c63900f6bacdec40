import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FailureNotice } from './notices.tsx';

/** What is made of the answer to a query: nothing until it is there, or why there is none. */
export function Loaded<Data, Key extends QueryKey>({
  query,
  waiting,
  children,
}: {
  query: UseQueryOptions<Data, Error, Data, Key>;
  /** Said until then. */
  waiting?: string;
  children: (data: Data) => ReactNode;
}) {
  const { data, error, refetch } = useQuery(query);
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (data === undefined) return waiting !== undefined && <p>{waiting}</p>;
  return children(data);
}
