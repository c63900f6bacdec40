import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isMissing } from '../../objects/missing.ts';
import type { NamedFile } from './revision-builder.ts';

/** The bytes that a file is named for; null where it is missing or holds others. */
export function readNamed({ file, sha256 }: NamedFile): Uint8Array | null {
  const bytes = readIfThere(file);
  return bytes !== null && hash('sha256', bytes) === sha256 ? bytes : null;
}

export function readIfThere(file: string): Uint8Array | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
