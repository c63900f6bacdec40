import { ROOT_FILES } from '@bindery/contract';
import type { ClosureFile, FileClosure } from '../revision/file-closure.ts';

/** The files at the root of the pushed folder that belong to no asset: README and curation, under their own names. */
export function rootFiles(files: FileClosure): ClosureFile[] {
  return [...ROOT_FILES].flatMap(([stored, path]) => {
    const file = files.find(path) === null ? files.find(stored) : null;
    return file === null ? [] : [{ ...file, path, platform: false }];
  });
}
