import type { Project } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { ApiError } from '@bindery/sdk/browser';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { dotted } from '../../format.ts';
import { toSection } from '../../links.ts';
import { projectsMessages as text } from '../../messages/projects.ts';
import { messages } from '../../messages.ts';
import { Confirm } from '../../parts/actions.tsx';
import { Card } from '../../parts/card.tsx';
import { ActionForm, NameField, TextField, useFields, VisibilityField } from '../../parts/form.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { People } from '../../parts/people.tsx';
import { projectQuery } from '../../queries.ts';
import { change, queryOf, remove } from '../../session.ts';
import { Bindrs } from '../bindrs/bindrs.tsx';
import styles from '../home.module.css';
import { NamespaceFrame } from '../namespace/namespace-frame.tsx';
import { NoteList } from '../notes/notes-page.tsx';

const route = getRouteApi('/$namespace/-/projects/$project');

/** One project: its Notes, Bindrs and grants, as far as the viewer may see and change them. */
export function ProjectPage() {
  const { namespace, project: slug } = route.useParams();
  return <Loaded query={projectQuery(namespace, slug)}>{(project) => <Shown project={project} />}</Loaded>;
}

function Shown({ project }: { project: Project }) {
  const { id, namespace, slug, displayName, visibility, description, permissions, updatedAt } = project;
  const role = text.roleIs(text.grants.roles[permissions.role]);
  return (
    <NamespaceFrame
      namespace={namespace}
      section="projects"
      title={displayName}
      detail={dotted(slug, messages.visibility[visibility], role)}
      about={
        description !== '' && (
          <div className={styles.text}>
            <Markdown text={description} />
          </div>
        )
      }
    >
      <NoteList
        namespace={namespace}
        project={slug}
        mayCreate={permissions.content.create}
        heading={<h2>{messages.titles.notes}</h2>}
      />
      <Bindrs key={id} project={project} />
      {permissions.project.manageGrants && <Grants namespace={namespace} projectSlug={slug} />}
      {permissions.project.update && <EditProject key={updatedAt} project={project} />}
    </NamespaceFrame>
  );
}

/**
 * The direct grants in a project, which its admins add, change and remove. Each change refetches everything, because the
 * viewer's own role may have changed.
 */
function Grants(project: { namespace: string; projectSlug: string }) {
  const words = text.grants;
  const { data, error } = useQuery(
    queryOf(['grants', project.namespace, project.projectSlug], routes.projects.listGrants, {
      params: project,
    }),
  );
  const of = (userName: string) => ({ params: { ...project, userName } });
  return (
    <Card title={words.title} detail={words.detail}>
      <InlineError error={error} />
      <People
        people={data?.grants}
        none={words.none}
        initial="writer"
        text={words}
        put={(userName, role) => change(routes.projects.putGrant, { ...of(userName), body: { role } })}
        remove={(userName) => change(routes.projects.removeGrant, of(userName))}
        failure={(error) => {
          const isNobody = error instanceof ApiError && [400, 404].includes(error.status);
          return <InlineError error={isNobody ? new Error(words.noUser) : error} />;
        }}
      />
    </Card>
  );
}

/** Edits or deletes a project, for its admins. */
function EditProject({ project }: { project: Project }) {
  const { namespace, slug: projectSlug, displayName, description, visibility } = project;
  const params = { namespace, projectSlug };
  const navigate = useNavigate();
  const [body, field] = useFields({ displayName, description, visibility });
  const key = ['project', namespace, projectSlug];
  const leave = () => navigate(toSection(namespace, 'projects'));
  return (
    <Card title={text.edit}>
      <ActionForm
        label={text.save}
        isStacked
        run={() => change(routes.projects.patchProject, { params, body })}
      >
        <div className="fields">
          <NameField label={text.name} {...field('displayName')} />
          <VisibilityField {...field('visibility')} />
        </div>
        <TextField label={text.description} {...field('description')} maxLength={10_000} />
      </ActionForm>
      {project.permissions.project.delete && (
        <div className="actions">
          <Confirm
            label={text.remove}
            title={text.removeTitle(displayName)}
            detail={text.removeDetail}
            typed={projectSlug}
            action={() => remove(routes.projects.deleteProject, { params }, leave, key)}
          />
        </div>
      )}
    </Card>
  );
}
