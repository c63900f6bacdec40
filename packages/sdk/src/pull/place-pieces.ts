import type { ObjectCache } from '../cache/object-cache.ts';
import type { FileIdentity } from '../tree/file-identity.ts';
import { openTarget, type WriteParts } from './download.ts';
import { writeFully } from './place-content.ts';
import type { WantedFile } from './wanted.ts';

export interface PlacePiecesParts extends WriteParts {
  /** Keeps what was verified for other pulls of this machine; null: nothing is kept. */
  cache: ObjectCache | null;
  onBytes(bytes: number): void;
}

/**
 * Puts a file in place, in one step, from pieces that end only where all are verified. Answers what tells whether it changes
 * later. Throws what the pieces throw; nothing is left of the file then.
 */
export async function placePieces(
  file: WantedFile,
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
    await parts.cache?.addFile(file, target.reopenable());
    return target.putInPlace();
  } catch (error) {
    target.remove();
    throw error;
  } finally {
    target.close();
  }
}
