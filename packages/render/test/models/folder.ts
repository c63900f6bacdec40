import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Has a program look at files in a folder, which is gone afterwards. */
export function inFolder<T>(files: ReadonlyMap<string, Uint8Array>, look: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-models-'));
  try {
    for (const [path, bytes] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), bytes);
    }
    return look(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
