import type { AssetDetail, PresignedFile } from '@bindery/contract';

const README = /^readme(\.(md|markdown|txt))?$/i;

/** Longer texts are read as files. */
const MAX_README = 512 * 1024;

/** What an asset's author wrote to be read first: the README that lies highest in its files. */
export function readmeOf({ files }: Pick<AssetDetail, 'files'>): PresignedFile | null {
  const found = files.filter(({ path, size }) => README.test(baseName(path)) && size <= MAX_README);
  return found.sort((one, other) => depthOf(one) - depthOf(other))[0] ?? null;
}

const IMAGE = /\.(png|jpe?g|webp|gif|avif)$/i;

/** What an image of the README is fetched from: the asset's own file, if it is one of them. */
export function imageOf(
  { files }: Pick<AssetDetail, 'files'>,
  readme: Pick<PresignedFile, 'path'>,
  href: string,
): string | null {
  const base = `http://files/${readme.path.split('/').map(encodeURIComponent).join('/')}`;
  if (!URL.canParse(href, base)) return null;
  const { protocol, host, pathname } = new URL(href, base);
  if (protocol !== 'http:' || host !== 'files' || !IMAGE.test(pathname)) return null;
  const path = decoded(pathname.slice(1));
  return files.find((file) => file.path === path)?.url ?? null;
}

/** Where a link of the README leads: to the web or nowhere. */
export function linkOf(href: string): string | null {
  return /^https?:\/\//i.test(href) && URL.canParse(href) ? href : null;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function depthOf({ path }: PresignedFile): number {
  return path.split('/').length;
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
