import { routes } from '@bindery/contract/wire';
import { ApiError } from '@bindery/sdk/browser';
import { useQuery } from '@tanstack/react-query';
import { projectsMessages } from '../../messages/projects.ts';
import { Card } from '../../parts/card.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import { People } from '../../parts/people.tsx';
import { queries, queryOf, service } from '../../session.ts';

interface ProjectParams {
  namespace: string;
  projectSlug: string;
}

const grantsQuery = (params: ProjectParams) =>
  queryOf(['grants', params.namespace, params.projectSlug], routes.projects.listGrants, { params });

/** Refetches everything, because the viewer's own role may have changed. */
const refresh = () => queries.invalidateQueries();

/** The direct grants in a project, which its admins add, change and remove. */
export function Grants(params: ProjectParams) {
  const text = projectsMessages.grants;
  const { data, error } = useQuery(grantsQuery(params));
  return (
    <Card title={text.title} detail={text.detail}>
      <InlineError error={error} />
      <People
        people={data?.grants}
        none={text.none}
        initial="writer"
        text={text}
        put={async (userName, role) => {
          await service.call(routes.projects.putGrant, { params: { ...params, userName }, body: { role } });
          await refresh();
        }}
        remove={async (userName) => {
          await service.call(routes.projects.removeGrant, { params: { ...params, userName } });
          await refresh();
        }}
        failure={(error) => {
          const isNobody = error instanceof ApiError && [400, 404].includes(error.status);
          return <InlineError error={isNobody ? new Error(text.noUser) : error} />;
        }}
      />
    </Card>
  );
}
