import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import form from './form.module.css';

interface OlderButtonProps {
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  label: string;
}

/** Fetches the next page of a newest-first list. Renders nothing on the last page. */
export function OlderButton({ query, label }: OlderButtonProps) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  if (!hasNextPage) return null;
  return (
    <button
      type="button"
      className={form.quiet}
      disabled={isFetchingNextPage}
      onClick={() => fetchNextPage()}
    >
      {label}
    </button>
  );
}
