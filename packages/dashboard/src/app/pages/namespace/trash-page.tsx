import type { LibrarySummary } from '@bindery/contract';
import { mayWrite, routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { formatBytes } from '../../../format-quantities.ts';
import { libraryMessages } from '../../messages/library.ts';
import { trashMessages } from '../../messages/namespace.ts';
import { messages } from '../../messages.ts';
import { ActionButton, Confirm } from '../../parts/actions.tsx';
import { Line } from '../../parts/card.tsx';
import form from '../../parts/form.module.css';
import { EmptyState, FailureNotice, NotFound } from '../../parts/notices.tsx';
import { namespaceQuery } from '../../queries.ts';
import { queries, queryOf, service } from '../../session.ts';
import { NamespaceFrame } from './namespace-frame.tsx';

const route = getRouteApi('/$namespace/-/trash');

const trashQuery = (namespace: string) =>
  queryOf(['libraries', namespace, 'trash'], routes.libraries.listLibraries, {
    params: { namespace },
    query: { deleted: 'true' },
  });

/** The deleted libraries of a namespace, to be restored or removed permanently. */
export function TrashPage() {
  const { namespace } = route.useParams();
  const { data, error, refetch } = useQuery(trashQuery(namespace));
  const { data: details } = useQuery(namespaceQuery(namespace));
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (data === undefined) return null;
  if (!data.viewerIsMember) return <NotFound />;
  return (
    <NamespaceFrame namespace={namespace} title={messages.titles.trash}>
      {data.libraries.length === 0 ? (
        <EmptyState title={trashMessages.empty} />
      ) : (
        <section className={form.card}>
          <ul className={form.list}>
            {data.libraries.map((library) => (
              <Trashed
                key={library.name}
                library={library}
                mayChange={mayWrite(details?.viewerRole ?? null)}
              />
            ))}
          </ul>
        </section>
      )}
    </NamespaceFrame>
  );
}

function Trashed({ library, mayChange }: { library: LibrarySummary; mayChange: boolean }) {
  const text = trashMessages;
  const address = `${library.namespace}/${library.name}`;
  const params = { namespace: library.namespace, name: library.name };
  const refresh = () => queries.invalidateQueries();
  return (
    <Line
      name={<strong>{library.title ?? library.name}</strong>}
      detail={`${address} · ${libraryMessages.assets(library.assetCount)} · ${formatBytes(library.totalBytes)}`}
    >
      {mayChange && (
        <span className={form.actions}>
          <ActionButton
            label={text.restore}
            name={text.restoreOf(address)}
            run={async () => {
              await service.call(routes.libraries.restoreLibrary, { params });
              await refresh();
            }}
          />
          <Confirm
            label={text.purge}
            name={text.purgeOf(address)}
            title={text.purgeTitle(address)}
            detail={text.purgeDetail}
            typed={address}
            action={async () => {
              await service.call(routes.libraries.purgeLibrary, { params });
              await refresh();
            }}
          />
        </span>
      )}
    </Line>
  );
}
