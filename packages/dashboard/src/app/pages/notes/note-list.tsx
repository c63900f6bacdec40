import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { answerOf } from '../../connection.ts';
import { formatDate } from '../../format.ts';
import { messages } from '../../messages.ts';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import form from '../../parts/form.module.css';
import { Pager } from '../../parts/pager.tsx';
import { notesQuery } from '../../queries.ts';
import type { ListSearch } from '../../url.ts';
import { useSettled } from '../../use-settled.ts';
import { NewNote } from './new-note.tsx';

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
      <label className={form.field}>
        {text.search}
        <input
          type="search"
          value={list.q ?? ''}
          maxLength={200}
          autoComplete="off"
          onChange={({ target: { value: q } }) => onList(q === '' ? {} : { q }, true)}
        />
      </label>
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
