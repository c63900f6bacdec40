import { mayWrite } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { messages } from '../../messages.ts';
import { Crumbs } from '../../parts/crumbs.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { namespaceQuery } from '../../queries.ts';
import styles from '../home.module.css';
import { NoteList } from './note-list.tsx';

const route = getRouteApi('/$namespace/-/notes');

/** The Notes of a namespace that the viewer may read. */
export function NotesPage() {
  const { namespace } = route.useParams();
  const list = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(namespaceQuery(namespace));
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (!data) return null;
  return (
    <div className={styles.page}>
      <title>{`${messages.notes.title} · ${namespace} · ${messages.product}`}</title>
      <div>
        <Crumbs namespace={namespace} />
        <h1>{messages.notes.title}</h1>
      </div>
      <NoteList
        namespace={namespace}
        list={list}
        mayCreate={mayWrite(data.viewerRole)}
        onList={(search, replace) => navigate({ search, replace, resetScroll: false })}
      />
    </div>
  );
}
