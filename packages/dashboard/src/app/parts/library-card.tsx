import type { LibrarySummary } from '@bindery/contract';
import { LIMITS } from '@bindery/contract/wire';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatBytes } from '../../format-quantities.ts';
import { formatAgo, formatDate, formatName } from '../format.ts';
import { libraryMessages } from '../messages/library.ts';
import styles from './library-card.module.css';
import { Thumbnail } from './thumbnail.tsx';
import { describeUses } from './uses.tsx';

/** One library in a list, with four pictures of its assets, or one. */
export function LibraryCard({ library }: { library: LibrarySummary }) {
  const { namespace, name, title, description, kinds, assetCount, totalBytes, visibility } = library;
  const { thumbnailSrcsets: thumbnails = [] } = library;
  const [hasFailed, setFailed] = useState(false);
  const uses = describeUses(library);
  return (
    <article className={styles.card}>
      {thumbnails.length === LIMITS.libraryThumbnails && !hasFailed ? (
        <div className={styles.pictures}>
          {thumbnails.map((srcset) => (
            <img
              key={srcset}
              loading="lazy"
              sizes="10rem"
              srcSet={srcset}
              alt=""
              width="160"
              height="120"
              decoding="async"
              onError={() => setFailed(true)}
            />
          ))}
        </div>
      ) : (
        <Thumbnail
          url={library.coverThumbUrl}
          srcset={library.coverThumbSrcset}
          kind={formatName({ kind: kinds[0] ?? library.type })}
        />
      )}
      <div className={styles.text}>
        <h2 className="body-text">
          <Link to="/$namespace/$library" params={{ namespace, library: name }} className={styles.link}>
            {title ?? name}
          </Link>
        </h2>
        <p className="detail">
          {namespace}/{name}{' '}
          {visibility === 'private' && <span className="badge">{libraryMessages.private}</span>}
        </p>
        <p className={`clamped ${styles.description}`}>{description}</p>
        <p className="small">
          {libraryMessages.assets(assetCount)} · {formatBytes(totalBytes)} ·{' '}
          {kinds.map((kind) => formatName({ kind })).join(', ')}
          <br />
          <time dateTime={library.updatedAt} title={formatDate(library.updatedAt)}>
            {formatAgo(library.updatedAt)}
          </time>
          {uses !== null && ` · ${uses}`}
        </p>
      </div>
    </article>
  );
}

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
