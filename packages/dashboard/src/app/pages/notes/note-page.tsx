import { routes } from '@bindery/contract/wire';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { formatDate } from '../../format.ts';
import { messages } from '../../messages.ts';
import { Crumbs } from '../../parts/crumbs.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { service } from '../../session.ts';
import styles from '../home.module.css';
import { EditNote } from './edit-note.tsx';
import { NoteProjects } from './note-projects.tsx';

const route = getRouteApi('/$namespace/-/notes/$note');

const noteQuery = (namespace: string, noteId: string) =>
  queryOptions({
    queryKey: ['note', namespace, noteId],
    queryFn: ({ signal }) => service.call(routes.notes.getNote, { params: { namespace, noteId }, signal }),
  });

/** One Note: the projects that it is filed in, and its Bindrs there. */
export function NotePage() {
  const { namespace, note: id } = route.useParams();
  const { data: note, error, refetch } = useQuery(noteQuery(namespace, id));
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (!note) return null;
  return (
    <div className={styles.page}>
      <title>{`${note.name} · ${namespace} · ${messages.product}`}</title>
      <header>
        <Crumbs namespace={namespace} section="notes" />
        <h1>{note.name}</h1>
        <p className={styles.soft}>
          {messages.visibility[note.visibility]} · {messages.notes.updated(formatDate(note.updatedAt))}
        </p>
      </header>
      <NoteProjects note={note} />
      {note.viewerCanWrite && <EditNote key={note.updatedAt} note={note} />}
    </div>
  );
}
