import { createHash } from 'node:crypto';
import { IntegrityError } from '../failures.ts';

/** An object as a trusted source names it: a manifest, a lock, the service. */
export interface ContentId {
  /** 64 lowercase hexadecimal digits. */
  sha256: string;
  /** Bytes. */
  size: number;
}

/**
 * Yields the pieces while it verifies their size and hash. The last piece is yielded only after everything is verified,
 * so that whoever gets all of them has the right bytes. `origin` names the source in messages. Throws `IntegrityError`,
 * after `size` bytes at the latest.
 */
export async function* verifyContent(
  { sha256, size }: ContentId,
  pieces: AsyncIterable<Uint8Array>,
  origin: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const digest = createHash('sha256');
  let received = 0;
  let held: Uint8Array | null = null;
  for await (const piece of pieces) {
    received += piece.length;
    if (received > size) throw contentMismatchError(origin, sha256, `more than its ${size} bytes`);
    digest.update(piece);
    if (held !== null) yield held;
    held = piece;
  }
  if (received < size) throw contentMismatchError(origin, sha256, `${received} of its ${size} bytes`);
  if (digest.digest('hex') !== sha256) throw contentMismatchError(origin, sha256, 'other bytes');
  if (held !== null) yield held;
}

function contentMismatchError(origin: string, sha256: string, instead: string): IntegrityError {
  return new IntegrityError(`${origin} has ${instead} in place of the object ${sha256}; it was discarded`);
}
