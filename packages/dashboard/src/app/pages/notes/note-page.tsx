import type { Note } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { formatDate } from '../../format.ts';
import { notesMessages } from '../../messages/notes.ts';
import { messages } from '../../messages.ts';
import { Confirm } from '../../parts/actions.tsx';
import { Card } from '../../parts/card.tsx';
import form from '../../parts/form.module.css';
import { ActionForm, NameField, VisibilityField } from '../../parts/form.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { queries, queryOf, service } from '../../session.ts';
import { NamespaceFrame } from '../namespace/namespace-frame.tsx';
import { NoteProjects } from './note-projects.tsx';

const route = getRouteApi('/$namespace/-/notes/$note');

const noteQuery = (namespace: string, noteId: string) =>
  queryOf(['note', namespace, noteId], routes.notes.getNote, { params: { namespace, noteId } });

/** One Note: the projects that it is filed in, and its Bindrs there. */
export function NotePage() {
  const { namespace, note: id } = route.useParams();
  const { data: note, error, refetch } = useQuery(noteQuery(namespace, id));
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (!note) return null;
  return (
    <NamespaceFrame
      namespace={namespace}
      section="notes"
      title={note.name}
      detail={`${messages.visibility[note.visibility]} · ${notesMessages.updated(formatDate(note.updatedAt))}`}
    >
      <NoteProjects note={note} />
      {note.viewerCanWrite && <EditNote key={note.updatedAt} note={note} />}
    </NamespaceFrame>
  );
}

/** Edits or deletes a Note. */
function EditNote({ note }: { note: Note }) {
  const text = notesMessages;
  const { namespace, id } = note;
  const params = { namespace, noteId: id };
  const navigate = useNavigate();
  const [name, setName] = useState(note.name);
  const [visibility, setVisibility] = useState(note.visibility);
  const save = async () => {
    await service.call(routes.notes.patchNote, { params, body: { name, visibility } });
    await queries.invalidateQueries();
  };
  return (
    <Card title={text.edit}>
      <ActionForm label={text.save} isStacked run={save}>
        <div className={form.row}>
          <NameField label={text.name} value={name} onChange={setName} />
          <VisibilityField value={visibility} onChange={setVisibility} />
        </div>
      </ActionForm>
      <div className={form.actions}>
        <Confirm
          label={text.remove}
          title={text.removeTitle(note.name)}
          detail={text.removeDetail}
          action={async () => {
            await service.call(routes.notes.deleteNote, { params });
            await navigate({ to: '/$namespace/-/notes', params: { namespace } });
            queries.removeQueries({ queryKey: ['note', namespace, id] });
            await queries.invalidateQueries();
          }}
        />
      </div>
    </Card>
  );
}
