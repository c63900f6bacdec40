import { routes } from '@bindery/contract/wire';
import { Link } from '@tanstack/react-router';
import { formatBytes } from '../../../format-quantities.ts';
import { dotted } from '../../format.ts';
import { toInspectedNamespace } from '../../links.ts';
import { allNamespacesMessages as text } from '../../messages/admin.ts';
import { quotaMessages } from '../../messages/namespace.ts';
import { Line } from '../../parts/card.tsx';
import { quotaLimits } from '../../parts/quota-figures.tsx';
import { PagedList } from '../../search/paged-list.tsx';
import { queryOf } from '../../session.ts';
import { AdminFrame } from './admin-frame.tsx';

/** Lists all namespaces with their usage. */
export function NamespacesPage() {
  return (
    <AdminFrame title={text.title}>
      <PagedList
        query={(query) => queryOf(['admin', 'namespaces', query], routes.admin.listAllNamespaces, { query })}
        text={text}
      >
        {({ namespaces }) =>
          namespaces.map(({ slug, displayName, kind, libraries, members, bytes, quota }) => (
            <Line
              key={slug}
              name={<Link {...toInspectedNamespace(slug)}>{slug}</Link>}
              detail={
                <>
                  {dotted(displayName, text.kinds[kind], text.holds(libraries, members))}
                  {quota && (
                    <>
                      <br />
                      {quotaMessages.title}: {dotted(...quotaLimits(quota).map((bound) => bound.text))}
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
