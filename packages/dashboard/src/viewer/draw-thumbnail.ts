import type { ViewerAsset } from '../viewer-protocol.ts';
import type { ReadCode } from './code.ts';
import { ViewerFiles } from './files.ts';
import { NORMAL_LIMITS } from './limits.ts';
import { mujocoModule } from './viewers/mujoco-module.ts';
import { WorkerClient } from './workers/client.ts';
import type { ThumbnailAnswers, ThumbnailCall } from './workers/thumbnail-worker.ts';
import ThumbnailWorker from './workers/thumbnail-worker.ts?worker&inline';

/** Drawing takes seconds on a slow machine, and reading large files as long as in the viewer. */
const TIMEOUT_SECONDS = 60;

/**
 * Draws an asset's thumbnail as the command line does, with the same code and without a GPU; returns a WebP file.
 * Rejects with the reason in words.
 */
export async function drawThumbnail(
  { kind, entry, files }: ViewerAsset,
  readFile: (path: string) => Promise<Uint8Array<ArrayBuffer>>,
  readCode: ReadCode,
): Promise<Uint8Array<ArrayBuffer>> {
  const mujoco = kind === 'mjcf' ? await mujocoModule(readCode) : null;
  const source = new ViewerFiles(files, readFile);
  const worker = new WorkerClient<ThumbnailCall, ThumbnailAnswers>(
    new ThumbnailWorker({ name: 'thumbnail' }),
    source,
    TIMEOUT_SECONDS,
  );
  const asset = { entry, sizes: source.sizes, limits: NORMAL_LIMITS };
  return worker.call({ do: 'draw', kind, asset, mujoco }).finally(() => worker.close());
}
