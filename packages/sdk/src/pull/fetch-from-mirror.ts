import { forEachBounded } from '@bindery/concurrency/for-each';
import type { ObjectCache } from '../cache/object-cache.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { FileIdentity } from '../tree/file-identity.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { NO_PROGRESS } from '../tree/progress.ts';
import { openTarget, type WriteParts } from './download.ts';
import { type FetchOptions, recordWritten, type Written } from './fetch-files.ts';
import { PartialFiles } from './partial-files.ts';
import { writeFully } from './place-content.ts';
import type { WantedFile } from './wanted.ts';

const AT_ONCE = 16;

/** As `fetchFiles`, from a mirror. The first failure ends all; what is in place by then is verified and stays. */
export async function fetchFromMirror(
  mirror: Mirror,
  folder: GuardedFolder,
  files: readonly WantedFile[],
  missing: ReadonlySet<WantedFile>,
  written: Written,
  { objects, signal, progress = NO_PROGRESS }: FetchOptions,
): Promise<void> {
  const partials = new PartialFiles(folder);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const work = progress.start('Pulling', { bytes, items: files.length, unit: 'files' });
  const onBytes = (more: number) => work.advance({ bytes: more });
  try {
    await forEachBounded(files, { concurrency: AT_ONCE, signal }, async (file, fileSignal) => {
      const parts = { folder, partials, cache: objects, onBytes, signal: fileSignal };
      recordWritten(written, file, await copyFile(file, mirror, parts), missing);
      work.advance({ items: 1 });
    });
    work.finish();
  } finally {
    work.stop();
  }
}

async function copyFile(
  file: WantedFile,
  mirror: Mirror,
  parts: WriteParts & { cache: ObjectCache | null; onBytes(bytes: number): void; signal: AbortSignal },
): Promise<FileIdentity> {
  const target = openTarget(file, parts);
  try {
    let at = 0;
    for await (const piece of mirror.read(file, parts.signal)) {
      writeFully(target.descriptor, piece, at);
      at += piece.length;
      parts.onBytes(piece.length);
    }
    await parts.cache?.addFile(file, target.reopenable());
    return target.putInPlace();
  } catch (error) {
    target.remove();
    throw error;
  } finally {
    target.close();
  }
}
