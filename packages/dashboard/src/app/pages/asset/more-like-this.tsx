import { useQuery } from '@tanstack/react-query';
import { messages } from '../../messages.ts';
import { FailureNotice } from '../../parts/notices.tsx';
import { type LibraryKey, similarQuery } from '../../queries.ts';
import { SimilarAssets } from '../../search/similar-assets.tsx';
import styles from './more-like-this.module.css';

/** What is similar to an asset, wherever the viewer may read. */
export function MoreLikeThis({ library, asset }: { library: LibraryKey; asset: string }) {
  const { data: found, error, refetch } = useQuery(similarQuery(library, asset));
  return (
    <section aria-label={messages.similar.title} className={styles.section}>
      <h2>{messages.similar.title}</h2>
      {error && <FailureNotice error={error} onRetry={() => refetch()} />}
      {found ? <SimilarAssets found={found} /> : !error && <p>{messages.loading}</p>}
    </section>
  );
}
