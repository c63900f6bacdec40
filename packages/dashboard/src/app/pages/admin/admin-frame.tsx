import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { messages } from '../../messages.ts';
import { FailureNotice, NotFound, SignInFirst } from '../../parts/notices.tsx';
import { sessionQuery } from '../../queries.ts';
import styles from './admin.module.css';

/** Frame of the operators' pages. Other users see the page for missing resources. */
export function AdminFrame({ title, children }: { title: string; children: ReactNode }) {
  const { data: session, error } = useQuery(sessionQuery);
  if (error) return <FailureNotice error={error} />;
  if (session === undefined) return null;
  if (session === null) return <SignInFirst />;
  if (!session.isOperator) return <NotFound />;
  const text = messages.admin;
  return (
    <div className={styles.page}>
      <title>{`${title} · ${text.title} · ${messages.product}`}</title>
      <nav aria-label={text.pages} className={styles.pages}>
        <Link to="/-/admin" activeOptions={{ exact: true }}>
          {text.overview}
        </Link>
        <Link to="/-/admin/users">{text.users.title}</Link>
        <Link to="/-/admin/namespaces">{text.namespaces.title}</Link>
        <Link to="/-/admin/webhooks">{messages.webhooks.title}</Link>
        <Link to="/-/admin/audit">{messages.audit.title}</Link>
      </nav>
      <h1>{title}</h1>
      {children}
    </div>
  );
}
