import { serveThreadTasks } from '@bindery/concurrency/thread-tasks';
import { type HashedFile, hashFile } from './hash-file.ts';

export interface HashRequest {
  /** Absolute paths. */
  files: string[];
  /** Shared: not 0 if no further file is to be hashed. */
  stopped: Int32Array<SharedArrayBuffer>;
}

/** The outcome for each file, or only for the first ones if hashing was stopped: null if it changed while it was read. */
export type HashResult = (HashedFile | null | { error: string; code: string | undefined })[];

serveThreadTasks(({ files, stopped }: HashRequest): HashResult => {
  const results: HashResult = [];
  for (const file of files) {
    if (Atomics.load(stopped, 0) !== 0) break;
    results.push(hashOrError(file));
  }
  return results;
});

function hashOrError(file: string): HashResult[number] {
  try {
    return hashFile(file);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { error: message, code };
  }
}
