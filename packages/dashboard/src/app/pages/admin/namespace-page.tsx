import { routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatBytes } from '../../../format-quantities.ts';
import { adminMessages } from '../../messages/admin.ts';
import { membersMessages } from '../../messages/namespace.ts';
import { Card } from '../../parts/card.tsx';
import form from '../../parts/form.module.css';
import { ActionForm, SlugField } from '../../parts/form.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { QuotaFigures } from '../../parts/quota-figures.tsx';
import { service } from '../../session.ts';
import { AdminFrame, inspectedNamespaceQuery, LargestLibraries, refreshAdmin } from './admin-frame.tsx';
import { QuotaForm } from './quota-form.tsx';

const route = getRouteApi('/-/admin/namespaces/$namespace');

/** One namespace: its members and owners, its quota, and its largest libraries. */
export function AdminNamespacePage() {
  const { namespace } = route.useParams();
  return (
    <AdminFrame title={namespace}>
      <NamespaceSections namespace={namespace} />
    </AdminFrame>
  );
}

function NamespaceSections({ namespace }: { namespace: string }) {
  const text = adminMessages.namespaces;
  const { data, error, refetch } = useQuery(inspectedNamespaceQuery(namespace));
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (!data) return null;
  return (
    <>
      <p>
        {data.displayName} · {text.kinds[data.kind]} · {text.holds(data.libraries, data.members)} ·{' '}
        {formatBytes(data.bytes)}
      </p>
      <Card title={text.members}>
        <ul className={form.list}>
          {data.memberships.map(({ userName, role }) => (
            <li key={userName}>
              <Link to="/-/admin/users/$user" params={{ user: userName }}>
                {userName}
              </Link>
              <span className={form.soft}>{membersMessages.roles[role]}</span>
            </li>
          ))}
        </ul>
        <HandOver namespace={namespace} />
      </Card>
      <Card title={text.quota}>
        {data.quota && <QuotaFigures quota={data.quota} />}
        <QuotaForm key={JSON.stringify(data.quota)} namespace={namespace} quota={data.quota} />
      </Card>
      <Card title={text.largest}>
        <LargestLibraries libraries={data.largest} />
      </Card>
    </>
  );
}

function HandOver({ namespace }: { namespace: string }) {
  const text = adminMessages.namespaces;
  const [userName, setUserName] = useState('');
  const run = async () => {
    await service.call(routes.admin.handOverNamespace, { params: { namespace }, body: { to: userName } });
    setUserName('');
    await refreshAdmin();
    return userName;
  };
  return (
    <ActionForm
      label={text.handOver}
      detail={text.handOverDetail}
      run={run}
      done={(owner) => (
        <p role="status" className={form.done}>
          {text.handedOver(owner)}
        </p>
      )}
    >
      <SlugField label={text.userName} value={userName} onChange={setUserName} />
    </ActionForm>
  );
}
