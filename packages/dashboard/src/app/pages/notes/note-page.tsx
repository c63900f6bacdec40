import type { Note } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { dotted, formatDate } from '../../format.ts';
import { toSection } from '../../links.ts';
import { notesMessages as text } from '../../messages/notes.ts';
import { messages } from '../../messages.ts';
import { Confirm } from '../../parts/actions.tsx';
import { Card } from '../../parts/card.tsx';
import { ActionForm, NameField, useFields, VisibilityField } from '../../parts/form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { change, queryOf, remove } from '../../session.ts';
import { NamespaceFrame } from '../namespace/namespace-frame.tsx';
import { NoteProjects } from './note-projects.tsx';

const route = getRouteApi('/$namespace/-/notes/$note');

const noteQuery = (namespace: string, noteId: string) =>
  queryOf(['note', namespace, noteId], routes.notes.getNote, { params: { namespace, noteId } });

/** One Note: the projects that it is filed in, and its Bindrs there. */
export function NotePage() {
  const { namespace, note: id } = route.useParams();
  return (
    <Loaded query={noteQuery(namespace, id)}>
      {(note) => (
        <NamespaceFrame
          namespace={namespace}
          section="notes"
          title={note.name}
          detail={dotted(messages.visibility[note.visibility], text.updated(formatDate(note.updatedAt)))}
        >
          <NoteProjects note={note} />
          {note.viewerCanWrite && <EditNote key={note.updatedAt} note={note} />}
        </NamespaceFrame>
      )}
    </Loaded>
  );
}

/** Edits or deletes a Note. */
function EditNote({ note: { namespace, id: noteId, name, visibility } }: { note: Note }) {
  const params = { namespace, noteId };
  const navigate = useNavigate();
  const [body, field] = useFields({ name, visibility });
  const leave = () => navigate(toSection(namespace, 'notes'));
  return (
    <Card title={text.edit}>
      <ActionForm label={text.save} isStacked run={() => change(routes.notes.patchNote, { params, body })}>
        <div className="fields">
          <NameField label={text.name} {...field('name')} />
          <VisibilityField {...field('visibility')} />
        </div>
      </ActionForm>
      <div className="actions">
        <Confirm
          label={text.remove}
          title={text.removeTitle(name)}
          detail={text.removeDetail}
          action={() => remove(routes.notes.deleteNote, { params }, leave, ['note', namespace, noteId])}
        />
      </div>
    </Card>
  );
}
