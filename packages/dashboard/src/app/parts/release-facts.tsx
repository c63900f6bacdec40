import type { Release } from '@bindery/contract';
import { formatDate } from '../format.ts';
import { messages } from '../messages.ts';
import { Markdown } from './markdown.tsx';
import styles from './release-facts.module.css';

/** Characters. Longer notes are collapsed. */
const MAX_SHOWN = 300;

/** The revision, date, author and notes of a release. */
export function ReleaseFacts({ release }: { release: Release }) {
  const { name, revision, assetCount, fileCount, totalBytes, createdAt, createdBy, notes } = release;
  const text = messages.releases;
  return (
    <div className={styles.facts}>
      <p>
        {[
          messages.library.revision(revision),
          messages.library.assets(assetCount),
          messages.library.files(fileCount, totalBytes),
          createdBy === null ? formatDate(createdAt) : text.madeBy(formatDate(createdAt), createdBy),
        ].join(' · ')}
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
      <summary aria-label={messages.releases.notesOf(release)}>{messages.releases.notes}</summary>
      {shown}
    </details>
  );
}
