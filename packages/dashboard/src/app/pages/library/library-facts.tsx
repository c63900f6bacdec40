import type { LibraryDetail } from '@bindery/contract';
import { readQuery } from '@bindery/sdk/browser';
import { Link } from '@tanstack/react-router';
import { formatDate } from '../../format.ts';
import { messages } from '../../messages.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { SafeLink } from '../../parts/safe-link.tsx';
import { pullLibraryCommand, pullLibraryPython } from '../../pull-snippets.ts';
import type { LibraryKey } from '../../queries.ts';
import styles from './library-page.module.css';

/** The main facts about a library, with all others on demand. */
export function LibraryFacts({ library, address }: { library: LibraryDetail; address: LibraryKey }) {
  const text = messages.library;
  return (
    <>
      <ul className={styles.facts}>
        <li className={library.visibility === 'private' ? styles.private : styles.public}>
          {library.visibility === 'private' ? text.private : text.public}
        </li>
        <li>{text.assets(library.assetCount)}</li>
        <li>{text.files(library.fileCount, library.totalBytes)}</li>
        <li>{text.revision(library.revision)}</li>
        <li>{text.updated(formatDate(library.updatedAt))}</li>
      </ul>
      <p>
        <Link
          to="/$namespace/$library/-/credits"
          params={{ namespace: library.namespace, library: library.name }}
          search={readQuery(address)}
        >
          {messages.credits.open}
        </Link>
      </p>
      <details className={styles.about}>
        <summary>{text.about}</summary>
        <div className={styles.columns}>
          <dl className={styles.list}>
            <Fact name={text.licences} value={library.licenses.join(', ') || null} />
            <Fact name={text.tags} value={library.tags.join(', ') || null} />
            <Fact name={text.provider} value={library.provider} />
            <Fact name={text.homepage} value={library.homepage && <SafeLink href={library.homepage} />} />
            <Fact
              name={text.upstream}
              value={
                library.upstreamRepo && (
                  <>
                    <SafeLink href={library.upstreamRepo} /> {library.upstreamCommit?.slice(0, 12)}
                  </>
                )
              }
            />
            <Fact
              name={text.vectors}
              value={library.vectorsDim === null ? text.noVectors : text.vectorsOf(library.vectorsDim)}
            />
          </dl>
          <div className={styles.take}>
            <h2>{text.pull}</h2>
            <Copyable text={pullLibraryCommand(address)} label={messages.asset.terminal} />
            {address.release === undefined && (
              <Copyable text={pullLibraryPython(address)} label={messages.asset.python} />
            )}
          </div>
        </div>
      </details>
    </>
  );
}

function Fact({ name, value }: { name: string; value: React.ReactNode }) {
  if (value === null || value === '') return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
