import { routes } from '@bindery/contract/wire';
import { ApiError } from '@bindery/sdk/browser';
import { useQuery } from '@tanstack/react-query';
import { projectsMessages } from '../../messages/projects.ts';
import { Card } from '../../parts/card.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import { People } from '../../parts/people.tsx';
import { change, queryOf } from '../../session.ts';

interface ProjectParams {
  namespace: string;
  projectSlug: string;
}

const grantsQuery = (params: ProjectParams) =>
  queryOf(['grants', params.namespace, params.projectSlug], routes.projects.listGrants, { params });

/**
 * The direct grants in a project, which its admins add, change and remove. Each change refetches everything, because the
 * viewer's own role may have changed.
 */
export function Grants(project: ProjectParams) {
  const text = projectsMessages.grants;
  const { data, error } = useQuery(grantsQuery(project));
  const of = (userName: string) => ({ params: { ...project, userName } });
  return (
    <Card title={text.title} detail={text.detail}>
      <InlineError error={error} />
      <People
        people={data?.grants}
        none={text.none}
        initial="writer"
        text={text}
        put={(userName, role) => change(routes.projects.putGrant, { ...of(userName), body: { role } })}
        remove={(userName) => change(routes.projects.removeGrant, of(userName))}
        failure={(error) => {
          const isNobody = error instanceof ApiError && [400, 404].includes(error.status);
          return <InlineError error={isNobody ? new Error(text.noUser) : error} />;
        }}
      />
    </Card>
  );
}
