import type { ObjectCache } from '../cache/object-cache.ts';
import type { FileIdentity } from '../tree/file-identity.ts';
import { openTarget, type WriteParts } from './download.ts';
import { writeFully } from './place-content.ts';
import type { TargetFile } from './select-files.ts';

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
