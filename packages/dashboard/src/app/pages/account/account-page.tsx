import { routes } from '@bindery/contract/routes';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { accountMessages } from '../../messages/account.ts';
import { messages } from '../../messages.ts';
import { Confirm } from '../../parts/actions.tsx';
import { Card } from '../../parts/card.tsx';
import form from '../../parts/form.module.css';
import { ActionForm, SlugField } from '../../parts/form.tsx';
import { FailureNotice, SignInFirst } from '../../parts/notices.tsx';
import { namespacesQuery, sessionQuery, signInMethodsQuery } from '../../queries.ts';
import { queries, service } from '../../session.ts';
import styles from './account-page.module.css';
import { Logins } from './logins.tsx';
import { Password, Provider } from './sign-in.tsx';
import { Tokens } from './tokens.tsx';

/** The signed-in user's account: namespaces, tokens, logins, password. */
export function AccountPage() {
  const { data: session, error } = useQuery(sessionQuery);
  if (error) return <FailureNotice error={error} />;
  if (session === undefined) return null;
  if (session === null) return <SignInFirst />;
  const { user } = session;
  return (
    <div className={`stack ${styles.page}`}>
      <title>{`${messages.titles.account} · ${messages.product}`}</title>
      <div>
        <h1>{user.displayName}</h1>
        <p className={form.soft}>
          {user.userName} · {user.email}
        </p>
      </div>
      <Namespaces userName={user.userName} />
      <Tokens />
      <Logins />
      <SignIn email={user.email} />
    </div>
  );
}

function SignIn({ email }: { email: string }) {
  const { data: methods } = useQuery(signInMethodsQuery);
  if (!methods) return null;
  return (
    <>
      <Provider methods={methods} />
      {methods.password && <Password email={email} />}
    </>
  );
}

function Namespaces({ userName }: { userName: string }) {
  const { data } = useQuery(namespacesQuery);
  return (
    <Card title={accountMessages.namespaces}>
      <ul className={form.list}>
        {data?.namespaces.map(({ slug, displayName, kind, viewerRole }) => (
          <li key={slug}>
            <Link to="/$namespace" params={{ namespace: slug }}>
              {displayName === slug ? slug : `${displayName} (${slug})`}
            </Link>
            <span className={form.actions}>
              <span className={form.inline}>{viewerRole}</span>
              {kind === 'team' && (
                <Confirm
                  label={accountMessages.leave}
                  name={accountMessages.leaveOf(slug)}
                  title={accountMessages.leaveTitle(slug)}
                  detail={accountMessages.leaveDetail}
                  action={async () => {
                    await service.call(routes.namespaces.removeMember, {
                      params: { namespace: slug, userName },
                    });
                    await queries.invalidateQueries();
                  }}
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
  const [slug, setSlug] = useState('');
  const run = async () => {
    await service.call(routes.namespaces.createNamespace, { body: { slug } });
    setSlug('');
    await queries.invalidateQueries({ queryKey: ['namespaces'] });
  };
  return (
    <ActionForm label={accountMessages.make} isQuiet run={run}>
      <SlugField label={accountMessages.newNamespace} value={slug} onChange={setSlug} />
    </ActionForm>
  );
}
