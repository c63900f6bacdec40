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
import { WaitingProposals } from '../../parts/waiting-proposals.tsx';
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
  const isOwner = own?.viewerRole === 'owner';
  const sections = [
    ...(['projects', 'notes'] as const),
    ...(data?.viewerIsMember ? (['members'] as const) : []),
    ...(isOwner ? (['webhooks', 'audit'] as const) : []),
    ...(data?.viewerIsMember ? (['trash'] as const) : []),
  ];
  const mayPublish = own !== undefined && mayWrite(own.viewerRole);
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  return (
    <div className="stack">
      <title>{`${namespace} · ${messages.product}`}</title>
      <div className={`row ${styles.head}`}>
        <div>
          <h1>{namespace}</h1>
          {data && <p className="soft">{namespaceMessages.libraries(data.libraries.length)}</p>}
          {data && own?.quota && <OwnQuotaFigures namespace={namespace} quota={own.quota} />}
        </div>
        {mayPublish && <WaitingProposals namespace={namespace} />}
        {mayPublish && <NewLibraryLink namespace={namespace} />}
      </div>
      {data && (
        <nav className="row" aria-label={namespaceMessages.more}>
          {sections.map((section) => (
            <Link key={section} {...toSection(namespace, section)}>
              {messages.titles[section]}
            </Link>
          ))}
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
