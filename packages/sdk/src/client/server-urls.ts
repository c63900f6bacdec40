/** Values of a query string; `undefined` omits a parameter, a list repeats it. */
export type QueryValues = Record<string, string | number | boolean | readonly string[] | undefined>;

/**
 * Checks and normalises a server address: http or https, without credentials, query or fragment; a path is kept, a
 * trailing slash is not. Throws a `TypeError` that says what is wrong.
 */
export function parseServerAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new TypeError(
      `"${text}" is not a server address; expected one such as https://bindery.example.org`,
    );
  }
  if (url.username || url.password)
    throw new TypeError('A server address must not have a user name or password.');
  if (url.search || url.hash) throw new TypeError('A server address must not have a "?" or "#" part.');
  return url.href.replace(/\/+$/, '');
}

/** Whether the address is a loopback address of this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Fills `:name` parameters into a route's path, each percent-encoded as one segment. */
function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:([A-Za-z]+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === '' || value === '.' || value === '..') {
      throw new TypeError(`"${name}" is missing or cannot be part of an address.`);
    }
    return encodeURIComponent(value);
  });
}

export function buildUrl(
  baseUrl: string,
  path: string,
  params: Readonly<Record<string, string>> = {},
  query: QueryValues = {},
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of [value].flat()) search.append(name, String(one));
  }
  const suffix = search.size > 0 ? `?${search}` : '';
  return baseUrl + fillPath(path, params) + suffix;
}
