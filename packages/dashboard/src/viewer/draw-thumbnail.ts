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
 * Draws and measures an asset as the command line does, with the same code and without a GPU; or measures a model, or
 * describes a picture for a search. Rejects with the reason in words.
 */
export async function readInWorker<What extends keyof ThumbnailAnswers>(
  what: What,
  { kind, entry, files, box = null }: ViewerAsset,
  readFile: (path: string) => Promise<Uint8Array<ArrayBuffer>>,
  readCode: ReadCode,
): Promise<ThumbnailAnswers[What]> {
  const mujoco = kind === 'mjcf' ? await mujocoModule(readCode) : null;
  const source = new ViewerFiles(files, readFile);
  const started = new ThumbnailWorker({ name: 'thumbnail' });
  const worker = new WorkerClient<ThumbnailCall, ThumbnailAnswers>(started, source, TIMEOUT_SECONDS);
  const asset = { entry, sizes: source.sizes, limits: NORMAL_LIMITS };
  return worker.call({ do: what, kind, asset, box, mujoco }).finally(() => worker.close());
}
