import { messages } from '../messages.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import form from '../parts/form.module.css';
import { type PageSearch, withoutFilters } from '../url.ts';

/** Says that nothing matches, and offers what would find more. */
export function NoHits({ search, onSearch }: { search: PageSearch; onSearch: (change: PageSearch) => void }) {
  const text = messages.search;
  const { q = '' } = search;
  const unquoted = q.replaceAll('"', '');
  const unfiltered = withoutFilters(search);
  const hasFilters = Object.keys(unfiltered).length < Object.keys(search).length;
  return (
    <EmptyState title={text.none}>
      <p>{endsInOneLetter(q) ? text.oneLetter : unquoted !== q ? text.noneQuoted : text.noneDetail}</p>
      {unquoted !== q && (
        <button type="button" className={form.quiet} onClick={() => onSearch({ ...search, q: unquoted })}>
          {text.unquote}
        </button>
      )}
      {hasFilters && (
        <button type="button" className={form.quiet} onClick={() => onSearch(unfiltered)}>
          {text.unfilter}
        </button>
      )}
    </EmptyState>
  );
}

/** The service matches word prefixes from two letters on. */
function endsInOneLetter(query: string): boolean {
  return /(^|\s)\S$/u.test(query);
}
