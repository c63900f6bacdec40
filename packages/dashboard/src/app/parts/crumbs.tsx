import { readQuery } from '@bindery/sdk/browser';
import { Link } from '@tanstack/react-router';
import { messages } from '../messages.ts';
import styles from './crumbs.module.css';

/** Breadcrumbs. Each step is a link but that of the page itself, if it is named. */
export function Crumbs({
  namespace,
  library,
  section,
  page,
}: {
  namespace: string;
  /** On pages below a library: its title, and the share token and release by which it is read. */
  library?: { name: string; title: string; share?: string | undefined; release?: string | undefined };
  /** On pages below one of a namespace's lists. */
  section?: 'projects' | 'notes' | undefined;
  /** The page itself. */
  page?: string;
}) {
  return (
    <nav aria-label="Breadcrumb">
      <ol className={styles.crumbs}>
        <li>
          <Link to="/$namespace" params={{ namespace }}>
            {namespace}
          </Link>
        </li>
        {library && (
          <li>
            <Link
              to="/$namespace/$library"
              params={{ namespace, library: library.name }}
              search={readQuery(library)}
            >
              {library.title}
            </Link>
          </li>
        )}
        {section && (
          <li>
            <Link to={`/$namespace/-/${section}`} params={{ namespace }}>
              {messages.titles[section]}
            </Link>
          </li>
        )}
        {page && <li aria-current="page">{page}</li>}
      </ol>
    </nav>
  );
}
