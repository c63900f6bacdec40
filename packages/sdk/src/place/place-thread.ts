import { workerData } from 'node:worker_threads';
import { serveThreadTasks } from '@bindery/concurrency/thread-tasks';
import type { ManifestFile } from '@bindery/contract';
import { ObjectCache } from '../cache/object-cache.ts';
import type { FileIdentity } from '../tree/file-identity.ts';
import { type FolderHandle, GuardedFolder } from '../tree/guarded-folder.ts';
import { placeContent } from './placer.ts';

/** Passed to the thread when it starts. */
export interface PlaceThreadData {
  folder: FolderHandle;
  /** The folder of all of Bindery's caches; null disables caching. */
  cacheFolder: string | null;
}

/** Contents in shared memory, each at offset `at`, and the names to write them under next to their targets. */
export interface PlaceRequest {
  memory: SharedArrayBuffer;
  contents: (ManifestFile & { at: number; name: string })[];
}

/** The outcome for each content; null if it could not be moved into place. */
export type PlaceResult = (FileIdentity | 'wrong' | null)[];

const { folder: held, cacheFolder } = workerData as PlaceThreadData;
const folder = GuardedFolder.fromHandle(held);
const cache = cacheFolder === null ? null : new ObjectCache(cacheFolder);

serveThreadTasks(
  ({ memory, contents }: PlaceRequest): PlaceResult =>
    contents.map(({ at, name, ...file }) => {
      try {
        return placeContent(file, name, Buffer.from(memory, at, file.size), { folder, cache });
      } catch {
        return null;
      }
    }),
);
