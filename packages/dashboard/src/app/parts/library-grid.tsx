import type { LibrarySummary } from '@bindery/contract';
import styles from './library-card.module.css';
import { LibraryCard } from './library-card.tsx';

export function LibraryGrid({ libraries }: { libraries: readonly LibrarySummary[] }) {
  return (
    <ul className={styles.grid}>
      {libraries.map((library) => (
        <li key={`${library.namespace}/${library.name}`}>
          <LibraryCard library={library} />
        </li>
      ))}
    </ul>
  );
}
