import type { SimilarAssets as Found, SimilarHit } from '@bindery/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { dotted, formatName } from '../format.ts';
import { toAsset } from '../links.ts';
import { compareMessages } from '../messages/compare.ts';
import { similarMessages as text } from '../messages/search.ts';
import { messages } from '../messages.ts';
import { FailureNotice } from '../parts/notices.tsx';
import { Thumbnail } from '../parts/thumbnail.tsx';
import { type LibraryKey, similarQuery } from '../queries.ts';
import { writeAssetName } from '../url.ts';
import styles from './hit-card.module.css';
import results from './search-results.module.css';

/** What is similar to an asset, wherever the viewer may read. */
export function MoreLikeThis({ library, asset }: { library: LibraryKey; asset: string }) {
  const { data: found, error, refetch } = useQuery(similarQuery(library, asset));
  return (
    <section aria-label={text.title} className={`stack ${results.related}`}>
      <h2>{text.title}</h2>
      {error && <FailureNotice error={error} onRetry={() => refetch()} />}
      {found ? <SimilarAssets found={found} isComparable /> : !error && <p>{messages.loading}</p>}
    </section>
  );
}

/** Assets that are like another one, each with how it is. */
export function SimilarAssets({
  found: { comparedBy, hits },
  isComparable = false,
}: {
  found: Found;
  /** Whether each is offered to be compared with the asset of the page. */
  isComparable?: boolean;
}) {
  if (hits.length === 0)
    return <p className="soft">{comparedBy.length === 0 ? text.notCompared : text.none}</p>;
  return (
    <ul className={styles.similar}>
      {hits.map((hit) => (
        <li key={`${hit.namespace}/${hit.library}/${hit.assetId}`}>
          <SimilarCard hit={hit} isComparable={isComparable} />
        </li>
      ))}
    </ul>
  );
}

function SimilarCard({ hit, isComparable }: { hit: SimilarHit; isComparable: boolean }) {
  const { namespace, library, assetId: asset, title, kind, license, match, part } = hit;
  return (
    <article className={styles.card}>
      <Link {...toAsset({ namespace, library }, asset)} className={styles.link}>
        <Thumbnail url={hit.thumbnailUrl} srcset={hit.thumbnailSrcset} kind={formatName({ kind })} />
        <h3 className={`one-line ${styles.name}`}>{title ?? asset}</h3>
      </Link>
      <p className={`small ${styles.facts}`}>
        <span className={`badge ${styles.kind}`} title={part}>
          {part === undefined ? text.match[match] : text.part}
        </span>
        {isComparable && (
          <Link
            to="."
            search={(search) => ({ ...search, with: writeAssetName({ namespace, library, asset }) })}
            aria-label={compareMessages.choose(title ?? asset)}
            className={`one-line ${styles.license}`}
          >
            {compareMessages.open}
          </Link>
        )}
      </p>
      <p className={`small one-line ${styles.library}`}>{dotted(`${namespace}/${library}`, license)}</p>
    </article>
  );
}
