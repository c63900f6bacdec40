import type { SimilarAssets as Found, SimilarHit } from '@bindery/contract';
import { Link } from '@tanstack/react-router';
import { formatName } from '../format.ts';
import { messages } from '../messages.ts';
import { Thumbnail } from '../parts/thumbnail.tsx';
import styles from './similar-assets.module.css';

/** Assets that are like another one, each with how it is. */
export function SimilarAssets({ found: { comparedBy, hits } }: { found: Found }) {
  const text = messages.similar;
  if (hits.length === 0)
    return <p className={styles.none}>{comparedBy.length === 0 ? text.notCompared : text.none}</p>;
  return (
    <ul className={styles.list}>
      {hits.map((hit) => (
        <li key={`${hit.namespace}/${hit.library}/${hit.assetId}`}>
          <SimilarCard hit={hit} />
        </li>
      ))}
    </ul>
  );
}

function SimilarCard({ hit }: { hit: SimilarHit }) {
  const { namespace, library, assetId: asset, title, kind, license, match } = hit;
  return (
    <article className={styles.card}>
      <Link
        to="/$namespace/$library/$asset"
        params={{ namespace, library, asset }}
        search={{}}
        className={styles.link}
      >
        <Thumbnail url={hit.thumbnailUrl} srcset={hit.thumbnailSrcset} kind={formatName({ kind })} />
        <h3 className={styles.title}>{title ?? asset}</h3>
      </Link>
      <p className={styles.facts}>
        <span className={styles.match}>{messages.similar.match[match]}</span>
      </p>
      <p className={styles.library}>{[`${namespace}/${library}`, license].filter(Boolean).join(' · ')}</p>
    </article>
  );
}
