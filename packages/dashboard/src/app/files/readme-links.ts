const IMAGE = /\.(png|jpe?g|webp|gif|avif)$/i;

/** Returns the path of the file that an image in a README refers to; null if it is external or not an image. */
export function imagePathOf(readme: string, href: string): string | null {
  const base = `http://files/${readme.split('/').map(encodeURIComponent).join('/')}`;
  if (!URL.canParse(href, base)) return null;
  const { protocol, host, pathname } = new URL(href, base);
  if (protocol !== 'http:' || host !== 'files' || !IMAGE.test(pathname)) return null;
  return decoded(pathname.slice(1));
}

/** Returns the target of a link in a README if it is an absolute web URL, else null. */
export function linkOf(href: string): string | null {
  return /^https?:\/\//i.test(href) && URL.canParse(href) ? href : null;
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
