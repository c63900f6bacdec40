import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { messages } from '../../messages.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import form from '../../parts/form.module.css';
import { OlderButton } from '../../parts/older-button.tsx';
import styles from './audit.module.css';
import { AuditFilters } from './audit-filters.tsx';
import { AuditLine } from './audit-line.tsx';
import type { AuditSearch } from './audit-search.ts';
import { auditLogQuery } from './queries.ts';

/** The audit log of a namespace, or of the whole service if `namespace` is null, with its filters. */
export function AuditLog({
  namespace,
  search,
  onSearch,
  heading,
}: {
  namespace: string | null;
  search: AuditSearch;
  onSearch: (search: AuditSearch) => void;
  /** Shown if the viewer may read the log. */
  heading?: ReactNode;
}) {
  const text = messages.audit;
  const query = useInfiniteQuery({
    ...auditLogQuery(namespace, search),
    placeholderData: keepPreviousData,
  });
  const { data, error, refetch } = query;
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (!data) return null;
  const entries = data.pages.flatMap((page) => page.entries);
  return (
    <>
      {heading}
      <AuditFilters search={search} withNamespace={namespace === null} onSearch={onSearch} />
      {entries.length === 0 && (
        <EmptyState title={text.none}>
          <p>{Object.keys(search).length === 0 ? text.noneDetail : text.noneFound}</p>
        </EmptyState>
      )}
      {entries.length > 0 && (
        <section className={form.card} aria-label={text.title}>
          <ul className={styles.lines}>
            {entries.map((entry) => (
              <AuditLine key={entry.id} entry={entry} isAdmin={namespace === null} />
            ))}
          </ul>
          {query.hasNextPage && (
            <div className={form.actions}>
              <OlderButton query={query} label={text.older} />
            </div>
          )}
        </section>
      )}
    </>
  );
}
