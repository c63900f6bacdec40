import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { messages } from '../../messages.ts';
import { FailureNotice } from '../../parts/failure.tsx';
import form from '../../parts/form.module.css';
import { SignInFirst } from '../../parts/sign-in-first.tsx';
import { namespacesQuery, sessionQuery } from '../../queries.ts';
import styles from './account-page.module.css';
import { NewNamespace } from './new-namespace.tsx';
import { Tokens } from './tokens.tsx';

/** Whoever is signed in: their namespaces, their tokens, their devices. */
export function AccountPage() {
  const { data: session, error } = useQuery(sessionQuery);
  if (error) return <FailureNotice error={error} />;
  if (session === undefined) return null;
  if (session === null) return <SignInFirst />;
  const { user } = session;
  return (
    <div className={styles.page}>
      <title>{`${messages.account.title} · ${messages.product}`}</title>
      <div>
        <h1>{user.displayName}</h1>
        <p className={form.soft}>
          {user.userName} · {user.email}
        </p>
      </div>
      <Namespaces />
      <Tokens />
      <section className={form.card}>
        <h2>{messages.account.devices}</h2>
        <p>{messages.account.devicesDetail}</p>
        <p>
          <a href="/device">{messages.account.connect}</a>
        </p>
      </section>
    </div>
  );
}

function Namespaces() {
  const { data } = useQuery(namespacesQuery);
  return (
    <section className={form.card}>
      <h2>{messages.account.namespaces}</h2>
      <ul className={form.list}>
        {data?.namespaces.map(({ slug, displayName, viewerRole }) => (
          <li key={slug}>
            <Link to="/$namespace" params={{ namespace: slug }}>
              {displayName === slug ? slug : `${displayName} (${slug})`}
            </Link>
            <span className={form.soft}>{viewerRole}</span>
          </li>
        ))}
      </ul>
      <NewNamespace />
    </section>
  );
}
