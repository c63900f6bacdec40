import type { AdministeredUserDetail, BodyInputOf } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { dotted, formatDate } from '../../format.ts';
import { toInspectedNamespace } from '../../links.ts';
import { usersMessages as text } from '../../messages/admin.ts';
import { membersMessages } from '../../messages/namespace.ts';
import { ActionButton, Confirm } from '../../parts/actions.tsx';
import { Card, Pair } from '../../parts/card.tsx';
import { Field } from '../../parts/form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { change, queryOf, remove } from '../../session.ts';
import { AdminFrame } from './admin-frame.tsx';

const route = getRouteApi('/-/admin/users/$user');

const userQuery = (userName: string) =>
  queryOf(['admin', 'user', userName], routes.admin.getUser, { params: { userName } });

/** One account: its details, its namespaces, and what an operator can do with it. */
export function UserPage() {
  const { user: userName } = route.useParams();
  return (
    <AdminFrame title={userName}>
      <Loaded query={userQuery(userName)}>
        {(user) => (
          <>
            <Account user={user} />
            <Namespaces user={user} />
            <Deletion user={user} />
          </>
        )}
      </Loaded>
    </AdminFrame>
  );
}

function Account({ user }: { user: AdministeredUserDetail }) {
  const { userName, displayName, email, createdAt, disabledAt, isOperator, logins, signsInBy } = user;
  const patch = (body: BodyInputOf<typeof routes.admin.patchUser>) =>
    change(routes.admin.patchUser, { params: { userName }, body }, ['admin']);
  return (
    <Card title={text.account}>
      <p>
        {displayName} · {email}
      </p>
      <p className="detail">
        {dotted(
          text.since(formatDate(createdAt)),
          isOperator && text.operator,
          disabledAt !== null && text.disabled(formatDate(disabledAt)),
        )}
      </p>
      <p>
        {text.signedIn}: {text.logins(logins.browsers, logins.devices, logins.personalTokens)}
      </p>
      <p>{text.signsInBy(signsInBy.password, signsInBy.issuers)}</p>
      <div className="actions">
        {disabledAt === null ? (
          <Confirm
            label={text.disable}
            title={text.disableTitle(userName)}
            detail={text.disableDetail}
            isReversible
            action={() => patch({ disabled: true })}
          />
        ) : (
          <ActionButton label={text.enable} run={() => patch({ disabled: false })} />
        )}
        <Confirm
          label={isOperator ? text.demote : text.promote}
          title={isOperator ? text.demoteTitle(userName) : text.promoteTitle(userName)}
          detail={isOperator ? text.demoteDetail : text.promoteDetail}
          isReversible
          action={() => patch({ operator: !isOperator })}
        />
        {signsInBy.issuers.length > 0 && (
          <Confirm
            label={text.disconnect}
            title={text.disconnectTitle(userName)}
            detail={text.disconnectDetail(signsInBy.password)}
            action={() => change(routes.admin.disconnectUser, { params: { userName } }, ['admin'])}
          />
        )}
      </div>
    </Card>
  );
}

function Namespaces({ user: { namespaces } }: { user: AdministeredUserDetail }) {
  return (
    <Card title={text.namespaces}>
      {namespaces.length === 0 && <p className="detail">{text.noNamespaces}</p>}
      <ul className="list">
        {namespaces.map(({ slug, role }) => (
          <Pair
            key={slug}
            name={<Link {...toInspectedNamespace(slug)}>{slug}</Link>}
            value={membersMessages.roles[role]}
          />
        ))}
      </ul>
    </Card>
  );
}

/** Deletes an account, after showing what will happen to each of its namespaces. */
function Deletion({ user: { userName, namespaces } }: { user: AdministeredUserDetail }) {
  const navigate = useNavigate();
  const key = userQuery(userName).queryKey;
  const [heir, setHeir] = useState('');
  const numberOf = (what: (typeof namespaces)[number]['onDeletion']) =>
    namespaces.filter(({ onDeletion }) => onDeletion === what).length;
  const handedOver = numberOf('handedOver');
  return (
    <Card title={text.delete}>
      <ul className="list">
        {namespaces.map(({ slug, onDeletion }) => (
          <Pair key={slug} name={<span>{slug}</span>} value={text.onDeletion[onDeletion]} />
        ))}
      </ul>
      {handedOver > 0 && <Field label={text.heir} value={heir} onChange={setHeir} maxLength={39} />}
      <div className="actions">
        <Confirm
          label={text.delete}
          title={text.deleteTitle(userName)}
          detail={text.deleteDetail(numberOf('deleted'), handedOver, heir)}
          typed={userName}
          action={() => {
            const query = handedOver > 0 && heir !== '' ? { handOverTo: heir } : {};
            const leave = () => navigate({ to: '/-/admin/users' });
            return remove(routes.admin.deleteUser, { params: { userName }, query }, leave, key);
          }}
        />
      </div>
    </Card>
  );
}
