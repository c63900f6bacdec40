import { flushCompileCache } from 'node:module';
import {
  killOnMemoryLimitOrOrphaned,
  serveProcessTasks,
  type TaskContext,
} from '@bindery/concurrency/process';
import type { FileSource } from '@bindery/formats/reading/asset-files';
import type { RenderTask } from './process-pools.ts';
import {
  type DescribedPicture,
  describeImage,
  type Measurement,
  measureAsset,
  renderThumbnail,
  type Thumbnail,
} from './thumbnail.ts';

killOnMemoryLimitOrOrphaned(Number(process.env.BINDERY_RENDER_MEMORY));
serveProcessTasks<undefined, RenderTask>(() => run);

const WORK = { draw: renderThumbnail, measure: measureAsset, describe: describeImage } as const;

async function run(
  { work, kind, format, entry, sizes, limits }: RenderTask,
  { ask }: TaskContext,
): Promise<Thumbnail | Measurement | DescribedPicture> {
  const files: FileSource = { sizes, read: async (path) => (await ask(path)) as Uint8Array };
  const request = { kind, format, entry, files, limits };
  const result = await WORK[work](request);
  // Send the result first.
  setImmediate(keepCompiledCode);
  return result;
}

let isCodeKept = false;

/** The pool kills its processes without warning, so Node would have no time to do this on exit. */
function keepCompiledCode(): void {
  if (!isCodeKept) flushCompileCache();
  isCodeKept = true;
}
