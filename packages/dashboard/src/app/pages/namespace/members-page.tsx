import { routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { membersMessages as text } from '../../messages/namespace.ts';
import { Pair } from '../../parts/card.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { People } from '../../parts/people.tsx';
import { namespaceQuery } from '../../queries.ts';
import { change, queryOf } from '../../session.ts';
import { NamespaceFrame } from './namespace-frame.tsx';

const route = getRouteApi('/$namespace/-/members');

const membersQuery = (namespace: string) =>
  queryOf(['members', namespace], routes.namespaces.listMembers, { params: { namespace } });

/** The members of a namespace; its owners can change them. */
export function MembersPage() {
  const { namespace } = route.useParams();
  const { data, error, refetch } = useQuery(membersQuery(namespace));
  const { data: details } = useQuery(namespaceQuery(namespace));
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  const owners = data?.members.filter(({ role }) => role === 'owner').map(({ userName }) => userName);
  const of = (userName: string) => ({ params: { namespace, userName } });
  return (
    <NamespaceFrame namespace={namespace} title={text.title}>
      <section className="card">
        {details?.viewerRole === 'owner' ? (
          <People
            people={data?.members}
            initial="member"
            text={text}
            put={(userName, role) =>
              change(routes.namespaces.putMember, { ...of(userName), body: { role } }, ['members'])
            }
            remove={(userName) => change(routes.namespaces.removeMember, of(userName), ['members'])}
          />
        ) : (
          <>
            <ul className="list">
              {data?.members.map(({ userName, role }) => (
                <Pair key={userName} name={<strong>{userName}</strong>} value={text.roles[role]} />
              ))}
            </ul>
            {details && owners && <p className="detail">{text.onlyOwners(owners)}</p>}
          </>
        )}
      </section>
    </NamespaceFrame>
  );
}
