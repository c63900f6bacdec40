import type { Visibility } from '@bindery/contract';
import { mayWrite, routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { formatAgo } from '../../format.ts';
import { notesMessages } from '../../messages/notes.ts';
import { messages } from '../../messages.ts';
import { Line } from '../../parts/card.tsx';
import { ActionForm, NameField, VisibilityField } from '../../parts/form.tsx';
import { EmptyState } from '../../parts/notices.tsx';
import { namespaceQuery } from '../../queries.ts';
import { PagedList } from '../../search/paged-list.tsx';
import { queries, service } from '../../session.ts';
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
        isSearched={route.useSearch().q !== undefined}
        mayCreate={data !== undefined && mayWrite(data.viewerRole)}
        heading={<NamespaceHeading namespace={namespace} title={messages.titles.notes} />}
      />
    </div>
  );
}

/** The Notes of a namespace, or of one of its projects, page by page. */
export function NoteList({
  namespace,
  project,
  isSearched,
  mayCreate,
  heading,
}: {
  namespace: string;
  project?: string;
  isSearched: boolean;
  mayCreate: boolean;
  heading: ReactNode;
}) {
  const text = notesMessages;
  return (
    <PagedList
      queryKey={['notes', namespace, project ?? null]}
      read={(page, signal) =>
        service.call(routes.notes.listNotes, {
          params: { namespace },
          query: { ...page, ...(project !== undefined && { project }) },
          signal,
        })
      }
      heading={heading}
      text={text}
      empty={
        <EmptyState title={isSearched ? text.noneFound : text.none}>
          {!isSearched && <p>{text.noneDetail}</p>}
        </EmptyState>
      }
      after={() => mayCreate && <NewNote namespace={namespace} project={project} />}
    >
      {({ notes }) =>
        notes.map(({ id, name, visibility, updatedAt }) => (
          <Line
            key={id}
            name={
              <Link to="/$namespace/-/notes/$note" params={{ namespace, note: id }}>
                {name}
              </Link>
            }
            detail={`${messages.visibility[visibility]} · ${text.updated(formatAgo(updatedAt))}`}
          />
        ))
      }
    </PagedList>
  );
}

/** Creates a Note, filed in a project if one is given. */
function NewNote({ namespace, project }: { namespace: string; project: string | undefined }) {
  const text = notesMessages;
  const [name, setName] = useState('');
  const [visibility, setVisibility] = useState<Visibility>('private');
  const run = async () => {
    await service.call(routes.notes.createNote, {
      params: { namespace },
      body: { name, visibility, ...(project !== undefined && { projects: [project] }) },
    });
    setName('');
    await queries.invalidateQueries({ queryKey: ['notes', namespace] });
  };
  return (
    <ActionForm label={text.make} run={run}>
      <NameField label={text.newTitle} value={name} onChange={setName} />
      <VisibilityField value={visibility} onChange={setVisibility} />
    </ActionForm>
  );
}
