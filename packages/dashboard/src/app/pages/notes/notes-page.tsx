import type { Visibility } from '@bindery/contract';
import { mayWrite, routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { dotted, formatAgo } from '../../format.ts';
import { toNote } from '../../links.ts';
import { notesMessages as text } from '../../messages/notes.ts';
import { messages } from '../../messages.ts';
import { Line } from '../../parts/card.tsx';
import { ActionForm, NameField, useFields, VisibilityField } from '../../parts/form.tsx';
import { namespaceQuery } from '../../queries.ts';
import { PagedList } from '../../search/paged-list.tsx';
import { change, queryOf } from '../../session.ts';
import { NamespaceHeading } from '../namespace/namespace-frame.tsx';

const route = getRouteApi('/$namespace/-/notes');

/** The Notes of a namespace that the viewer may read. */
export function NotesPage() {
  const { namespace } = route.useParams();
  const { data } = useQuery(namespaceQuery(namespace));
  return (
    <div className="stack">
      <NoteList
        namespace={namespace}
        mayCreate={data !== undefined && mayWrite(data.viewerRole)}
        heading={<NamespaceHeading namespace={namespace} title={text.title} />}
      />
    </div>
  );
}

/** The Notes of a namespace, or of one of its projects, page by page. */
export function NoteList({
  namespace,
  project,
  mayCreate,
  heading,
}: {
  namespace: string;
  project?: string;
  mayCreate: boolean;
  heading: ReactNode;
}) {
  return (
    <PagedList
      query={(page) => {
        const query = { ...page, ...(project !== undefined && { project }) };
        return queryOf(['notes', namespace, query], routes.notes.listNotes, { params: { namespace }, query });
      }}
      heading={heading}
      text={text}
      after={() => mayCreate && <NewNote namespace={namespace} project={project} />}
    >
      {({ notes }) =>
        notes.map(({ id, name, visibility, updatedAt }) => (
          <Line
            key={id}
            name={<Link {...toNote(namespace, id)}>{name}</Link>}
            detail={dotted(messages.visibility[visibility], text.updated(formatAgo(updatedAt)))}
          />
        ))
      }
    </PagedList>
  );
}

/** Creates a Note, filed in a project if one is given. */
function NewNote({ namespace, project }: { namespace: string; project: string | undefined }) {
  const [values, field, set] = useFields({ name: '', visibility: 'private' as Visibility });
  const body = { ...values, ...(project !== undefined && { projects: [project] }) };
  const run = () => change(routes.notes.createNote, { params: { namespace }, body }, ['notes', namespace]);
  return (
    <ActionForm label={text.make} run={run} onDone={() => set({ name: '' })}>
      <NameField label={text.newTitle} {...field('name')} />
      <VisibilityField {...field('visibility')} />
    </ActionForm>
  );
}
