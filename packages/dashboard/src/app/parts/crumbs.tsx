import { Link } from '@tanstack/react-router';
import { toLibrary, toNamespace, toSection } from '../links.ts';
import { messages } from '../messages.ts';
import type { LibraryKey } from '../queries.ts';
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
  library?: Pick<LibraryKey, 'share' | 'release'> & { name: string; title: string };
  /** On pages below one of a namespace's lists. */
  section?: 'projects' | 'notes' | undefined;
  /** The page itself. */
  page?: string;
}) {
  return (
    <nav aria-label="Breadcrumb">
      <ol className={styles.crumbs}>
        <li>
          <Link {...toNamespace(namespace)}>{namespace}</Link>
        </li>
        {library && (
          <li>
            <Link {...toLibrary({ ...library, namespace, library: library.name })}>{library.title}</Link>
          </li>
        )}
        {section && (
          <li>
            <Link {...toSection(namespace, section)}>{messages.titles[section]}</Link>
          </li>
        )}
        {/* The page's own heading follows. */}
        {page && (
          <li aria-current="page" className="hidden-if-narrow">
            {page}
          </li>
        )}
      </ol>
    </nav>
  );
}
