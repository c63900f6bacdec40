import { routes } from '@bindery/contract/wire';
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { auditMessages as text } from '../../messages/audit.ts';
import { messages } from '../../messages.ts';
import { EmptyState, FailureNotice } from '../../parts/notices.tsx';
import { OlderButton } from '../../parts/pager.tsx';
import { service } from '../../session.ts';
import { AdminFrame } from '../admin/admin-frame.tsx';
import { NamespaceHeading } from '../namespace/namespace-frame.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { AuditLine } from './audit-line.tsx';
import { type AuditSearch, auditQueryOf } from './audit-search.ts';

/** The audit log of a namespace, or of the whole service if `namespace` is null, with its filters. */
function AuditLog({
  namespace,
  heading,
}: {
  namespace: string | null;
  /** Shown if the viewer may read the log. */
  heading?: ReactNode;
}) {
  const search = useSearch({ from: namespace === null ? '/-/admin/audit' : '/$namespace/-/audit' });
  const navigate = useNavigate();
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
      <AuditFilters
        key={JSON.stringify(search)}
        search={search}
        withNamespace={namespace === null}
        onSearch={(filters) => navigate({ to: '.', search: filters })}
      />
      {entries.length === 0 && (
        <EmptyState title={text.none}>
          <p>{Object.keys(search).length === 0 ? text.noneDetail : text.noneFound}</p>
        </EmptyState>
      )}
      {entries.length > 0 && (
        <section className="card" aria-label={text.title}>
          <ul>
            {entries.map((entry) => (
              <AuditLine key={entry.id} entry={entry} isAdmin={namespace === null} />
            ))}
          </ul>
          {query.hasNextPage && (
            <div className="actions">
              <OlderButton query={query} label={text.older} />
            </div>
          )}
        </section>
      )}
    </>
  );
}

const LINES = 50;

/** The audit log, newest first: of one namespace for its owners, or if that is null, of everything for operators. */
const auditLogQuery = (namespace: string | null, search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', namespace, search],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) => {
      const query = { ...auditQueryOf(search), first: LINES, ...(pageParam && { after: pageParam }) };
      if (namespace === null) return service.call(routes.admin.readAudit, { query, signal });
      return service.call(routes.namespaces.readNamespaceAudit, { params: { namespace }, query, signal });
    },
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
  });

const route = getRouteApi('/$namespace/-/audit');

/** The audit log of a namespace, for its owners. */
export function NamespaceAuditPage() {
  const { namespace } = route.useParams();
  return (
    <div className="stack">
      <AuditLog
        key={namespace}
        namespace={namespace}
        heading={<NamespaceHeading namespace={namespace} title={text.title} detail={text.detail} />}
      />
    </div>
  );
}

/** The audit log of the whole service. */
export function AdminAuditPage() {
  return (
    <AdminFrame title={messages.titles.audit}>
      <AuditLog namespace={null} />
    </AdminFrame>
  );
}
