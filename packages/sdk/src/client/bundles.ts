import { BUNDLE } from '@bindery/contract/wire';

const FILES = 64;
const BYTES = 4 * 1024 * 1024;

/** Groups small files into bundles, in order, as full as allowed. Large files and single ones are left out. */
export function groupIntoBundles<File extends { size: number }>(files: readonly File[]): File[][] {
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

/** Returns a presigned URL from its path on, as bundles name it; null if its store is not at `origin`. */
export function pathInStore(origin: string, url: string): string | null {
  const path = url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
  return STORED.test(path) ? path : null;
}

const STORED = /^\/storage\/[!-~]+$/;
