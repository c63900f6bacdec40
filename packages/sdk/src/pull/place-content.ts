import { hash } from 'node:crypto';
import { closeSync, fstatSync, writeSync } from 'node:fs';
import type { ObjectCache } from '../cache/object-cache.ts';
import { type FileIdentity, identityOf } from '../tree/file-identity.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';

/** What is said of a file whose content is here. */
export interface ExpectedContent {
  path: string;
  sha256: string;
  size: number;
}

export interface PlaceContentParts {
  folder: GuardedFolder;
  /** Keeps what was verified for other pulls of this machine; null: nothing is kept. */
  cache: ObjectCache | null;
}

/**
 * Puts content in place, in one step, and keeps it in the cache, unless it is not what it should be. It is written beside
 * its place first, under a `name` that nothing has. Answers what tells whether it changes later.
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

/** Puts verified content in place in one step. */
export function writeVerified(
  path: string,
  name: string,
  content: Buffer,
  folder: GuardedFolder,
): FileIdentity {
  const descriptor = folder.openBeside(path, name);
  try {
    writeFully(descriptor, content, 0);
    const identity = identityOf(fstatSync(descriptor, { bigint: true }));
    folder.putInPlace(path, name);
    return identity;
  } catch (error) {
    folder.removeBeside(path, name);
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
