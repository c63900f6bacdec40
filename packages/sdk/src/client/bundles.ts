import { BUNDLE } from '@bindery/contract/wire';

const MIN_FILES = 64;
const BYTES = 4 * 1024 * 1024;

/** A transfer takes about this many bundles: enough to send several at once, and few enough for a distant service. */
const BUNDLES_PER_TRANSFER = 24;

/**
 * Groups small files into bundles, in order. Large files and single ones are left out. The more files the whole transfer
 * has, the more are in a bundle.
 */
export function groupIntoBundles<File extends { size: number }>(
  files: readonly File[],
  filesOfTransfer = files.length,
): File[][] {
  const fair = Math.ceil(filesOfTransfer / BUNDLES_PER_TRANSFER);
  const most = Math.min(Math.max(fair, MIN_FILES), BUNDLE.urls);
  const bundles: File[][] = [];
  let bundle: File[] = [];
  let bytes = 0;
  for (const file of files) {
    if (file.size > BUNDLE.fileBytes) continue;
    if (bundle.length === most || bytes + file.size > BYTES) {
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
