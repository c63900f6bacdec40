import { routes } from '@bindery/contract/wire';
import { Link } from '@tanstack/react-router';
import { formatBytes } from '../../format.ts';
import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import { EmptyState } from '../../parts/notices.tsx';
import { quotaLimits } from '../../parts/quota-figures.tsx';
import { PagedList } from '../../search/paged-list.tsx';
import { service } from '../../session.ts';
import { AdminFrame } from './admin-frame.tsx';

/** Lists all namespaces with their usage. */
export function NamespacesPage() {
  const text = messages.admin.namespaces;
  return (
    <AdminFrame title={text.title}>
      <PagedList
        queryKey={['admin', 'namespaces']}
        read={(query, signal) => service.call(routes.admin.listAllNamespaces, { query, signal })}
        text={text}
        empty={<EmptyState title={text.none} />}
      >
        {({ namespaces }) =>
          namespaces.map(({ slug, displayName, kind, libraries, members, bytes, quota }) => (
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
          ))
        }
      </PagedList>
    </AdminFrame>
  );
}
