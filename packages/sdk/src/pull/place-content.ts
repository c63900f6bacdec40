import { hash } from 'node:crypto';
import { closeSync, fstatSync, writeSync } from 'node:fs';
import type { ObjectCache } from '../cache/object-cache.ts';
import { type FileIdentity, identityOf } from '../tree/file-identity.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';

/** The expected hash and size of a content, and the path it is for. */
export interface ExpectedContent {
  path: string;
  sha256: string;
  size: number;
}

export interface PlaceContentParts {
  folder: GuardedFolder;
  /** Caches verified files for other pulls on this machine; null disables caching. */
  cache: ObjectCache | null;
}

/**
 * Verifies content, caches it and moves it into place atomically. It is first written next to its target under an
 * unused `name`. Returns the identity of the file, or `wrong` if the content is not what was expected.
 */
export function placeContent(
  file: ExpectedContent,
  name: string,
  content: Buffer,
  { folder, cache }: PlaceContentParts,
): FileIdentity | 'wrong' {
  if (hash('sha256', content) !== file.sha256) return 'wrong';
  cache?.add(file, content);
  return writeVerified(file.path, name, content, folder);
}

/** Writes verified content and moves it into place atomically. */
export function writeVerified(
  path: string,
  name: string,
  content: Buffer,
  folder: GuardedFolder,
): FileIdentity {
  const descriptor = folder.openSibling(path, name);
  try {
    writeFully(descriptor, content, 0);
    const identity = identityOf(fstatSync(descriptor, { bigint: true }));
    folder.putInPlace(path, name);
    return identity;
  } catch (error) {
    folder.removeSibling(path, name);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

export function writeFully(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(descriptor, bytes, written, bytes.length - written, position + written);
  }
}
