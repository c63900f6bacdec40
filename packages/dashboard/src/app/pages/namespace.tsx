import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { messages } from '../messages.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure.tsx';
import { LibraryGrid } from '../parts/library-grid.tsx';
import { namespaceLibrariesQuery } from '../queries.ts';
import styles from './home.module.css';

const route = getRouteApi('/$namespace');

/** The libraries of one namespace that the viewer may read. */
export function NamespacePage() {
  const { namespace } = route.useParams();
  const { data, error, refetch } = useQuery(namespaceLibrariesQuery(namespace));
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  return (
    <div className={styles.page}>
      <title>{`${namespace} · ${messages.product}`}</title>
      <div>
        <h1>{messages.namespace.title(namespace)}</h1>
        {data && <p className={styles.soft}>{messages.namespace.libraries(data.libraries.length)}</p>}
      </div>
      {data?.libraries.length === 0 ? (
        <Empty title={messages.namespace.empty}>
          <p>{messages.namespace.emptyDetail}</p>
        </Empty>
      ) : (
        <LibraryGrid libraries={data?.libraries ?? []} />
      )}
    </div>
  );
}
