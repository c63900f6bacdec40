import { hash } from 'node:crypto';
import { closeSync, fstatSync } from 'node:fs';
import type { ObjectCache } from '../cache/object-cache.ts';
import { type FileIdentity, identityOf } from '../tree/file-identity.ts';
import { writeFully } from '../tree/files.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import type { PartialFiles } from './partial-files.ts';
import type { TargetFile } from './written-files.ts';

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
function writeVerified(
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

/** Writes verified content and moves it into place atomically. Returns the identity of the file. */
export function writeWhole(
  file: TargetFile,
  content: Buffer,
  { folder, partials }: WriteParts,
): FileIdentity {
  const name = partials.claim(file);
  try {
    return writeVerified(file.path, name, content, folder);
  } finally {
    partials.release(name);
  }
}

export interface WriteParts {
  folder: GuardedFolder;
  partials: PartialFiles;
}

/** Opens a new file next to its target for writing. */
function openTarget(file: TargetFile, { folder, partials }: WriteParts) {
  const name = partials.claim(file);
  try {
    const descriptor = folder.openSibling(file.path, name);
    return {
      descriptor,
      /** The path at which it can be opened again before it is in place. */
      reopenPath: () => folder.reopenPath(file.path, name, descriptor),
      putInPlace(): FileIdentity {
        const identity = identityOf(fstatSync(descriptor, { bigint: true }));
        folder.putInPlace(file.path, name);
        return identity;
      },
      remove: () => folder.removeSibling(file.path, name),
      close() {
        closeSync(descriptor);
        partials.release(name);
      },
    };
  } catch (error) {
    partials.release(name);
    throw error;
  }
}

export interface PlacePiecesParts extends WriteParts {
  /** Caches verified files for other pulls on this machine; null disables caching. */
  cache: ObjectCache | null;
  onBytes(bytes: number): void;
}

/**
 * Writes a file from pieces and moves it into place atomically. The pieces must end only once all of them are verified.
 * Returns the identity of the file. Throws what the pieces throw, after deleting what was written.
 */
export async function placePieces(
  file: TargetFile,
  pieces: AsyncIterable<Uint8Array>,
  parts: PlacePiecesParts,
): Promise<FileIdentity> {
  const target = openTarget(file, parts);
  try {
    let at = 0;
    for await (const piece of pieces) {
      writeFully(target.descriptor, piece, at);
      at += piece.length;
      parts.onBytes(piece.length);
    }
    await parts.cache?.addFile(file, target.reopenPath());
    return target.putInPlace();
  } catch (error) {
    target.remove();
    throw error;
  } finally {
    target.close();
  }
}
