import { hash } from 'node:crypto';
import { isLost } from '../../../objects/damaged.ts';
import type { LocalFiles } from '../../../revision/local-files.ts';
import type { NamedFile } from '../revision-workers.ts';

/** The bytes of a file; null if it is missing or does not match its hash. */
export function readNamed(files: LocalFiles, { file, sha256 }: NamedFile): Uint8Array | null {
  const bytes = readIfThere(files, file);
  return bytes !== null && hash('sha256', bytes) === sha256 ? bytes : null;
}

export function readIfThere(files: LocalFiles, file: string): Uint8Array | null {
  try {
    return files.read(file);
  } catch (error) {
    if (isLost(error)) return null;
    throw error;
  }
}
