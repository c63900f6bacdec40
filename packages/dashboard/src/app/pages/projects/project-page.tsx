import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { messages } from '../../messages.ts';
import { Crumbs } from '../../parts/crumbs.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { projectQuery } from '../../queries.ts';
import { Bindrs } from '../bindrs/bindrs.tsx';
import styles from '../home.module.css';
import { NoteList } from '../notes/note-list.tsx';
import { EditProject } from './edit-project.tsx';
import { Grants } from './grants.tsx';

const route = getRouteApi('/$namespace/-/projects/$project');

/** One project: its Notes, Bindrs and grants, as far as the viewer may see and change them. */
export function ProjectPage() {
  const { namespace, project: slug } = route.useParams();
  const list = route.useSearch();
  const navigate = route.useNavigate();
  const { data: project, error, refetch } = useQuery(projectQuery(namespace, slug));
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (!project) return null;
  const { permissions } = project;
  return (
    <div className={styles.page}>
      <title>{`${project.displayName} · ${namespace} · ${messages.product}`}</title>
      <header>
        <Crumbs namespace={namespace} section="projects" />
        <h1>{project.displayName}</h1>
        <p className={styles.soft}>
          {slug} · {messages.visibility[project.visibility]} ·{' '}
          {messages.projects.roleIs(messages.projects.roles[permissions.role])}
        </p>
        {project.description !== '' && (
          <div className={styles.text}>
            <Markdown text={project.description} />
          </div>
        )}
      </header>
      <NoteList
        namespace={namespace}
        project={slug}
        list={list}
        mayCreate={permissions.content.create}
        onList={(search, replace) => navigate({ search, replace, resetScroll: false })}
      />
      <Bindrs key={project.id} project={project} />
      {permissions.project.manageGrants && <Grants namespace={namespace} projectSlug={slug} />}
      {permissions.project.update && <EditProject key={project.updatedAt} project={project} />}
    </div>
  );
}
