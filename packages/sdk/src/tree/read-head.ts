import { closeSync, openSync, readSync } from 'node:fs';

/** The first bytes of a file as text, fewer where the file is shorter. */
export function readHead(file: string, bytes: number): string {
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.allocUnsafe(bytes);
    let filled = 0;
    while (filled < bytes) {
      const read = readSync(descriptor, buffer, filled, bytes - filled, filled);
      if (read === 0) break;
      filled += read;
    }
    return buffer.toString('utf8', 0, filled);
  } finally {
    closeSync(descriptor);
  }
}
