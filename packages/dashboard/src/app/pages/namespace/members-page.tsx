import type { Membership, NamespaceRole } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { messages } from '../../messages.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { namespaceQuery } from '../../queries.ts';
import { queries, service } from '../../session.ts';
import styles from '../home.module.css';

const route = getRouteApi('/$namespace/-/members');

const membersQuery = (namespace: string) =>
  queryOptions({
    queryKey: ['members', namespace],
    queryFn: ({ signal }) => service.call(routes.namespaces.listMembers, { params: { namespace }, signal }),
  });

const put = (namespace: string, userName: string, role: NamespaceRole) =>
  service.call(routes.namespaces.putMember, { params: { namespace, userName }, body: { role } });

const refresh = () => queries.invalidateQueries({ queryKey: ['members'] });

/** The members of a namespace; its owners can change them. */
export function MembersPage() {
  const { namespace } = route.useParams();
  const { data, error, refetch } = useQuery(membersQuery(namespace));
  const { data: details } = useQuery(namespaceQuery(namespace));
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  const isOwner = details?.viewerRole === 'owner';
  return (
    <div className={styles.page}>
      <title>{`${messages.members.title} · ${namespace} · ${messages.product}`}</title>
      <div>
        <Crumbs namespace={namespace} />
        <h1>{messages.members.title}</h1>
      </div>
      <section className={form.card}>
        <ul className={form.list}>
          {data?.members.map((member) => (
            <Member key={member.userName} namespace={namespace} member={member} mayChange={isOwner} />
          ))}
        </ul>
        {isOwner && <NewMember namespace={namespace} />}
        {details && data && !isOwner && (
          <p className={form.soft}>{messages.members.onlyOwners(ownersOf(data.members))}</p>
        )}
      </section>
    </div>
  );
}

function ownersOf(members: readonly Membership[]): string[] {
  return members.flatMap(({ userName, role }) => (role === 'owner' ? [userName] : []));
}

function Member({
  namespace,
  member: { userName, role },
  mayChange,
}: {
  namespace: string;
  member: Membership;
  mayChange: boolean;
}) {
  const text = messages.members;
  const change = useMutation({
    mutationFn: (next: NamespaceRole) => put(namespace, userName, next),
    onSuccess: refresh,
  });
  return (
    <li>
      <strong>{userName}</strong>
      {mayChange ? (
        <span className={form.row}>
          <Role label={text.roleOf(userName)} role={role} onChange={(next) => change.mutate(next)} />
          <Confirm
            label={text.remove}
            name={text.removeOf(userName)}
            title={text.removeTitle(userName)}
            detail={text.removeDetail}
            isReversible
            action={async () => {
              await service.call(routes.namespaces.removeMember, { params: { namespace, userName } });
              await refresh();
            }}
          />
        </span>
      ) : (
        <span className={form.soft}>{text.roles[role]}</span>
      )}
      <InlineError error={change.error} />
    </li>
  );
}

function NewMember({ namespace }: { namespace: string }) {
  const text = messages.members;
  const [userName, setUserName] = useState('');
  const [role, setRole] = useState<NamespaceRole>('member');
  const add = useMutation({
    mutationFn: () => put(namespace, userName, role),
    onSuccess: async () => {
      setUserName('');
      await refresh();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form className={form.form} onSubmit={submit} onInput={() => add.isError && add.reset()}>
      <div className={form.row}>
        <label className={form.field}>
          {text.userName}
          <input
            value={userName}
            onChange={(event) => setUserName(event.target.value)}
            maxLength={39}
            required
            autoComplete="off"
          />
        </label>
        <Role label={text.role} role={role} onChange={setRole} />
        <button type="submit" className={form.button} disabled={add.isPending}>
          {text.add}
        </button>
      </div>
      <InlineError error={add.error} />
    </form>
  );
}

function Role({
  label,
  role,
  onChange,
}: {
  label: string;
  role: NamespaceRole;
  onChange: (role: NamespaceRole) => void;
}) {
  return (
    <div className={form.field}>
      <select
        aria-label={label}
        value={role}
        onChange={(event) => onChange(event.target.value as NamespaceRole)}
      >
        <option value="reader">{messages.members.roles.reader}</option>
        <option value="member">{messages.members.roles.member}</option>
        <option value="owner">{messages.members.roles.owner}</option>
      </select>
    </div>
  );
}
