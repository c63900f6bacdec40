import { createHash, type Hash } from 'node:crypto';
import { createReadStream, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { ImportError } from '../failures.ts';
import { type UpstreamFile, type UpstreamTree, wrong } from './upstream.ts';

/** Bytes of an archive. One of ZIP is unpacked in memory. */
const MAX_ARCHIVE = 512 * 2 ** 20;

/**
 * Receives a file into `partial`, going on behind what is there, and verifies it as far as the source says what it is.
 * Returns its size. Throws `ImportError`, and then nothing that is wrong is left.
 */
export async function receive(
  tree: Pick<UpstreamTree, 'open'>,
  file: UpstreamFile,
  partial: string,
  signal: AbortSignal,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<number> {
  const has = sizeOf(partial) ?? 0;
  const { from, bytes } = await tree.open(file, file.size !== null && has <= file.size ? has : 0, signal);
  const digest = digestOf(file);
  if (from > 0 && digest !== null)
    for await (const piece of createReadStream(partial)) digest.update(piece as Buffer);
  const target = await open(partial, from === 0 ? 'w' : 'a');
  let size = from;
  try {
    for await (const piece of bytes) {
      size += piece.length;
      if (size > (file.size ?? Number.POSITIVE_INFINITY)) throw wrong(file, 'is longer than the source says');
      refuseTooLarge(size, maxBytes);
      if (file.archive && size > MAX_ARCHIVE) throw wrong(file, 'is an archive of more than 512 MiB');
      digest?.update(piece);
      await target.write(piece);
    }
  } catch (error) {
    if (error instanceof ImportError) rmSync(partial, { force: true });
    throw error;
  } finally {
    await target.close();
  }
  if (file.size !== null && size < file.size) throw wrong(file, `ended after ${size} of ${file.size} bytes`);
  if (digest !== null && digest.digest('hex') !== file.digest?.hex) {
    rmSync(partial, { force: true });
    throw wrong(file, 'is not what the source says that it is: its hash differs');
  }
  return size;
}

function digestOf({ digest, size }: UpstreamFile): Hash | null {
  if (digest === null) return null;
  if (digest.algorithm === 'sha256') return createHash('sha256');
  return createHash(digest.hex.length === 64 ? 'sha256' : 'sha1').update(`blob ${size}\0`);
}

export function refuseTooLarge(bytes: number, most: number): void {
  if (bytes > most)
    throw new ImportError('source_refused', `The source has ${bytes} bytes, and there is room for ${most}.`);
}

/** Returns the size of a file; null if there is none. */
export function sizeOf(file: string): number | null {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() ? stats.size : null;
}
