import { workerData } from 'node:worker_threads';
import { answerTasks } from '@bindery/concurrency/thread-tasks';
import { ObjectCache } from '../cache/object-cache.ts';
import type { FileIdentity } from '../tree/file-identity.ts';
import { GuardedFolder, type HeldFolder } from '../tree/guarded-folder.ts';
import { type ExpectedContent, placeContent } from './place-content.ts';

/** What the thread is told at its start. */
export interface PlaceThreadData {
  folder: HeldFolder;
  /** Where Bindery keeps caches; null: nothing is kept. */
  cacheFolder: string | null;
}

/** Contents in shared memory, each from the byte `at` on, and the names to write them under, beside their places. */
export interface PlaceRequest {
  memory: SharedArrayBuffer;
  contents: (ExpectedContent & { at: number; name: string })[];
}

/** What became of each content; null where it could not be put in place. */
export type PlaceAnswer = (FileIdentity | 'wrong' | null)[];

const { folder: held, cacheFolder } = workerData as PlaceThreadData;
const folder = GuardedFolder.share(held);
const cache = cacheFolder === null ? null : new ObjectCache(cacheFolder);

answerTasks(
  ({ memory, contents }: PlaceRequest): PlaceAnswer =>
    contents.map(({ at, name, ...file }) => {
      try {
        return placeContent(file, name, Buffer.from(memory, at, file.size), { folder, cache });
      } catch {
        return null;
      }
    }),
);
