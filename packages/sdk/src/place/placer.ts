import { hash } from 'node:crypto';
import { closeSync, fstatSync } from 'node:fs';
import type { ManifestFile } from '@bindery/contract';
import type { ObjectCache } from '../cache/object-cache.ts';
import { type FileIdentity, identityOf } from '../tree/file-identity.ts';
import { writeFully } from '../tree/files.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { PartialFiles } from './partial-files.ts';
import { type TargetFile, WrittenFiles } from './written-files.ts';

export interface PlacerOptions {
  /** The files that are not in the folder yet. */
  missing?: readonly TargetFile[];
  /** Caches files that are placed for other pulls on this machine; null disables caching. */
  cache?: ObjectCache | null;
  written?: WrittenFiles;
}

/**
 * Puts verified files into a folder, each atomically, and records them. Every file that a pull, a sync or an export
 * brings reaches its place through it.
 */
export class Placer {
  readonly folder: GuardedFolder;
  readonly partials: PartialFiles;
  readonly cache: ObjectCache | null;
  readonly written: WrittenFiles;
  readonly #missing: ReadonlySet<string>;

  constructor(
    folder: GuardedFolder,
    { missing = [], cache = null, written = new WrittenFiles() }: PlacerOptions = {},
  ) {
    this.folder = folder;
    this.partials = new PartialFiles(folder);
    this.cache = cache;
    this.written = written;
    this.#missing = new Set(missing.map(({ path }) => path));
  }

  isMissing({ path }: TargetFile): boolean {
    return this.#missing.has(path);
  }

  /** Records a file that was moved into place. `isInPlace`: the identity is from after that. */
  record(file: TargetFile, identity: FileIdentity, { isInPlace = false } = {}): void {
    const isNew = this.isMissing(file) || this.written.get(file.path)?.isNew === true;
    this.written.set(file.path, { sha256: file.sha256, identity, isNew, isInPlace });
  }

  /**
   * Writes a file from pieces, which must end only once all of them are verified. Throws what the pieces throw, after
   * deleting what was written.
   */
  async placePieces(
    file: TargetFile,
    pieces: AsyncIterable<Uint8Array>,
    onBytes: (bytes: number) => void,
  ): Promise<void> {
    const { folder, partials } = this;
    const name = partials.claim(file);
    try {
      const descriptor = folder.openSibling(file.path, name);
      try {
        let at = 0;
        for await (const piece of pieces) {
          writeFully(descriptor, piece, at);
          at += piece.length;
          onBytes(piece.length);
        }
        await this.cache?.addFile(file, folder.reopenPath(file.path, name, descriptor));
        const identity = identityOf(fstatSync(descriptor, { bigint: true }));
        folder.putInPlace(file.path, name);
        this.record(file, identity);
      } catch (error) {
        folder.removeSibling(file.path, name);
        throw error;
      } finally {
        closeSync(descriptor);
      }
    } finally {
      partials.release(name);
    }
  }
}

/** Writes content that is known to be that of the file and moves it into place. Returns the identity of the file. */
export function writeWhole(
  file: ManifestFile,
  content: Buffer,
  folder: GuardedFolder,
  partials = new PartialFiles(folder),
): FileIdentity {
  const name = partials.claim(file);
  try {
    return writeUnder(name, file, content, folder);
  } finally {
    partials.release(name);
  }
}

/**
 * Verifies content, caches it and moves it into place. It is first written next to its target under an unused `name`.
 * Returns the identity of the file, or `wrong` if the content is not what was expected.
 */
export function placeContent(
  file: ManifestFile,
  name: string,
  content: Buffer,
  { folder, cache }: { folder: GuardedFolder; cache: ObjectCache | null },
): FileIdentity | 'wrong' {
  if (hash('sha256', content) !== file.sha256) return 'wrong';
  cache?.add(file, content);
  return writeUnder(name, file, content, folder);
}

function writeUnder(
  name: string,
  { path }: ManifestFile,
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
