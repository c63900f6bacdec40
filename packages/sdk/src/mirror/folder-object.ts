import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { MirrorError } from './mirror-error.ts';
import { objectPath } from './object-path.ts';

const PIECE = 512 * 1024;
/** Opening a pipe does not wait for a writer. */
const OPEN_FILE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Reads an object from a folder without verifying it. Throws `MirrorError` if it is not a file that can be read. */
export async function* readFolderObject(
  folder: string,
  sha256: string,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await openObject(folder, sha256);
  try {
    if (!(await file.stat()).isFile()) throw new MirrorError(folder, `has no file at ${objectPath(sha256)}`);
    for (;;) {
      signal?.throwIfAborted();
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.allocUnsafe(PIECE) });
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function openObject(folder: string, sha256: string): Promise<FileHandle> {
  try {
    return await open(join(folder, objectPath(sha256)), OPEN_FILE);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new MirrorError(folder, `has no ${objectPath(sha256)}`);
    throw new MirrorError(folder, `cannot be read (${code ?? String(error)})`);
  }
}
