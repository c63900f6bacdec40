import type { Description, ViewerAsset } from '../viewer-protocol.ts';
import type { ReadCode } from './code.ts';
import { ViewerFiles } from './files.ts';
import { NORMAL_LIMITS } from './limits.ts';
import { mujocoModule } from './viewers/mujoco-module.ts';
import { WorkerClient } from './workers/client.ts';
import type { DrawnModel, ThumbnailAnswers, ThumbnailCall } from './workers/thumbnail-worker.ts';
import ThumbnailWorker from './workers/thumbnail-worker.ts?worker&inline';

/** Drawing takes seconds on a slow machine, and reading large files as long as in the viewer. */
const TIMEOUT_SECONDS = 60;

type ReadFile = (path: string) => Promise<Uint8Array<ArrayBuffer>>;

/**
 * Draws and measures an asset as the command line does, with the same code and without a GPU. Rejects with the reason in
 * words.
 */
export function drawThumbnail(
  asset: ViewerAsset,
  readFile: ReadFile,
  readCode: ReadCode,
): Promise<DrawnModel> {
  return withWorker(asset, readFile, readCode, (worker, model) => worker.call({ do: 'draw', ...model }));
}

/** Measures a model, or describes a picture for a search. Rejects with the reason in words. */
export function describe(asset: ViewerAsset, readFile: ReadFile, readCode: ReadCode): Promise<Description> {
  return withWorker(asset, readFile, readCode, (worker, model) => worker.call({ do: 'describe', ...model }));
}

type Worker = WorkerClient<ThumbnailCall, ThumbnailAnswers>;

async function withWorker<Result>(
  { kind, entry, files }: ViewerAsset,
  readFile: ReadFile,
  readCode: ReadCode,
  work: (worker: Worker, model: Omit<ThumbnailCall, 'do'>) => Promise<Result>,
): Promise<Result> {
  const mujoco = kind === 'mjcf' ? await mujocoModule(readCode) : null;
  const source = new ViewerFiles(files, readFile);
  const worker: Worker = new WorkerClient(
    new ThumbnailWorker({ name: 'thumbnail' }),
    source,
    TIMEOUT_SECONDS,
  );
  const asset = { entry, sizes: source.sizes, limits: NORMAL_LIMITS };
  return work(worker, { kind, asset, mujoco }).finally(() => worker.close());
}
