import { routes } from '@bindery/contract/wire';
import { Link } from '@tanstack/react-router';
import { formatBytes } from '../../../format-quantities.ts';
import { adminMessages } from '../../messages/admin.ts';
import { quotaMessages } from '../../messages/namespace.ts';
import { Line } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/notices.tsx';
import { quotaLimits } from '../../parts/quota-figures.tsx';
import { PagedList } from '../../search/paged-list.tsx';
import { service } from '../../session.ts';
import { AdminFrame } from './admin-frame.tsx';

/** Lists all namespaces with their usage. */
export function NamespacesPage() {
  const text = adminMessages.namespaces;
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
            <Line
              key={slug}
              name={
                <Link to="/-/admin/namespaces/$namespace" params={{ namespace: slug }}>
                  {slug}
                </Link>
              }
              detail={
                <>
                  {displayName} · {text.kinds[kind]} · {text.holds(libraries, members)}
                  {quota && (
                    <>
                      <br />
                      {quotaMessages.title}:{' '}
                      {quotaLimits(quota)
                        .map((bound) => bound.text)
                        .join(' · ')}
                    </>
                  )}
                </>
              }
            >
              <span>{formatBytes(bytes)}</span>
            </Line>
          ))
        }
      </PagedList>
    </AdminFrame>
  );
}
