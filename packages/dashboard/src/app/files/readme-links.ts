import { formatLibraryAddress } from '@bindery/sdk/browser';
import type { LibraryKey } from '../queries.ts';

const IMAGE = /\.(png|jpe?g|webp|gif|avif)$/i;

/** The extension of an image that browsers show; undefined for another file. */
export function imageExtension(path: string): string | undefined {
  return IMAGE.exec(path)?.[1];
}

/** Returns the path of the file that an image in a README refers to; null if it is external or not an image. */
export function imagePathOf(readme: string, href: string): string | null {
  const path = pathOf(readme, href);
  return path !== null && IMAGE.test(path) ? path : null;
}

/** Returns the path that an address in a README refers to, without a slash at its end; null if it is external. */
export function pathOf(readme: string, href: string): string | null {
  const base = `http://files/${readme.split('/').map(encodeURIComponent).join('/')}`;
  if (!URL.canParse(href, base)) return null;
  const { protocol, host, pathname } = new URL(href, base);
  if (protocol !== 'http:' || host !== 'files') return null;
  const path = decoded(pathname.replace(/^\/|\/+$/g, ''));
  // An escaped slash may be followed by dots.
  return path?.split('/').every((segment) => !/^\.{0,2}$/.test(segment)) ? path : null;
}

/** Returns the target of a link in a README if it is an absolute web URL, else null. */
export function linkOf(href: string): string | null {
  return /^https?:\/\//i.test(href) && URL.canParse(href) ? href : null;
}

/** The address of a file or folder of a library for everybody who may read it, or has the share token. */
export function rawAddress({ namespace, library, share, release }: LibraryKey, path: string): string {
  const place = formatLibraryAddress({ namespace, name: library, release });
  const query = share === undefined ? '' : `?${new URLSearchParams({ share })}`;
  return `/raw/${place}/${path.split('/').map(encodeURIComponent).join('/')}${query}`;
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

/** The addresses that are found for what a README says, by that. */
export async function addressesOf(
  hrefs: readonly string[],
  find: (href: string) => Promise<string | null | undefined> | null,
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(hrefs.map(async (href) => [href, await find(href)] as const));
  return new Map(found.filter((one): one is [string, string] => Boolean(one[1])));
}
