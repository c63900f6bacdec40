import type { Project } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { projectsMessages } from '../../messages/projects.ts';
import { messages } from '../../messages.ts';
import { Confirm } from '../../parts/actions.tsx';
import { Card } from '../../parts/card.tsx';
import form from '../../parts/form.module.css';
import { ActionForm, NameField, TextField, VisibilityField } from '../../parts/form.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { projectQuery } from '../../queries.ts';
import { queries, service } from '../../session.ts';
import { Bindrs } from '../bindrs/bindrs.tsx';
import styles from '../home.module.css';
import { NamespaceFrame } from '../namespace/namespace-frame.tsx';
import { NoteList } from '../notes/notes-page.tsx';
import { Grants } from './grants.tsx';

const route = getRouteApi('/$namespace/-/projects/$project');

/** One project: its Notes, Bindrs and grants, as far as the viewer may see and change them. */
export function ProjectPage() {
  const text = projectsMessages;
  const { namespace, project: slug } = route.useParams();
  const isSearched = route.useSearch().q !== undefined;
  const { data: project, error, refetch } = useQuery(projectQuery(namespace, slug));
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (!project) return null;
  const { displayName, visibility, description, permissions } = project;
  return (
    <NamespaceFrame
      namespace={namespace}
      section="projects"
      title={displayName}
      detail={`${slug} · ${messages.visibility[visibility]} · ${text.roleIs(text.grants.roles[permissions.role])}`}
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
        isSearched={isSearched}
        mayCreate={permissions.content.create}
        heading={<h2>{messages.titles.notes}</h2>}
      />
      <Bindrs key={project.id} project={project} />
      {permissions.project.manageGrants && <Grants namespace={namespace} projectSlug={slug} />}
      {permissions.project.update && <EditProject key={project.updatedAt} project={project} />}
    </NamespaceFrame>
  );
}

/** Edits or deletes a project, for its admins. */
function EditProject({ project }: { project: Project }) {
  const text = projectsMessages;
  const { namespace, slug: projectSlug } = project;
  const params = { namespace, projectSlug };
  const navigate = useNavigate();
  const [displayName, setDisplayName] = useState(project.displayName);
  const [description, setDescription] = useState(project.description);
  const [visibility, setVisibility] = useState(project.visibility);
  const save = async () => {
    const body = { displayName, description, visibility };
    await service.call(routes.projects.patchProject, { params, body });
    await queries.invalidateQueries();
  };
  return (
    <Card title={text.edit}>
      <ActionForm label={text.save} isStacked run={save}>
        <div className={form.row}>
          <NameField label={text.name} value={displayName} onChange={setDisplayName} />
          <VisibilityField value={visibility} onChange={setVisibility} />
        </div>
        <TextField
          label={text.description}
          value={description}
          onChange={setDescription}
          maxLength={10_000}
        />
      </ActionForm>
      {project.permissions.project.delete && (
        <div className={form.actions}>
          <Confirm
            label={text.remove}
            title={text.removeTitle(project.displayName)}
            detail={text.removeDetail}
            typed={projectSlug}
            action={async () => {
              await service.call(routes.projects.deleteProject, { params });
              await navigate({ to: '/$namespace/-/projects', params: { namespace } });
              queries.removeQueries({ queryKey: ['project', namespace, projectSlug] });
              await queries.invalidateQueries();
            }}
          />
        </div>
      )}
    </Card>
  );
}
