import type { AdministeredLibrary } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatBytes } from '../../../format-quantities.ts';
import { adminMessages } from '../../messages/admin.ts';
import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import { FailureNotice, NotFound, SignInFirst } from '../../parts/notices.tsx';
import { sessionQuery } from '../../queries.ts';
import { queries, queryOf } from '../../session.ts';
import styles from './admin.module.css';

/** Frame of the operators' pages. Other users see the page for missing resources. */
export function AdminFrame({ title, children }: { title: string; children: ReactNode }) {
  const { data: session, error } = useQuery(sessionQuery);
  if (error) return <FailureNotice error={error} />;
  if (session === undefined) return null;
  if (session === null) return <SignInFirst />;
  if (!session.isOperator) return <NotFound />;
  const text = adminMessages;
  return (
    <div className={styles.page}>
      <title>{`${title} · ${text.title} · ${messages.product}`}</title>
      <nav aria-label={text.pages} className={styles.pages}>
        <Link to="/-/admin" activeOptions={{ exact: true }}>
          {text.overview}
        </Link>
        <Link to="/-/admin/users">{text.users.title}</Link>
        <Link to="/-/admin/namespaces">{text.namespaces.title}</Link>
        <Link to="/-/admin/webhooks">{messages.titles.webhooks}</Link>
        <Link to="/-/admin/audit">{messages.titles.audit}</Link>
      </nav>
      <h1>{title}</h1>
      {children}
    </div>
  );
}

export const userQuery = (userName: string) =>
  queryOf(['admin', 'user', userName], routes.admin.getUser, { params: { userName } });

export const inspectedNamespaceQuery = (namespace: string) =>
  queryOf(['admin', 'namespace', namespace], routes.admin.inspectNamespace, { params: { namespace } });

export const healthQuery = queryOf(['admin', 'health'], routes.admin.getHealth, {});

export const storageQuery = queryOf(['admin', 'storage'], routes.admin.getStorage, {});

export const modelsQuery = queryOf(['admin', 'models'], routes.admin.getModels, {});

export const refreshAdmin = () => queries.invalidateQueries({ queryKey: ['admin'] });

/** Shows names and sizes only: operators do not see what is in the libraries. */
export function LargestLibraries({ libraries }: { libraries: readonly AdministeredLibrary[] }) {
  const text = adminMessages.namespaces;
  if (libraries.length === 0) return <p className={form.soft}>{text.noLibraries}</p>;
  return (
    <ul className={form.list}>
      {libraries.map(({ namespace, name, isInTrash, bytes }) => (
        <li key={`${namespace}/${name}`}>
          <span>
            {namespace}/{name}
            {isInTrash && <span className={form.soft}> · {text.inTrash}</span>}
          </span>
          <span className={form.soft}>{formatBytes(bytes)}</span>
        </li>
      ))}
    </ul>
  );
}
