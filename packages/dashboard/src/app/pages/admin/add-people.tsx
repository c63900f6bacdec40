import type { Invitation } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDate } from '../../format.ts';
import { adminMessages } from '../../messages/admin.ts';
import { Confirm } from '../../parts/actions.tsx';
import { Card, Line } from '../../parts/card.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import form from '../../parts/form.module.css';
import { ActionForm, Field, SlugField } from '../../parts/form.tsx';
import { queryOf, service } from '../../session.ts';
import { refreshAdmin } from './admin-frame.tsx';

const invitationsQuery = queryOf(['admin', 'invitations'], routes.admin.listInvitations, {});

/** Invites people by a link, or creates their accounts. */
export function AddPeople() {
  const text = adminMessages.invitations;
  const { data } = useQuery(invitationsQuery);
  if (data === undefined) return null;
  return (
    <Card title={text.title} isRegion>
      {data.refusal === null ? <Invite /> : <p className={form.soft}>{data.refusal}</p>}
      {data.invitations.length > 0 && (
        <ul className={form.list} aria-label={text.open}>
          {data.invitations.map((invitation) => (
            <OpenInvitation key={invitation.id} invitation={invitation} />
          ))}
        </ul>
      )}
      <details>
        <summary>{text.createTitle}</summary>
        <CreateAccount />
      </details>
    </Card>
  );
}

function Invite() {
  const text = adminMessages.invitations;
  const [email, setEmail] = useState('');
  const run = async () => {
    const body = email === '' ? {} : { email };
    const made = await service.call(routes.admin.createInvitation, { body });
    setEmail('');
    await refreshAdmin();
    return made;
  };
  return (
    <ActionForm
      label={text.invite}
      detail={text.detail}
      run={run}
      done={({ id, link }) => (
        <div key={id} className={form.done} role="status">
          <p>{text.once}</p>
          <Copyable text={link} label={text.link} />
        </div>
      )}
    >
      <Field type="email" isWide label={text.email} value={email} onChange={setEmail} maxLength={254} />
    </ActionForm>
  );
}

function OpenInvitation({ invitation: { id, email, invitedBy, expiresAt } }: { invitation: Invitation }) {
  const text = adminMessages.invitations;
  const whom = email ?? text.anybody;
  return (
    <Line name={<strong>{whom}</strong>} detail={text.madeBy(invitedBy, formatDate(expiresAt))}>
      <Confirm
        label={text.revoke}
        name={text.revokeOf(whom)}
        title={text.revokeTitle(whom)}
        detail={text.revokeDetail}
        action={async () => {
          await service.call(routes.admin.deleteInvitation, { params: { invitationId: id } });
          await refreshAdmin();
        }}
      />
    </Line>
  );
}

const NOBODY = { userName: '', email: '', password: '' };

function CreateAccount() {
  const text = adminMessages.invitations;
  const [user, setUser] = useState(NOBODY);
  const run = async () => {
    const { userName } = await service.call(routes.admin.createUser, { body: user });
    setUser(NOBODY);
    await refreshAdmin();
    return userName;
  };
  const bind = (name: keyof typeof user) => ({
    label: text.fields[name],
    value: user[name],
    onChange: (value: string) => setUser({ ...user, [name]: value }),
    required: true,
  });
  return (
    <ActionForm
      label={text.create}
      isQuiet
      detail={text.createDetail}
      run={run}
      done={(userName) => (
        <p className={form.done} role="status">
          {text.created(userName)}
        </p>
      )}
    >
      <SlugField {...bind('userName')} />
      <Field type="email" {...bind('email')} maxLength={254} />
      <Field
        type="password"
        {...bind('password')}
        minLength={8}
        maxLength={200}
        autoComplete="new-password"
      />
    </ActionForm>
  );
}
