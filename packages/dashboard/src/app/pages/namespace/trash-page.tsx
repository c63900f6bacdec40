import type { LibrarySummary } from '@bindery/contract';
import { mayWrite, routes } from '@bindery/contract/wire';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { formatBytes } from '../../format.ts';
import { messages } from '../../messages.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { NotFound } from '../../parts/not-found.tsx';
import { namespaceQuery } from '../../queries.ts';
import { queries, service } from '../../session.ts';
import styles from '../home.module.css';

const route = getRouteApi('/$namespace/-/trash');

const trashQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['libraries', namespace, 'trash'],
    queryFn: ({ signal }) =>
      service.call(routes.libraries.listLibraries, {
        params: { namespace },
        query: { deleted: 'true' },
        signal,
      }),
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
    <div className={styles.page}>
      <title>{`${messages.trash.title} · ${messages.product}`}</title>
      <div>
        <Crumbs namespace={namespace} />
        <h1>{messages.trash.title}</h1>
      </div>
      {data.libraries.length === 0 ? (
        <EmptyState title={messages.trash.empty} />
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
    </div>
  );
}

function Trashed({ library, mayChange }: { library: LibrarySummary; mayChange: boolean }) {
  const text = messages.trash;
  const address = `${library.namespace}/${library.name}`;
  const params = { namespace: library.namespace, name: library.name };
  const refresh = () => queries.invalidateQueries();
  const restore = useMutation({
    mutationFn: () => service.call(routes.libraries.restoreLibrary, { params }),
    onSuccess: refresh,
  });
  return (
    <li>
      <span>
        <strong>{library.title ?? library.name}</strong>
        <br />
        <span className={form.soft}>
          {address} · {messages.library.assets(library.assetCount)} · {formatBytes(library.totalBytes)}
        </span>
      </span>
      {mayChange && (
        <span className={form.actions}>
          <button
            type="button"
            className={form.quiet}
            disabled={restore.isPending}
            onClick={() => restore.mutate()}
            aria-label={text.restoreOf(address)}
          >
            {text.restore}
          </button>
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
      <InlineError error={restore.error} />
    </li>
  );
}
