import { type RefObject, useEffect, useRef, useState } from 'react';
import { renewUrls } from '../queries.ts';
import { useSettled } from '../use-settled.ts';
import styles from './thumbnail.module.css';

/**
 * The picture of an asset or a library, or its kind in letters if it has none or the picture does not load. The browser
 * picks the size that fits from `srcset`, and falls back to the picture itself if that fails to load. In a card that is
 * pointed at, or focused by keyboard, what was drawn of a model turns.
 */
export function Thumbnail({
  url,
  srcset,
  kind,
  sizes = '20rem',
  isStill = false,
}: {
  url: string | null;
  srcset: string | null | undefined;
  kind: string;
  /** How wide it is shown. */
  sizes?: string;
  /** Whether another picture turns in its card. */
  isStill?: boolean;
}) {
  const [failed, setFailed] = useState<string | null>(null);
  const [unfit, setUnfit] = useState<string | null>(null);
  const [isWide, setWide] = useState(false);
  const place = useRef<HTMLImageElement>(null);
  const turntable = useSettled(useIsHeld(place)) && srcset && !isStill ? turntableIn(srcset) : null;
  if (url === null || failed === url) {
    return (
      <span className={styles.none} aria-hidden="true">
        {kind}
      </span>
    );
  }
  const small = srcset && unfit !== url ? srcset : null;
  return (
    <>
      {turntable && <Turntable url={turntable} />}
      <img
        ref={place}
        key={small === null ? 'itself' : 'small'}
        loading="lazy"
        {...(small !== null && { sizes, srcSet: small })}
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
    </>
  );
}

/** Pictures without a turntable, which are not asked for again. */
const STILL = new Set<string>();

/** The address of the turntable beside the small pictures; null if there is none, or less motion is preferred. */
function turntableIn(srcset: string): string | null {
  const [small = ''] = srcset.split(' ', 1);
  const url = new URL(`turntable.webp${new URL(small).search}`, small).href;
  return STILL.has(url) || matchMedia('(prefers-reduced-motion: reduce)').matches ? null : url;
}

/** Lies over the picture once it is there. */
function Turntable({ url }: { url: string }) {
  const [state, setState] = useState<'loading' | 'shown' | 'none'>('loading');
  if (state === 'none') return null;
  return (
    <img
      src={url}
      alt=""
      className={state === 'shown' ? styles.turntable : styles.loading}
      onLoad={() => setState('shown')}
      onError={() => {
        STILL.add(url);
        setState('none');
      }}
    />
  );
}

/** Whether the card around a place is pointed at by a mouse, or focused by keyboard; never by a finger, which scrolls. */
function useIsHeld(place: RefObject<HTMLElement | null>): boolean {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    const card = place.current?.closest('article');
    const leaving = new AbortController();
    const on = <Type extends keyof HTMLElementEventMap>(
      type: Type,
      isHolding: (event: HTMLElementEventMap[Type]) => boolean,
    ) => card?.addEventListener(type, (event) => setHeld(isHolding(event)), leaving);
    on('pointerenter', ({ pointerType }) => pointerType === 'mouse');
    on('pointerleave', () => false);
    on('focusin', ({ target }) => target instanceof Element && target.matches(':focus-visible'));
    on('focusout', () => false);
    return () => leaving.abort();
  }, [place]);
  return isHeld;
}
