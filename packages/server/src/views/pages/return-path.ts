/** Where people land after signing in, if they did not come from elsewhere. */
export const HOME = '/account';

/** Pages that one may be sent back to. Anything else, other sites above all, leads home. */
const PAGES = /^\/(?:account|device|app)(?:[/?#]|$)/;

/** The path that `next` names if it is one of our pages. */
export function returnPath(next: string): string {
  const base = 'http://here.invalid';
  if (!PAGES.test(next) || !URL.canParse(next, base)) return HOME;
  const url = new URL(next, base);
  return url.origin === base && PAGES.test(url.pathname) ? url.pathname + url.search : HOME;
}

/** The sign-in page that leads back to `path`; `again` for somebody whose sign-in is too long ago for it. */
export function signInPath(path: string, again = false): string {
  const query = new URLSearchParams({
    ...(again && { again: 'yes' }),
    ...(path !== HOME && { next: path }),
  });
  return query.size > 0 ? `/sign-in?${query}` : '/sign-in';
}
