import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { messages } from '../messages.ts';
import { type LibraryKey, releaseQuery } from '../queries.ts';
import { ReleaseFacts } from './release-facts.tsx';
import styles from './release-mark.module.css';

/** Marks a page that shows a release, and links to the same page at the newest revision; empty if it shows that. */
export function ReleaseMark({ library }: { library: LibraryKey }) {
  const { release } = library;
  return release === undefined ? null : <Mark library={library} name={release} />;
}

function Mark({ library, name }: { library: LibraryKey; name: string }) {
  const text = messages.releases;
  const { data } = useQuery(releaseQuery(library, name));
  return (
    <section className={styles.mark} aria-label={text.one}>
      <div className={styles.text}>
        <p className={styles.name}>{text.shown(name)}</p>
        {data && <ReleaseFacts release={data} />}
      </div>
      <Link to="." search={(search) => ({ ...search, release: undefined })} className={styles.newest}>
        {text.toNewest}
      </Link>
    </section>
  );
}
