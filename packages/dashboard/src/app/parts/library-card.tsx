import type { LibrarySummary } from '@bindery/contract';
import { LIMITS } from '@bindery/contract/wire';
import { Link } from '@tanstack/react-router';
import { formatBytes } from '../../format-quantities.ts';
import { formatAgo, formatDate, formatName } from '../format.ts';
import { libraryMessages } from '../messages/library.ts';
import styles from './library-card.module.css';
import { Thumbnail } from './thumbnail.tsx';
import { describeUses } from './uses.tsx';

/** One library in a list, with four pictures of its assets, or one. */
export function LibraryCard({ library }: { library: LibrarySummary }) {
  const { namespace, name, title, description, kinds, assetCount, totalBytes, visibility } = library;
  const { thumbnailSrcsets = [] } = library;
  const uses = describeUses(library);
  return (
    <article className={styles.card}>
      {thumbnailSrcsets.length === LIMITS.libraryThumbnails ? (
        <div className={styles.pictures}>
          {thumbnailSrcsets.map((srcset, at) => (
            <span key={srcset}>
              <Thumbnail
                url={srcset.split(' ', 1).join()}
                srcset={srcset}
                kind=""
                sizes="10rem"
                isStill={at > 0}
              />
            </span>
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
