import type { LibraryDetail } from '@bindery/contract';
import { Link } from '@tanstack/react-router';
import { formatDate } from '../../format.ts';
import { toCredits, toLibrary } from '../../links.ts';
import { creditsMessages } from '../../messages/credits.ts';
import { libraryMessages as text } from '../../messages/library.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { ReleaseMark } from '../../parts/release.tsx';
import { describeUses, FavouriteButton } from '../../parts/uses.tsx';
import { pullLibraryCommand } from '../../pull-snippets.ts';
import type { LibraryKey } from '../../queries.ts';
import styles from './library-header.module.css';

/** What a library is, and the line that pulls it. It takes the same room before the library has been read. */
export function LibraryHeader({
  address,
  library,
}: {
  address: LibraryKey;
  library: LibraryDetail | undefined;
}) {
  const { namespace, library: name } = address;
  return (
    <header className={`stack ${styles.head}`}>
      <div className={styles.what}>
        <Crumbs namespace={namespace} />
        <div className="row">
          <h1>{library?.title ?? name}</h1>
          {library && <FavouriteButton library={library} />}
        </div>
        {library?.description !== null && (
          <p className={`clamped ${styles.description}`}>
            {library && (
              <Link {...toLibrary(address, 'readme')} className={styles.more}>
                {library.description}
              </Link>
            )}
          </p>
        )}
        <ul className={`row detail ${styles.facts}`}>
          {library && <Facts library={library} address={address} />}
        </ul>
      </div>
      <div className={styles.take}>
        <Copyable text={pullLibraryCommand(address)} label={text.pull} />
      </div>
      {library && <ReleaseMark library={address} />}
    </header>
  );
}

function Facts({ library, address }: { library: LibraryDetail; address: LibraryKey }) {
  const { visibility, assetCount, fileCount, totalBytes, revision, updatedAt } = library;
  const uses = describeUses(library);
  return (
    <>
      <li className="badge">{text[visibility]}</li>
      <li>{text.assets(assetCount)}</li>
      <li>{text.files(fileCount, totalBytes)}</li>
      <li>
        <Link {...toLibrary(address, 'history')} className={styles.fact}>
          {text.revision(revision)}
        </Link>
        , {formatDate(updatedAt)}
      </li>
      {uses !== null && <li>{uses}</li>}
      <li>
        <Link {...toCredits(address)}>{creditsMessages.open}</Link>
      </li>
    </>
  );
}
