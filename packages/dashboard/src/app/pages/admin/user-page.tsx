import type { AdministeredUserDetail, BodyInputOf } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { formatDate } from '../../format.ts';
import { adminMessages } from '../../messages/admin.ts';
import { membersMessages } from '../../messages/namespace.ts';
import { ActionButton, Confirm } from '../../parts/actions.tsx';
import { Card } from '../../parts/card.tsx';
import form from '../../parts/form.module.css';
import { Field } from '../../parts/form.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { service } from '../../session.ts';
import { AdminFrame, refreshAdmin, userQuery } from './admin-frame.tsx';

const route = getRouteApi('/-/admin/users/$user');

/** One account: its details, its namespaces, and what an operator can do with it. */
export function UserPage() {
  const { user } = route.useParams();
  return (
    <AdminFrame title={user}>
      <UserSections userName={user} />
    </AdminFrame>
  );
}

function UserSections({ userName }: { userName: string }) {
  const { data, error, refetch } = useQuery(userQuery(userName));
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (!data) return null;
  return (
    <>
      <Account user={data} />
      <Namespaces user={data} />
      <Deletion user={data} />
    </>
  );
}

type Change = BodyInputOf<typeof routes.admin.patchUser>;

async function patch(userName: string, body: Change): Promise<void> {
  await service.call(routes.admin.patchUser, { params: { userName }, body });
  await refreshAdmin();
}

function Account({ user }: { user: AdministeredUserDetail }) {
  const text = adminMessages.users;
  const { userName, displayName, email, createdAt, disabledAt, isOperator, logins, signsInBy } = user;
  return (
    <Card title={text.account}>
      <p>
        {displayName} · {email}
      </p>
      <p className={form.soft}>
        {[
          text.since(formatDate(createdAt)),
          isOperator && text.operator,
          disabledAt !== null && text.disabled(formatDate(disabledAt)),
        ]
          .filter((part) => part !== false)
          .join(' · ')}
      </p>
      <p>
        {text.signedIn}: {text.logins(logins.browsers, logins.devices, logins.personalTokens)}
      </p>
      <p>{text.signsInBy(signsInBy.password, signsInBy.issuers)}</p>
      <div className={form.actions}>
        {disabledAt === null ? (
          <Confirm
            label={text.disable}
            title={text.disableTitle(userName)}
            detail={text.disableDetail}
            isReversible
            action={() => patch(userName, { disabled: true })}
          />
        ) : (
          <ActionButton label={text.enable} run={() => patch(userName, { disabled: false })} />
        )}
        <Confirm
          label={isOperator ? text.demote : text.promote}
          title={isOperator ? text.demoteTitle(userName) : text.promoteTitle(userName)}
          detail={isOperator ? text.demoteDetail : text.promoteDetail}
          isReversible
          action={() => patch(userName, { operator: !isOperator })}
        />
        {signsInBy.issuers.length > 0 && (
          <Confirm
            label={text.disconnect}
            title={text.disconnectTitle(userName)}
            detail={text.disconnectDetail(signsInBy.password)}
            action={async () => {
              await service.call(routes.admin.disconnectUser, { params: { userName } });
              await refreshAdmin();
            }}
          />
        )}
      </div>
    </Card>
  );
}

function Namespaces({ user: { namespaces } }: { user: AdministeredUserDetail }) {
  const text = adminMessages.users;
  return (
    <Card title={text.namespaces}>
      {namespaces.length === 0 && <p className={form.soft}>{text.noNamespaces}</p>}
      <ul className={form.list}>
        {namespaces.map(({ slug, role }) => (
          <li key={slug}>
            <Link to="/-/admin/namespaces/$namespace" params={{ namespace: slug }}>
              {slug}
            </Link>
            <span className={form.soft}>{membersMessages.roles[role]}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Deletes an account, after showing what will happen to each of its namespaces. */
function Deletion({ user: { userName, namespaces } }: { user: AdministeredUserDetail }) {
  const text = adminMessages.users;
  const navigate = useNavigate();
  const [heir, setHeir] = useState('');
  const numberOf = (what: (typeof namespaces)[number]['onDeletion']) =>
    namespaces.filter(({ onDeletion }) => onDeletion === what).length;
  const handedOver = numberOf('handedOver');
  return (
    <Card title={text.delete}>
      <ul className={form.list}>
        {namespaces.map(({ slug, onDeletion }) => (
          <li key={slug}>
            <span>{slug}</span>
            <span className={form.soft}>{text.onDeletion[onDeletion]}</span>
          </li>
        ))}
      </ul>
      {handedOver > 0 && <Field label={text.heir} value={heir} onChange={setHeir} maxLength={39} />}
      <div className={form.actions}>
        <Confirm
          label={text.delete}
          title={text.deleteTitle(userName)}
          detail={text.deleteDetail(numberOf('deleted'), handedOver, heir)}
          typed={userName}
          action={async () => {
            const query = handedOver > 0 && heir !== '' ? { handOverTo: heir } : {};
            await service.call(routes.admin.deleteUser, { params: { userName }, query });
            await navigate({ to: '/-/admin/users' });
            await refreshAdmin();
          }}
        />
      </div>
    </Card>
  );
}
