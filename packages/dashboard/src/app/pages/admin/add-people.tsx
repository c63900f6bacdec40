import type { Invitation } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { formatDate } from '../../format.ts';
import { invitationsMessages as text } from '../../messages/admin.ts';
import { Confirm } from '../../parts/actions.tsx';
import { Card, Line } from '../../parts/card.tsx';
import { ShownOnce } from '../../parts/copyable.tsx';
import { ActionForm, Done, Field, NewPasswordField, SlugField, useFields } from '../../parts/form.tsx';
import { change, queryOf } from '../../session.ts';

const invitationsQuery = queryOf(['admin', 'invitations'], routes.admin.listInvitations, {});

/** Invites people by a link, or creates their accounts. */
export function AddPeople() {
  const { data } = useQuery(invitationsQuery);
  if (data === undefined) return null;
  return (
    <Card title={text.title} isRegion>
      {data.refusal === null ? <Invite /> : <p className="detail">{data.refusal}</p>}
      {data.invitations.length > 0 && (
        <ul className="list" aria-label={text.open}>
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
  const [{ email }, field, set] = useFields({ email: '' });
  const body = email === '' ? {} : { email };
  return (
    <ActionForm
      label={text.invite}
      detail={text.detail}
      run={() => change(routes.admin.createInvitation, { body }, ['admin'])}
      onDone={() => set({ email: '' })}
      done={({ id, link }) => <ShownOnce key={id} text={text.once} value={link} label={text.link} />}
    >
      <Field type="email" isWide label={text.email} {...field('email')} maxLength={254} />
    </ActionForm>
  );
}

function OpenInvitation({ invitation: { id, email, invitedBy, expiresAt } }: { invitation: Invitation }) {
  const whom = email ?? text.anybody;
  return (
    <Line name={<strong>{whom}</strong>} detail={text.madeBy(invitedBy, formatDate(expiresAt))}>
      <Confirm
        label={text.revoke}
        name={text.revokeOf(whom)}
        title={text.revokeTitle(whom)}
        detail={text.revokeDetail}
        action={() => change(routes.admin.deleteInvitation, { params: { invitationId: id } }, ['admin'])}
      />
    </Line>
  );
}

const NOBODY = { userName: '', email: '', password: '' };

function CreateAccount() {
  const [user, field, set] = useFields(NOBODY);
  const { fields } = text;
  return (
    <ActionForm
      label={text.create}
      isQuiet
      detail={text.createDetail}
      run={() => change(routes.admin.createUser, { body: user }, ['admin'])}
      onDone={() => set(NOBODY)}
      done={({ userName }) => <Done>{text.created(userName)}</Done>}
    >
      <SlugField label={fields.userName} {...field('userName')} />
      <Field type="email" label={fields.email} {...field('email')} maxLength={254} required />
      <NewPasswordField label={fields.password} {...field('password')} />
    </ActionForm>
  );
}
