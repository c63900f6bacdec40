import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { formatBytes } from '../format.ts';
import { messages } from '../messages.ts';
import { Thumbnail } from '../parts/thumbnail.tsx';
import styles from './hit-card.module.css';
import { HitExplanation } from './hit-explanation.tsx';
import type { Hit } from './hits-query.ts';

/** One asset in a list. */
export const HitCard = memo(function HitCard({ hit, showLibrary }: { hit: Hit; showLibrary: boolean }) {
  const title = hit.title ?? hit.assetId;
  return (
    <article className={styles.card}>
      <Link
        to="/$namespace/$library/$asset"
        params={{ namespace: hit.namespace, library: hit.library, asset: hit.assetId }}
        search={hit.read}
        className={styles.link}
      >
        <Thumbnail url={hit.thumbnailUrl} srcset={hit.thumbnailSrcset} kind={hit.kind} />
        <h2 className={styles.title}>{title}</h2>
      </Link>
      <p className={styles.facts}>
        <span className={styles.kind}>{hit.kind}</span>
        {hit.license && <span className={styles.fact}>{hit.license}</span>}
        <span className={styles.fact}>{formatBytes(hit.files.bytes)}</span>
      </p>
      {showLibrary && (
        <p className={styles.library}>
          {hit.namespace}/{hit.library}
        </p>
      )}
      {hit.explain && <HitExplanation explanation={hit.explain} label={`${messages.search.why} ${title}`} />}
    </article>
  );
});
