import { useState } from 'react';
import { renewUrls } from '../queries.ts';
import styles from './thumbnail.module.css';

/**
 * The picture of an asset or a library, or its kind in letters if it has none or the picture does not load. The browser
 * picks the size that fits from `srcset`, and falls back to the picture itself if that fails to load.
 */
export function Thumbnail({
  url,
  srcset,
  kind,
}: {
  url: string | null;
  srcset: string | null | undefined;
  kind: string;
}) {
  const [failed, setFailed] = useState<string | null>(null);
  const [unfit, setUnfit] = useState<string | null>(null);
  const [isWide, setWide] = useState(false);
  if (url === null || failed === url) {
    return (
      <span className={styles.none} aria-hidden="true">
        {kind}
      </span>
    );
  }
  const small = srcset && unfit !== url ? srcset : null;
  return (
    <img
      key={small === null ? 'itself' : 'small'}
      loading="lazy"
      {...(small !== null && { sizes: '20rem', srcSet: small })}
      src={url}
      alt=""
      width="320"
      height="240"
      decoding="async"
      className={isWide ? `${styles.picture} ${styles.wide}` : styles.picture}
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setWide(naturalWidth > naturalHeight)}
      onError={() => {
        if (small !== null) return setUnfit(url);
        setFailed(url);
        void renewUrls();
      }}
    />
  );
}
