import { routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toNamespace } from '../../links.ts';
import { accountMessages as text } from '../../messages/account.ts';
import { messages } from '../../messages.ts';
import { Confirm } from '../../parts/actions.tsx';
import { Card } from '../../parts/card.tsx';
import { ActionForm, SlugField, useFields } from '../../parts/form.tsx';
import { FailureNotice, SignInFirst } from '../../parts/notices.tsx';
import { namespacesQuery, sessionQuery, signInMethodsQuery } from '../../queries.ts';
import { change } from '../../session.ts';
import styles from './account-page.module.css';
import { Logins } from './logins.tsx';
import { Password, Provider } from './sign-in.tsx';
import { Tokens } from './tokens.tsx';

/** The signed-in user's account: namespaces, tokens, logins, password. */
export function AccountPage() {
  const { data: session, error } = useQuery(sessionQuery);
  const { data: methods } = useQuery({ ...signInMethodsQuery, enabled: Boolean(session) });
  if (error) return <FailureNotice error={error} />;
  if (session === undefined) return null;
  if (session === null) return <SignInFirst />;
  const { userName, displayName, email } = session.user;
  return (
    <div className={`stack ${styles.page}`}>
      <title>{`${messages.titles.account} · ${messages.product}`}</title>
      <div>
        <h1>{displayName}</h1>
        <p className="detail">
          {userName} · {email}
        </p>
      </div>
      <Namespaces userName={userName} />
      <Tokens />
      <Logins />
      {methods && <Provider methods={methods} />}
      {methods?.password && <Password email={email} />}
    </div>
  );
}

function Namespaces({ userName }: { userName: string }) {
  const { data } = useQuery(namespacesQuery);
  return (
    <Card title={text.namespaces}>
      <ul className={data ? 'list' : 'coming'}>
        {data?.namespaces.map(({ slug, displayName, kind, viewerRole }) => (
          <li key={slug}>
            <Link {...toNamespace(slug)}>{displayName === slug ? slug : `${displayName} (${slug})`}</Link>
            <span className="actions">
              <span className="inline">{viewerRole}</span>
              {kind === 'team' && (
                <Confirm
                  label={text.leave}
                  name={text.leaveOf(slug)}
                  title={text.leaveTitle(slug)}
                  detail={text.leaveDetail}
                  action={() =>
                    change(routes.namespaces.removeMember, { params: { namespace: slug, userName } })
                  }
                />
              )}
            </span>
          </li>
        ))}
      </ul>
      <NewNamespace />
    </Card>
  );
}

/** Creates a team namespace. */
function NewNamespace() {
  const [{ slug }, field, set] = useFields({ slug: '' });
  const run = () => change(routes.namespaces.createNamespace, { body: { slug } }, ['namespaces']);
  return (
    <ActionForm label={text.make} isQuiet run={run} onDone={() => set({ slug: '' })}>
      <SlugField label={text.newNamespace} {...field('slug')} />
    </ActionForm>
  );
}
