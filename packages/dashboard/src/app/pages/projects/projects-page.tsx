import type { Visibility } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { projectsMessages } from '../../messages/projects.ts';
import { Card, Line } from '../../parts/card.tsx';
import form from '../../parts/form.module.css';
import { ActionForm, NameField, VisibilityField } from '../../parts/form.tsx';
import { EmptyState } from '../../parts/notices.tsx';
import { PagedList } from '../../search/paged-list.tsx';
import { queries, service } from '../../session.ts';
import { NamespaceHeading } from '../namespace/namespace-frame.tsx';

const route = getRouteApi('/$namespace/-/projects');

/** The project catalog of a namespace: the projects that the viewer may read. */
export function ProjectsPage() {
  const text = projectsMessages;
  const { namespace } = route.useParams();
  const isSearched = route.useSearch().q !== undefined;
  return (
    <div className="stack">
      <PagedList
        queryKey={['projects', namespace]}
        read={(query, signal) =>
          service.call(routes.projects.listProjects, { params: { namespace }, query, signal })
        }
        heading={<NamespaceHeading namespace={namespace} title={text.title} />}
        text={text}
        empty={
          <EmptyState title={isSearched ? text.noneFound : text.none}>
            {!isSearched && <p>{text.noneDetail}</p>}
          </EmptyState>
        }
        after={({ canCreate }) => canCreate && <NewProject namespace={namespace} />}
      >
        {({ projects }) =>
          projects.map(({ id, slug, displayName, permissions }) => (
            <Line
              key={id}
              name={
                <Link to="/$namespace/-/projects/$project" params={{ namespace, project: slug }}>
                  {displayName}
                </Link>
              }
              detail={slug}
            >
              <span className={form.soft}>{text.roleIs(text.grants.roles[permissions.role])}</span>
            </Line>
          ))
        }
      </PagedList>
    </div>
  );
}

/** Creates a project and opens it. */
function NewProject({ namespace }: { namespace: string }) {
  const text = projectsMessages;
  const navigate = useNavigate();
  const [displayName, setDisplayName] = useState('');
  const [visibility, setVisibility] = useState<Visibility>('private');
  const run = async () => {
    const { slug } = await service.call(routes.projects.createProject, {
      params: { namespace },
      body: { displayName, visibility },
    });
    await queries.invalidateQueries({ queryKey: ['projects', namespace] });
    await navigate({ to: '/$namespace/-/projects/$project', params: { namespace, project: slug } });
  };
  return (
    <Card title={text.newTitle}>
      <ActionForm label={text.make} run={run}>
        <NameField label={text.name} value={displayName} onChange={setDisplayName} />
        <VisibilityField value={visibility} onChange={setVisibility} />
      </ActionForm>
    </Card>
  );
}
