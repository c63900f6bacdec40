import { mayWrite } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { toSection } from '../../links.ts';
import { namespaceMessages } from '../../messages/namespace.ts';
import { messages } from '../../messages.ts';
import { FirstPush, NewLibraryLink } from '../../parts/first-push.tsx';
import { LibraryGrid } from '../../parts/library-card.tsx';
import { EmptyState, FailureNotice } from '../../parts/notices.tsx';
import { OwnQuotaFigures } from '../../parts/quota-figures.tsx';
import { namespaceLibrariesQuery, namespaceQuery } from '../../queries.ts';
import styles from '../home.module.css';

const route = getRouteApi('/$namespace');

/** The libraries of one namespace that the viewer may read. */
export function NamespacePage() {
  const { namespace } = route.useParams();
  const { data: found, error, refetch } = useQuery(namespaceLibrariesQuery(namespace));
  const details = useQuery({ ...namespaceQuery(namespace), enabled: found?.viewerIsMember === true });
  const own = details.data;
  // All at once: what comes later would move the rest.
  const data = details.isLoading ? undefined : found;
  const mayPublish = own !== undefined && mayWrite(own.viewerRole);
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  return (
    <div className="stack">
      <title>{`${namespace} · ${messages.product}`}</title>
      <div className={styles.head}>
        <div>
          <h1>{namespace}</h1>
          {data && <p className="soft">{namespaceMessages.libraries(data.libraries.length)}</p>}
          {data?.viewerIsMember && <OwnQuota namespace={namespace} />}
        </div>
        {mayPublish && <NewLibraryLink namespace={namespace} />}
      </div>
      {data && (
        <nav className={styles.links} aria-label={namespaceMessages.more}>
          <Link {...toSection(namespace, 'projects')}>{messages.titles.projects}</Link>
          <Link {...toSection(namespace, 'notes')}>{messages.titles.notes}</Link>
          {data.viewerIsMember && (
            <>
              <Link {...toSection(namespace, 'members')}>{messages.titles.members}</Link>
              <OwnersLinks namespace={namespace} />
              <Link {...toSection(namespace, 'trash')}>{messages.titles.trash}</Link>
            </>
          )}
        </nav>
      )}
      {data?.libraries.length === 0 && mayPublish ? (
        <FirstPush title={namespaceMessages.emptyOwn} namespace={namespace} />
      ) : data?.libraries.length === 0 ? (
        <EmptyState title={namespaceMessages.empty}>
          <p>{namespaceMessages.emptyDetail}</p>
        </EmptyState>
      ) : (
        <LibraryGrid libraries={data?.libraries ?? []} />
      )}
    </div>
  );
}

/** The namespace's quota, for its members. */
function OwnQuota({ namespace }: { namespace: string }) {
  const { data } = useQuery(namespaceQuery(namespace));
  return data?.quota ? <OwnQuotaFigures namespace={namespace} quota={data.quota} /> : null;
}

/** Links to pages that only owners may see. */
function OwnersLinks({ namespace }: { namespace: string }) {
  const { data } = useQuery(namespaceQuery(namespace));
  if (data?.viewerRole !== 'owner') return null;
  return (
    <>
      <Link {...toSection(namespace, 'webhooks')}>{messages.titles.webhooks}</Link>
      <Link {...toSection(namespace, 'audit')}>{messages.titles.audit}</Link>
    </>
  );
}
