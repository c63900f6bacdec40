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

/** The sign-in page that leads back to `path`. */
export function signInPath(path: string): string {
  return path === HOME ? '/sign-in' : `/sign-in?next=${encodeURIComponent(path)}`;
}
