import { useState } from 'react';
import styles from './thumbnail.module.css';

/**
 * The picture of an asset or a library, or its kind in letters where there is none or it does not load. Of `srcset` the
 * browser takes what fits the place that the picture has; where that cannot be had, the picture itself.
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
      {...(small !== null && { sizes: 'auto, 20rem', srcSet: small })}
      src={url}
      alt=""
      width="320"
      height="240"
      decoding="async"
      className={isWide ? `${styles.picture} ${styles.wide}` : styles.picture}
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setWide(naturalWidth > naturalHeight)}
      onError={() => (small === null ? setFailed(url) : setUnfit(url))}
    />
  );
}
