import { forEachBounded } from '@bindery/concurrency/for-each';
import type { Mirror } from '../mirror/mirror.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { NO_PROGRESS } from '../tree/progress.ts';
import { type FetchOptions, recordWritten, type Written } from './fetch-files.ts';
import { PartialFiles } from './partial-files.ts';
import { placePieces } from './place-pieces.ts';
import type { WantedFile } from './wanted.ts';

const AT_ONCE = 16;

/** Like `fetchFiles`, but from a mirror. The first failure stops all; files already in place are verified and stay. */
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
      const pieces = mirror.read(file, fileSignal);
      const identity = await placePieces(file, pieces, { folder, partials, cache: objects, onBytes });
      recordWritten(written, file, identity, missing);
      work.advance({ items: 1 });
    });
    work.finish();
  } finally {
    work.stop();
  }
}
