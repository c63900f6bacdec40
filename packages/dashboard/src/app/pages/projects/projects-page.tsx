import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { answerOf } from '../../connection.ts';
import { messages } from '../../messages.ts';
import { Crumbs } from '../../parts/crumbs.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import form from '../../parts/form.module.css';
import { Pager } from '../../parts/pager.tsx';
import { projectsQuery } from '../../queries.ts';
import { SearchBox } from '../../search/search-box.tsx';
import styles from '../home.module.css';
import { NewProject } from './new-project.tsx';

const route = getRouteApi('/$namespace/-/projects');

/** The project catalog of a namespace: the projects that the viewer may read. */
export function ProjectsPage() {
  const text = messages.projects;
  const { namespace } = route.useParams();
  const list = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(projectsQuery(namespace, list));
  const { error, refetch } = query;
  const data = answerOf(query);
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  return (
    <div className={styles.page}>
      <title>{`${text.title} · ${namespace} · ${messages.product}`}</title>
      <div>
        <Crumbs namespace={namespace} />
        <h1>{text.title}</h1>
        {data && <p className={styles.soft}>{text.count(data.total)}</p>}
      </div>
      <SearchBox
        label={text.search}
        placeholder={text.search}
        value={list.q ?? ''}
        onChange={(q) => navigate({ search: q === '' ? {} : { q }, replace: true, resetScroll: false })}
      />
      {data?.total === 0 ? (
        <EmptyState title={list.q === undefined ? text.none : text.noneFound}>
          {list.q === undefined && <p>{text.noneDetail}</p>}
        </EmptyState>
      ) : (
        data && (
          <section className={form.card} aria-label={text.title}>
            <ul className={form.list}>
              {data.projects.map(({ id, slug, displayName, permissions }) => (
                <li key={id}>
                  <span>
                    <Link to="/$namespace/-/projects/$project" params={{ namespace, project: slug }}>
                      {displayName}
                    </Link>
                    <br />
                    <span className={form.soft}>{slug}</span>
                  </span>
                  <span className={form.soft}>{text.roleIs(text.roles[permissions.role])}</span>
                </li>
              ))}
            </ul>
            <Pager
              page={data.page}
              totalPages={data.totalPages}
              onPage={(page) => navigate({ search: { ...list, page: String(page) } })}
            />
          </section>
        )
      )}
      {data?.canCreate && <NewProject namespace={namespace} />}
    </div>
  );
}
