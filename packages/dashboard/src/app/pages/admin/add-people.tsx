import type { Invitation } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { formatDate } from '../../format.ts';
import { messages } from '../../messages.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { service } from '../../session.ts';
import { refreshAdmin } from './queries.ts';

const invitationsQuery = queryOptions({
  queryKey: ['admin', 'invitations'],
  queryFn: ({ signal }) => service.call(routes.admin.listInvitations, { signal }),
});

/** Invites people by a link, or creates their accounts. */
export function AddPeople() {
  const text = messages.admin.invitations;
  const { data } = useQuery(invitationsQuery);
  if (data === undefined) return null;
  return (
    <section className={form.card} aria-label={text.title}>
      <h2>{text.title}</h2>
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
    </section>
  );
}

function Invite() {
  const text = messages.admin.invitations;
  const [email, setEmail] = useState('');
  const invite = useMutation({
    mutationFn: () => service.call(routes.admin.createInvitation, { body: email === '' ? {} : { email } }),
    onSuccess: async () => {
      setEmail('');
      await refreshAdmin();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate();
  };
  return (
    <form className={form.form} onSubmit={submit} onInput={() => invite.isError && invite.reset()}>
      <p className={form.soft}>{text.detail}</p>
      <div className={form.row}>
        <label className={`${form.field} ${form.wide}`}>
          {text.email}
          <input
            type="email"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
            maxLength={254}
            autoComplete="off"
          />
        </label>
        <button type="submit" className={form.button} disabled={invite.isPending}>
          {text.invite}
        </button>
      </div>
      <InlineError error={invite.error} />
      {invite.data && (
        <div key={invite.data.id} className={form.done} role="status">
          <p>{text.once}</p>
          <Copyable text={invite.data.link} label={text.link} />
        </div>
      )}
    </form>
  );
}

function OpenInvitation({ invitation: { id, email, invitedBy, expiresAt } }: { invitation: Invitation }) {
  const text = messages.admin.invitations;
  const whom = email ?? text.anybody;
  return (
    <li>
      <span>
        <strong>{whom}</strong>
        <br />
        <span className={form.soft}>{text.madeBy(invitedBy, formatDate(expiresAt))}</span>
      </span>
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
    </li>
  );
}

function CreateAccount() {
  const text = messages.admin.invitations;
  const [user, setUser] = useState({ userName: '', email: '', password: '' });
  const create = useMutation({
    mutationFn: () => service.call(routes.admin.createUser, { body: user }),
    onSuccess: async () => {
      setUser({ userName: '', email: '', password: '' });
      await refreshAdmin();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  const field = (name: keyof typeof user, type: 'text' | 'email' | 'password', limits: object = {}) => (
    <label className={form.field}>
      {text.fields[name]}
      <input
        type={type}
        value={user[name]}
        onChange={({ target: { value } }) => setUser({ ...user, [name]: value })}
        required
        autoComplete={type === 'password' ? 'new-password' : 'off'}
        {...limits}
      />
    </label>
  );
  return (
    <form className={form.form} onSubmit={submit} onInput={() => create.isError && create.reset()}>
      <p className={form.soft}>{text.createDetail}</p>
      <div className={form.row}>
        {field('userName', 'text', { maxLength: 39 })}
        {field('email', 'email', { maxLength: 254 })}
        {field('password', 'password', { minLength: 8, maxLength: 200 })}
        <button type="submit" className={form.quiet} disabled={create.isPending}>
          {text.create}
        </button>
      </div>
      <InlineError error={create.error} />
      {create.data && (
        <p className={form.done} role="status">
          {text.created(create.data.userName)}
        </p>
      )}
    </form>
  );
}
