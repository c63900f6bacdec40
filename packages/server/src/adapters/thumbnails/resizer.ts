import { availableParallelism } from 'node:os';
import { ProcessPool, WorkerFailure } from '@bindery/concurrency';
import { unavailable } from '../../errors.ts';
import type { ObjectStore } from '../../objects/store.ts';
import {
  type SmallThumbnail,
  type ThumbnailResizer,
  UnreadablePicture,
} from '../../thumbnails/small-thumbnails.ts';
import type { ResizeSettings, ResizeTask } from './resize-process.ts';

const MAX_PROCESSES = Math.min(2, availableParallelism());
const MAX_WAITING = 500;
/** Milliseconds for one picture, and the memory limit of a process. */
const TIMEOUT = 10_000;
const SETTINGS: ResizeSettings = { maxBytes: 512 * 2 ** 20 };

/** Seconds. */
const RETRY_AFTER = 5;

/** Creates processes that make pictures smaller. None is started before the first request. */
export function createThumbnailResizer(objects: Pick<ObjectStore, 'localFile'>): ThumbnailResizer {
  const pool = new ProcessPool({
    entry: new URL('./resize-process.ts', import.meta.url),
    settings: SETTINGS,
    maxProcesses: MAX_PROCESSES,
    maxWaiting: MAX_WAITING,
    timeout: TIMEOUT,
  });

  async function resize({ width, ...picture }: SmallThumbnail): Promise<Uint8Array> {
    const file = await objects.localFile(picture);
    const task: ResizeTask = { file, sha256: picture.sha256, width };
    try {
      return await pool.run<Uint8Array>({ value: task });
    } catch (error) {
      if (error instanceof WorkerFailure && error.reason !== 'time') {
        throw unavailable('Too many pictures are being resized. Try again.', RETRY_AFTER);
      }
      throw new UnreadablePicture('the picture cannot be resized', { cause: error });
    }
  }

  return { resize, close: () => pool.close() };
}
