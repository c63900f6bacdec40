import { mayWrite } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { messages } from '../../messages.ts';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { namespaceQuery } from '../../queries.ts';
import { NamespaceFrame } from '../namespace/namespace-frame.tsx';
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
    <NamespaceFrame namespace={namespace} title={messages.notes.title}>
      <NoteList
        namespace={namespace}
        list={list}
        mayCreate={mayWrite(data.viewerRole)}
        onList={(search, replace) => navigate({ search, replace, resetScroll: false })}
      />
    </NamespaceFrame>
  );
}
