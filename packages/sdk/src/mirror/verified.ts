import { createHash } from 'node:crypto';
import { IntegrityError } from '../failures.ts';

/** An object as whoever is trusted names it: a manifest, a lock, the service. */
export interface ContentId {
  /** 64 lowercase hexadecimal digits. */
  sha256: string;
  /** Bytes. */
  size: number;
}

/**
 * Passes bytes on and holds them to what they should be. The last piece is passed on only when all are verified, so that
 * who got everything has got nothing else. `origin` says in messages whose bytes they are. Throws `IntegrityError`, after `size` bytes at the latest.
 */
export async function* verified(
  { sha256, size }: ContentId,
  pieces: AsyncIterable<Uint8Array>,
  origin: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const digest = createHash('sha256');
  let received = 0;
  let held: Uint8Array | null = null;
  for await (const piece of pieces) {
    received += piece.length;
    if (received > size) throw wrong(origin, sha256, `more than its ${size} bytes`);
    digest.update(piece);
    if (held !== null) yield held;
    held = piece;
  }
  if (received < size) throw wrong(origin, sha256, `${received} of its ${size} bytes`);
  if (digest.digest('hex') !== sha256) throw wrong(origin, sha256, 'other bytes');
  if (held !== null) yield held;
}

function wrong(origin: string, sha256: string, instead: string): IntegrityError {
  return new IntegrityError(`${origin} has ${instead} in place of the object ${sha256}; it was discarded`);
}
