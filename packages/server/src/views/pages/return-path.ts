/** Where people land after signing in, if they did not come from elsewhere. */
export const HOME = '/account';

/** Pages that people may be sent back to. Anything else, in particular other sites, leads to `HOME`. */
const PAGES = /^\/(?:account|device|app)(?:[/?#]|$)/;

/** Returns the path in `next` if it is one of our pages, else `HOME`. */
export function returnPath(next: string): string {
  const base = 'http://here.invalid';
  if (!PAGES.test(next) || !URL.canParse(next, base)) return HOME;
  const url = new URL(next, base);
  return url.origin === base && PAGES.test(url.pathname) ? url.pathname + url.search : HOME;
}

/** Returns the path of the sign-in page that leads back to `path`; `again` if a recent sign-in is needed for it. */
export function signInPath(path: string, again = false): string {
  const query = new URLSearchParams({
    ...(again && { again: 'yes' }),
    ...(path !== HOME && { next: path }),
  });
  return query.size > 0 ? `/sign-in?${query}` : '/sign-in';
}
