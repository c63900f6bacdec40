import type { Visibility } from '@bindery/contract';
import { mayWrite, routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf } from '../../connection.ts';
import { formatDate } from '../../format.ts';
import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import { ActionForm, Field, NameField, VisibilityField } from '../../parts/form.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { Pager } from '../../parts/pager.tsx';
import { namespaceQuery, notesQuery } from '../../queries.ts';
import { queries, service } from '../../session.ts';
import type { ListSearch } from '../../url.ts';
import { useSettled } from '../../use-settled.ts';
import { NamespaceFrame } from '../namespace/namespace-frame.tsx';

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

/** The Notes of a namespace, or of one of its projects, page by page. */
export function NoteList({
  namespace,
  project,
  list,
  mayCreate,
  onList,
}: {
  namespace: string;
  project?: string;
  list: ListSearch;
  mayCreate: boolean;
  /** Shows another page or search. */
  onList: (list: ListSearch, replace: boolean) => void;
}) {
  const text = messages.notes;
  const query = useQuery(notesQuery(namespace, useSettled(list), project));
  const { error, refetch } = query;
  const data = answerOf(query);
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  return (
    <section className={form.card} aria-label={text.title}>
      {project !== undefined && <h2>{text.title}</h2>}
      <Field
        type="search"
        label={text.search}
        value={list.q ?? ''}
        onChange={(q) => onList(q === '' ? {} : { q }, true)}
        maxLength={200}
      />
      <p role="status" className={form.soft}>
        {data === undefined
          ? messages.loading
          : data.total > 0
            ? text.count(data.total)
            : list.q === undefined
              ? text.none
              : text.noneFound}
      </p>
      <ul className={form.list}>
        {data?.notes.map(({ id, name, visibility, updatedAt }) => (
          <li key={id}>
            <Link to="/$namespace/-/notes/$note" params={{ namespace, note: id }}>
              {name}
            </Link>
            <span className={form.soft}>
              {messages.visibility[visibility]} · {text.updated(formatDate(updatedAt))}
            </span>
          </li>
        ))}
      </ul>
      {data && (
        <Pager
          page={data.page}
          totalPages={data.totalPages}
          onPage={(page) => onList({ ...list, page: String(page) }, false)}
        />
      )}
      {mayCreate && <NewNote namespace={namespace} project={project} />}
    </section>
  );
}

/** Creates a Note, filed in a project if one is given. */
function NewNote({ namespace, project }: { namespace: string; project: string | undefined }) {
  const text = messages.notes;
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
