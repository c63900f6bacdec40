import type { Grant, ProjectRole } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { ApiError } from '@bindery/sdk/browser';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { messages } from '../../messages.ts';
import { Confirm } from '../../parts/confirm.tsx';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { queries, service } from '../../session.ts';

interface ProjectParams {
  namespace: string;
  projectSlug: string;
}

const ROLES: readonly ProjectRole[] = ['reader', 'writer', 'admin'];

const grantsQuery = (params: ProjectParams) =>
  queryOptions({
    queryKey: ['grants', params.namespace, params.projectSlug],
    queryFn: ({ signal }) => service.call(routes.projects.listGrants, { params, signal }),
  });

/** Invalidates everything, because the viewer's own role may have changed. */
const refresh = () => queries.invalidateQueries();

const put = (params: ProjectParams, userName: string, role: ProjectRole) =>
  service.call(routes.projects.putGrant, { params: { ...params, userName }, body: { role } });

/** The direct grants in a project, which its admins add, change and remove. */
export function Grants(params: ProjectParams) {
  const text = messages.projects;
  const { data, error } = useQuery(grantsQuery(params));
  return (
    <section className={form.card}>
      <h2>{text.grants}</h2>
      <p className={form.soft}>{text.grantsDetail}</p>
      <ul className={form.list}>
        {data?.grants.map((grant) => (
          <GrantRow key={grant.userName} params={params} grant={grant} />
        ))}
        {data?.grants.length === 0 && <li className={form.soft}>{text.noGrants}</li>}
      </ul>
      <InlineError error={error} />
      <NewGrant params={params} />
    </section>
  );
}

function GrantRow({ params, grant: { userName, role } }: { params: ProjectParams; grant: Grant }) {
  const text = messages.projects;
  const change = useMutation({
    mutationFn: (next: ProjectRole) => put(params, userName, next),
    onSuccess: refresh,
  });
  return (
    <li>
      <strong>{userName}</strong>
      <span className={form.row}>
        <RoleField label={text.roleOf(userName)} role={role} onChange={(next) => change.mutate(next)} />
        <Confirm
          label={text.revoke}
          name={text.revokeOf(userName)}
          title={text.revokeTitle(userName)}
          detail={text.revokeDetail}
          isReversible
          action={async () => {
            await service.call(routes.projects.removeGrant, { params: { ...params, userName } });
            await refresh();
          }}
        />
      </span>
      <InlineError error={change.error} />
    </li>
  );
}

function NewGrant({ params }: { params: ProjectParams }) {
  const text = messages.projects;
  const [userName, setUserName] = useState('');
  const [role, setRole] = useState<ProjectRole>('writer');
  const give = useMutation({
    mutationFn: () => put(params, userName, role),
    onSuccess: async () => {
      setUserName('');
      await refresh();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    give.mutate();
  };
  const isNobody = give.error instanceof ApiError && [400, 404].includes(give.error.status);
  return (
    <form className={form.form} onSubmit={submit}>
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
        <RoleField label={text.role} role={role} onChange={setRole} />
        <button type="submit" className={form.button} disabled={give.isPending}>
          {text.add}
        </button>
      </div>
      <InlineError error={isNobody ? new Error(text.noUser) : give.error} />
    </form>
  );
}

function RoleField({
  label,
  role,
  onChange,
}: {
  label: string;
  role: ProjectRole;
  onChange: (role: ProjectRole) => void;
}) {
  return (
    <label className={form.field}>
      {label}
      <select value={role} onChange={(event) => onChange(event.target.value as ProjectRole)}>
        {ROLES.map((each) => (
          <option key={each} value={each}>
            {messages.projects.roles[each]}
          </option>
        ))}
      </select>
    </label>
  );
}
