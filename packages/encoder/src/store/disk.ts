import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelFile } from '../description.ts';
import { EncoderError } from '../errors.ts';

const MIB = 1_048_576;

/** Throws `EncoderError` (`failed`) if the bytes of the files that are still missing do not fit on the disk. */
export async function requireRoom(incoming: string, files: readonly ModelFile[]): Promise<void> {
  let wanted = 0;
  for (const { name, size } of files) {
    const there = await Promise.all([name, `${name}.part`].map((path) => sizeOf(join(incoming, path))));
    wanted += Math.max(0, size - Math.max(...there));
  }
  const { bavail, bsize } = await statfs(incoming);
  if (wanted <= bavail * bsize) return;
  const [needs, has] = [Math.ceil(wanted / MIB), Math.floor((bavail * bsize) / MIB)];
  throw new EncoderError(
    'failed',
    `${incoming} needs ${needs} MiB more, and ${has} MiB of its disk are free.`,
  );
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  return found?.size ?? 0;
}

/** Converts an error about a full or unwritable model folder to an `EncoderError`; returns other errors unchanged. */
export function asDiskError(error: unknown, folder: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const message = `The disk of ${folder} is full. What has arrived is kept, and the next pull resumes there.`;
    return new EncoderError('failed', message, { cause: error });
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    const message = `${folder} cannot be written (${code}). Set BINDERY_MODEL_DIR to use another folder.`;
    return new EncoderError('refused', message, { cause: error });
  }
  return error;
}
