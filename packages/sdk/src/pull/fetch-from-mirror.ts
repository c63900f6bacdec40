import { forEachBounded } from '@bindery/concurrency/for-each';
import type { Mirror } from '../mirror/mirror.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { NO_PROGRESS } from '../tree/progress.ts';
import { type FetchOptions, recordWritten, type WrittenFiles } from './fetch-files.ts';
import { PartialFiles } from './partial-files.ts';
import { placePieces } from './place-pieces.ts';
import type { TargetFile } from './select-files.ts';

const CONCURRENCY = 16;

/** Like `fetchFiles`, but from a mirror. The first failure stops all; files already in place are verified and stay. */
export async function fetchFromMirror(
  mirror: Mirror,
  folder: GuardedFolder,
  files: readonly TargetFile[],
  missing: ReadonlySet<TargetFile>,
  written: WrittenFiles,
  { objects, signal, progress = NO_PROGRESS }: FetchOptions,
): Promise<void> {
  const partials = new PartialFiles(folder);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const work = progress.start('Pulling', { bytes, items: files.length, unit: 'files' });
  const onBytes = (more: number) => work.advance({ bytes: more });
  try {
    await forEachBounded(files, { concurrency: CONCURRENCY, signal }, async (file, fileSignal) => {
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
