import type { AdministeredLibrary } from '@bindery/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatBytes } from '../../../format-quantities.ts';
import { dotted } from '../../format.ts';
import { adminMessages, allNamespacesMessages as text, usersMessages } from '../../messages/admin.ts';
import { messages } from '../../messages.ts';
import { Pair } from '../../parts/card.tsx';
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
  return (
    <div className={`stack ${styles.page}`}>
      <title>{`${title} · ${adminMessages.title} · ${messages.product}`}</title>
      <nav aria-label={adminMessages.pages} className="tabs">
        <Link to="/-/admin" activeOptions={{ exact: true }}>
          {adminMessages.overview}
        </Link>
        <Link to="/-/admin/users">{usersMessages.title}</Link>
        <Link to="/-/admin/namespaces">{text.title}</Link>
        <Link to="/-/admin/webhooks">{messages.titles.webhooks}</Link>
        <Link to="/-/admin/audit">{messages.titles.audit}</Link>
      </nav>
      <h1>{title}</h1>
      {children}
    </div>
  );
}

/** Shows names and sizes only: operators do not see what is in the libraries. */
export function LargestLibraries({ libraries }: { libraries: readonly AdministeredLibrary[] }) {
  if (libraries.length === 0) return <p className="detail">{text.noLibraries}</p>;
  return (
    <ul className="list">
      {libraries.map(({ namespace, name, isInTrash, bytes }) => (
        <Pair
          key={`${namespace}/${name}`}
          name={<span>{dotted(`${namespace}/${name}`, isInTrash && text.inTrash)}</span>}
          value={formatBytes(bytes)}
        />
      ))}
    </ul>
  );
}
