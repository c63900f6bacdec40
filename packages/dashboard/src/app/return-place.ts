import type { AnyRouter } from '@tanstack/react-router';

/** How long a page that is returned to may take to show the same again, in milliseconds. */
const PATIENCE_MS = 5_000;

/** What the user does with a page ends the wait. */
const ACTIONS = ['keydown', 'pointerdown', 'wheel'] as const;

interface Place {
  /** Of the link that was followed; null if the page was left in another way. */
  href: string | null;
  /** How far the page was scrolled. */
  top: number;
}

/** How the entries of the browser's history were left, by the key of the entry. */
const places = new Map<string, Place>();

/** Remembers how pages are left, `main` being what they show. Returns a function that ends this. */
export function rememberPlaces(router: AnyRouter, main: HTMLElement): () => void {
  return router.subscribe('onBeforeNavigate', ({ fromLocation, pathChanged }) => {
    const key = fromLocation?.state.__TSR_key;
    if (!pathChanged || key === undefined) return;
    const link = main.contains(document.activeElement) ? document.activeElement : null;
    places.set(key, { href: link?.getAttribute('href') ?? null, top: scrollY });
  });
}

/**
 * Focuses `main` on a page that is opened. One that is returned to is scrolled to where it was, and the link focused by
 * which it was left, as soon as they are there again. Returns a function that ends the wait.
 */
export function focusPage(router: AnyRouter, main: HTMLElement): () => void {
  const key = router.state.location.state.__TSR_key;
  const place = places.get(key ?? '');
  main.focus({ preventScroll: true });
  if (place === undefined) return () => {};
  const { href, top } = place;
  const settle = () => {
    // Until the link is there, what is this tall may be the page that was left.
    const isTall = document.documentElement.scrollHeight >= top + innerHeight;
    if (isTall) scrollTo({ top, behavior: 'instant' });
    const link = href === null ? null : main.querySelector<HTMLElement>(`a[href="${CSS.escape(href)}"]`);
    link?.focus({ preventScroll: true });
    // As long as the router is not done, it may still scroll to the top.
    const isDone = router.state.resolvedLocation?.state.__TSR_key === key;
    if (isTall && isDone && (href === null || link)) end();
  };
  const stopListening = router.subscribe('onRendered', settle);
  const observer = new MutationObserver(settle);
  const timer = setTimeout(() => end(), PATIENCE_MS);
  const end = () => {
    stopListening();
    observer.disconnect();
    clearTimeout(timer);
    for (const type of ACTIONS) removeEventListener(type, end);
  };
  for (const type of ACTIONS) addEventListener(type, end, { passive: true });
  observer.observe(main, { childList: true, subtree: true, attributes: true, attributeFilter: ['style'] });
  settle();
  return end;
}
