import { compareUtf8 } from '../utf8.ts';
import type { ManifestFile } from './schema.ts';

/**
 * Returns the text whose SHA-256 is the digest of a set of files: for each file, sorted by the UTF-8 bytes of its path,
 * the path, a newline, its hash, a newline. The caller hashes it; equal digests mean that a pull transfers nothing.
 */
export function digestText(files: readonly Pick<ManifestFile, 'path' | 'sha256'>[]): string {
  const sorted = files.length > 1 ? files.toSorted((a, b) => compareUtf8(a.path, b.path)) : files;
  let text = '';
  for (const { path, sha256 } of sorted) text += `${path}\n${sha256}\n`;
  return text;
}

/** Returns the digest as shown in search hits, from the hash of `digestText` in lowercase hex. */
export function formatDigest(sha256: string): string {
  return `sha256:${sha256}`;
}
