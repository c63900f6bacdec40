import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClientArchive } from '../context.ts';

/** Where the build of packages puts it: into the package of this service, and, seen from a clone, into the last build. */
const FOLDERS = ['../client/', '../../../../build/packages/server/dist/client/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** Reads the archive that came with this service; null if none did: a clone has it after `npm run packages`. */
export function readClientArchive(folder = FOLDERS.find((one) => existsSync(one))): ClientArchive | null {
  const [found] = folder === undefined ? [] : globSync('bindery-cli-*.tgz', { cwd: folder });
  if (folder === undefined || found === undefined) return null;
  const bytes = readFileSync(join(folder, found));
  return { name: found, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}
