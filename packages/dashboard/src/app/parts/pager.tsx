import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { messages } from '../messages.ts';
import { Button } from './button.tsx';

/** Navigates the numbered pages of a list; renders nothing for a single page. */
export function Pager({
  page,
  totalPages,
  onPage,
}: {
  page: number;
  totalPages: number;
  onPage: (page: number) => void;
}) {
  if (totalPages <= 1 && page <= 1) return null;
  const text = messages.pager;
  return (
    <nav className="actions" aria-label={text.label}>
      <Button label={text.previous} disabled={page <= 1} onClick={() => onPage(page - 1)} />
      <span className="inline">{text.at(page, totalPages)}</span>
      <Button label={text.next} disabled={page >= totalPages} onClick={() => onPage(page + 1)} />
    </nav>
  );
}

interface OlderButtonProps {
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  label: string;
}

/** Fetches the next page of a newest-first list. Renders nothing on the last page. */
export function OlderButton({ query, label }: OlderButtonProps) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  if (!hasNextPage) return null;
  return <Button label={label} disabled={isFetchingNextPage} onClick={() => fetchNextPage()} />;
}
