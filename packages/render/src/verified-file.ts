import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** Nothing is wrong with the asset itself. */
export class UnreadFile extends Error {}

/** Reads a file of this machine that an asset has at a path; without a hash, as it is. @throws UnreadFile for one that cannot be read or differs */
export async function readVerified(path: string, place: string, sha256?: string): Promise<Uint8Array> {
  const bytes = await readFile(place).catch((cause: unknown) => {
    throw new UnreadFile(`${path} cannot be read`, { cause });
  });
  if (sha256 !== undefined && createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new UnreadFile(`${path} is damaged`);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
