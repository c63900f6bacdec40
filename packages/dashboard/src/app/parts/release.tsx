import type { Release } from '@bindery/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { dotted, formatDate } from '../format.ts';
import { libraryMessages, releasesMessages as text } from '../messages/library.ts';
import { type LibraryKey, releaseQuery } from '../queries.ts';
import { Markdown } from './markdown.tsx';
import styles from './release.module.css';

/** Marks a page that shows a release, and links to the same page at the newest revision; empty if it shows that. */
export function ReleaseMark({ library }: { library: LibraryKey }) {
  const { release } = library;
  const { data } = useQuery({ ...releaseQuery(library, release ?? ''), enabled: release !== undefined });
  if (release === undefined) return null;
  return (
    <section className={`row surface ${styles.mark}`} aria-label={text.one}>
      <div className="wide">
        <strong>{text.shown(release)}</strong>
        {data && <ReleaseFacts release={data} />}
      </div>
      <Link
        to="."
        search={(search) => ({ ...search, release: undefined })}
        className={`quiet ${styles.newest}`}
      >
        {text.toNewest}
      </Link>
    </section>
  );
}

/** Characters. Longer notes are collapsed. */
const MAX_SHOWN = 300;

/** The revision, date, author and notes of a release. */
export function ReleaseFacts({ release }: { release: Release }) {
  const { name, revision, assetCount, fileCount, totalBytes, createdAt, createdBy, notes } = release;
  return (
    <div className="detail">
      <p>
        {dotted(
          libraryMessages.revision(revision),
          libraryMessages.assets(assetCount),
          libraryMessages.files(fileCount, totalBytes),
          createdBy === null ? formatDate(createdAt) : text.madeBy(formatDate(createdAt), createdBy),
        )}
      </p>
      {notes !== null && <Notes release={name} notes={notes} />}
    </div>
  );
}

function Notes({ release, notes }: { release: string; notes: string }) {
  const shown = (
    <div className={styles.notes}>
      <Markdown text={notes} />
    </div>
  );
  if (notes.length <= MAX_SHOWN) return shown;
  return (
    <details>
      <summary aria-label={text.notesOf(release)}>{text.notes}</summary>
      {shown}
    </details>
  );
}
