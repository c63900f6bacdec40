import { type Examination, examineFiles } from '../discovery/examine-files.ts';
import { readPart } from '../tree/read-part.ts';
import type { ScannedFile } from '../tree/scan.ts';
import { FactsCache } from './facts-cache.ts';

/** Examines each file of a folder on this machine. With a `cacheFolder`, unchanged files are not read again. */
export function examineTree(
  root: string,
  files: readonly ScannedFile[],
  cacheFolder: string | undefined,
): Examination {
  const cache = cacheFolder === undefined ? undefined : new FactsCache(root, cacheFolder);
  const examination = examineFiles(
    files,
    (path, start, length) => readPart(`${root}/${path}`, start, length),
    cache,
  );
  cache?.save(files);
  return examination;
}
