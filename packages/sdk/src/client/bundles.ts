import { BUNDLE } from '@bindery/contract/wire';

const FILES = 64;
const BYTES = 4 * 1024 * 1024;

/** Small files in their order, as many in each bundle as it may have. Large ones are in none, and one alone needs none. */
export function inBundles<File extends { size: number }>(files: readonly File[]): File[][] {
  const bundles: File[][] = [];
  let bundle: File[] = [];
  let bytes = 0;
  for (const file of files) {
    if (file.size > BUNDLE.fileBytes) continue;
    if (bundle.length === FILES || bytes + file.size > BYTES) {
      bundles.push(bundle);
      bundle = [];
      bytes = 0;
    }
    bundle.push(file);
    bytes += file.size;
  }
  return [...bundles, bundle].filter(({ length }) => length > 1);
}

/** A presigned URL from its path on, as bundles name it; null where it is not of a store at this very origin. */
export function pathInStore(origin: string, url: string): string | null {
  const path = url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
  return STORED.test(path) ? path : null;
}

const STORED = /^\/storage\/[!-~]+$/;
