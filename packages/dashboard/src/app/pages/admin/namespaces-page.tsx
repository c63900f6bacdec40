import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { answerOf } from '../../connection.ts';
import { formatBytes } from '../../format.ts';
import { messages } from '../../messages.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import form from '../../parts/form.module.css';
import { Pager } from '../../parts/pager.tsx';
import { quotaLimits } from '../../parts/quota-figures.tsx';
import { SearchBox } from '../../search/search-box.tsx';
import { AdminFrame } from './admin-frame.tsx';
import { allNamespacesQuery } from './queries.ts';

const route = getRouteApi('/-/admin/namespaces');

/** Lists all namespaces with their usage. */
export function NamespacesPage() {
  return (
    <AdminFrame title={messages.admin.namespaces.title}>
      <Namespaces />
    </AdminFrame>
  );
}

function Namespaces() {
  const text = messages.admin.namespaces;
  const list = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(allNamespacesQuery(useDeferredValue(list)));
  const { error, refetch } = query;
  const data = answerOf(query);
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  return (
    <>
      <SearchBox
        label={text.search}
        placeholder={text.search}
        value={list.q ?? ''}
        onChange={(q) => navigate({ search: q === '' ? {} : { q }, replace: true, resetScroll: false })}
      />
      {data?.total === 0 && <EmptyState title={text.none} />}
      {data && data.total > 0 && (
        <section className={form.card} aria-label={text.title}>
          <p className={form.soft}>{text.count(data.total)}</p>
          <ul className={form.list}>
            {data.namespaces.map(({ slug, displayName, kind, libraries, members, bytes, quota }) => (
              <li key={slug}>
                <span>
                  <Link to="/-/admin/namespaces/$namespace" params={{ namespace: slug }}>
                    {slug}
                  </Link>
                  <br />
                  <span className={form.soft}>
                    {displayName} · {text.kinds[kind]} · {text.holds(libraries, members)}
                  </span>
                  {quota && (
                    <span className={form.soft}>
                      <br />
                      {messages.quota.title}:{' '}
                      {quotaLimits(quota)
                        .map((bound) => bound.text)
                        .join(' · ')}
                    </span>
                  )}
                </span>
                <span>{formatBytes(bytes)}</span>
              </li>
            ))}
          </ul>
          <Pager
            page={data.page}
            totalPages={data.totalPages}
            onPage={(page) => navigate({ search: { ...list, page: String(page) } })}
          />
        </section>
      )}
    </>
  );
}
