import { routes } from '@bindery/contract/wire';
import { getRouteApi, Link } from '@tanstack/react-router';
import { formatBytes } from '../../../format-quantities.ts';
import { dotted } from '../../format.ts';
import { toUser } from '../../links.ts';
import { allNamespacesMessages as text } from '../../messages/admin.ts';
import { membersMessages } from '../../messages/namespace.ts';
import { Card, Pair } from '../../parts/card.tsx';
import { ActionForm, Done, SlugField, useFields } from '../../parts/form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { QuotaFigures } from '../../parts/quota-figures.tsx';
import { change, queryOf } from '../../session.ts';
import { AdminFrame, LargestLibraries } from './admin-frame.tsx';
import { QuotaForm } from './quota-form.tsx';

const route = getRouteApi('/-/admin/namespaces/$namespace');

const inspectedQuery = (namespace: string) =>
  queryOf(['admin', 'namespace', namespace], routes.admin.inspectNamespace, { params: { namespace } });

/** One namespace: its members and owners, its quota, and its largest libraries. */
export function AdminNamespacePage() {
  const { namespace } = route.useParams();
  return (
    <AdminFrame title={namespace}>
      <Loaded query={inspectedQuery(namespace)}>
        {({ displayName, kind, libraries, members, bytes, memberships, quota, largest }) => (
          <>
            <p>{dotted(displayName, text.kinds[kind], text.holds(libraries, members), formatBytes(bytes))}</p>
            <Card title={text.members}>
              <ul className="list">
                {memberships.map(({ userName, role }) => (
                  <Pair
                    key={userName}
                    name={<Link {...toUser(userName)}>{userName}</Link>}
                    value={membersMessages.roles[role]}
                  />
                ))}
              </ul>
              <HandOver namespace={namespace} />
            </Card>
            <Card title={text.quota}>
              {quota && <QuotaFigures quota={quota} />}
              <QuotaForm key={JSON.stringify(quota)} namespace={namespace} quota={quota} />
            </Card>
            <Card title={text.largest}>
              <LargestLibraries libraries={largest} />
            </Card>
          </>
        )}
      </Loaded>
    </AdminFrame>
  );
}

function HandOver({ namespace }: { namespace: string }) {
  const [{ userName }, field, set] = useFields({ userName: '' });
  const run = async () => {
    const request = { params: { namespace }, body: { to: userName } };
    await change(routes.admin.handOverNamespace, request, ['admin']);
    set({ userName: '' });
    return userName;
  };
  return (
    <ActionForm
      label={text.handOver}
      detail={text.handOverDetail}
      run={run}
      done={(owner) => <Done>{text.handedOver(owner)}</Done>}
    >
      <SlugField label={text.userName} {...field('userName')} />
    </ActionForm>
  );
}
