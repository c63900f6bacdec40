import { readFileSync } from 'node:fs';

/** Reads a file. An error names it, as those about a folder in its place do not by themselves. */
export function readNamed(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw named(error, file);
  }
}

/** Returns the error, which names the file from now on. */
export function named(error: unknown, file: string): unknown {
  return error instanceof Error && 'syscall' in error ? Object.assign(error, { path: file }) : error;
}
