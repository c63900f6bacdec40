import { routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { membersMessages } from '../../messages/namespace.ts';
import form from '../../parts/form.module.css';
import { FailureNotice } from '../../parts/notices.tsx';
import { People } from '../../parts/people.tsx';
import { namespaceQuery } from '../../queries.ts';
import { queries, queryOf, service } from '../../session.ts';
import { NamespaceFrame } from './namespace-frame.tsx';

const route = getRouteApi('/$namespace/-/members');

const membersQuery = (namespace: string) =>
  queryOf(['members', namespace], routes.namespaces.listMembers, { params: { namespace } });

const refresh = () => queries.invalidateQueries({ queryKey: ['members'] });

/** The members of a namespace; its owners can change them. */
export function MembersPage() {
  const text = membersMessages;
  const { namespace } = route.useParams();
  const { data, error, refetch } = useQuery(membersQuery(namespace));
  const { data: details } = useQuery(namespaceQuery(namespace));
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  const owners = data?.members.filter(({ role }) => role === 'owner').map(({ userName }) => userName);
  return (
    <NamespaceFrame namespace={namespace} title={text.title}>
      <section className={form.card}>
        {details?.viewerRole === 'owner' ? (
          <People
            people={data?.members}
            initial="member"
            text={text}
            put={async (userName, role) => {
              const params = { namespace, userName };
              await service.call(routes.namespaces.putMember, { params, body: { role } });
              await refresh();
            }}
            remove={async (userName) => {
              await service.call(routes.namespaces.removeMember, { params: { namespace, userName } });
              await refresh();
            }}
          />
        ) : (
          <>
            <ul className={form.list}>
              {data?.members.map(({ userName, role }) => (
                <li key={userName}>
                  <strong>{userName}</strong>
                  <span className={form.soft}>{text.roles[role]}</span>
                </li>
              ))}
            </ul>
            {details && owners && <p className={form.soft}>{text.onlyOwners(owners)}</p>}
          </>
        )}
      </section>
    </NamespaceFrame>
  );
}
