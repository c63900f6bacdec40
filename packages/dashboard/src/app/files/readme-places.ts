const IMAGE = /\.(png|jpe?g|webp|gif|avif)$/i;

/** The path of the file that an image of a README names; null for what lies elsewhere or is no image. */
export function imagePathOf(readme: string, href: string): string | null {
  const base = `http://files/${readme.split('/').map(encodeURIComponent).join('/')}`;
  if (!URL.canParse(href, base)) return null;
  const { protocol, host, pathname } = new URL(href, base);
  if (protocol !== 'http:' || host !== 'files' || !IMAGE.test(pathname)) return null;
  return decoded(pathname.slice(1));
}

/** Where a link of a README leads: to the web or nowhere. */
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
