import { closeSync, openSync, readSync } from 'node:fs';

/** Reads bytes of a file from `start`, fewer if the file ends. */
export function readPart(file: string, start: number, length: number): Uint8Array {
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.allocUnsafeSlow(length);
    let filled = 0;
    while (filled < length) {
      const read = readSync(descriptor, buffer, filled, length - filled, start + filled);
      if (read === 0) break;
      filled += read;
    }
    return buffer.subarray(0, filled);
  } finally {
    closeSync(descriptor);
  }
}
