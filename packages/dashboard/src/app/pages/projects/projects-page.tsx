import type { Visibility } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { toProject } from '../../links.ts';
import { projectsMessages as text } from '../../messages/projects.ts';
import { Card, Line } from '../../parts/card.tsx';
import { ActionForm, NameField, useFields, VisibilityField } from '../../parts/form.tsx';
import { PagedList } from '../../search/paged-list.tsx';
import { change, queryOf } from '../../session.ts';
import { NamespaceHeading } from '../namespace/namespace-frame.tsx';

const route = getRouteApi('/$namespace/-/projects');

/** The project catalog of a namespace: the projects that the viewer may read. */
export function ProjectsPage() {
  const { namespace } = route.useParams();
  return (
    <div className="stack">
      <PagedList
        query={(query) =>
          queryOf(['projects', namespace, query], routes.projects.listProjects, {
            params: { namespace },
            query,
          })
        }
        heading={<NamespaceHeading namespace={namespace} title={text.title} />}
        text={text}
        after={({ canCreate }) => canCreate && <NewProject namespace={namespace} />}
      >
        {({ projects }) =>
          projects.map(({ id, slug, displayName, permissions }) => (
            <Line key={id} name={<Link {...toProject(namespace, slug)}>{displayName}</Link>} detail={slug}>
              <span className="detail">{text.roleIs(text.grants.roles[permissions.role])}</span>
            </Line>
          ))
        }
      </PagedList>
    </div>
  );
}

/** Creates a project and opens it. */
function NewProject({ namespace }: { namespace: string }) {
  const navigate = useNavigate();
  const [body, field] = useFields({ displayName: '', visibility: 'private' as Visibility });
  const run = async () => {
    const request = { params: { namespace }, body };
    const { slug } = await change(routes.projects.createProject, request, ['projects', namespace]);
    await navigate(toProject(namespace, slug));
  };
  return (
    <Card title={text.newTitle}>
      <ActionForm label={text.make} run={run}>
        <NameField label={text.name} {...field('displayName')} />
        <VisibilityField {...field('visibility')} />
      </ActionForm>
    </Card>
  );
}
