import { join } from 'node:path';
import { FileChangedError } from '../failures.ts';
import { nowNs, sameIdentity } from './file-identity.ts';
import type { HashCache } from './hash-cache.ts';
import { hashFiles } from './hash-files.ts';
import { NO_PROGRESS, type ProgressListener } from './progress.ts';
import type { ScannedFile } from './scan.ts';

export interface LocalHashesOptions {
  /** Read every file, whatever the cache says. */
  verify?: boolean | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

/** Returns the SHA-256 of the given files of a folder by path, from the cache if a file has not changed. */
export async function localHashes(
  root: string,
  files: readonly ScannedFile[],
  cache: HashCache,
  options: LocalHashesOptions = {},
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  const unknown: ScannedFile[] = [];
  for (const file of files) {
    const known = options.verify ? null : cache.get(file.path, file);
    if (known === null) unknown.push(file);
    else hashes.set(file.path, known);
  }
  try {
    await hashUnknown(root, unknown, cache, hashes, options);
  } finally {
    cache.save();
  }
  return hashes;
}

async function hashUnknown(
  root: string,
  files: readonly ScannedFile[],
  cache: HashCache,
  hashes: Map<string, string>,
  { signal, progress = NO_PROGRESS }: LocalHashesOptions,
): Promise<void> {
  if (files.length === 0) return;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const work = progress.start('Hashing', { bytes, items: files.length, unit: 'files' });
  const readAt = nowNs();
  const scanned = new Map(files.map((file) => [file.path, file]));
  try {
    await hashFiles(
      files.map(({ path, size }) => ({ path, size, file: join(root, path) })),
      {
        signal,
        onHashed({ path, size }, hashed) {
          const seen = scanned.get(path);
          if (seen === undefined || !sameIdentity(seen, hashed)) {
            throw new FileChangedError(path);
          }
          cache.record(path, hashed, hashed.sha256, readAt);
          hashes.set(path, hashed.sha256);
          work.advance({ bytes: size, items: 1 });
        },
      },
    );
    work.finish();
  } finally {
    work.stop();
  }
}
