import { flushCompileCache } from 'node:module';
import {
  killOnMemoryLimitOrOrphaned,
  serveProcessTasks,
  type TaskContext,
} from '@bindery/concurrency/process';
import { type FileSource, toMessageText } from '@bindery/formats/reading/asset-files';
import type { LocatedFile, RenderTask } from './process-pools.ts';
import {
  type DescribedPicture,
  describeImage,
  type Measurement,
  measureAsset,
  renderThumbnail,
  type Thumbnail,
} from './thumbnail.ts';
import { readVerified, type UnreadFile } from './verified-file.ts';

killOnMemoryLimitOrOrphaned(Number(process.env.BINDERY_RENDER_MEMORY));
serveProcessTasks<undefined, RenderTask>(() => run);

const WORK = { draw: renderThumbnail, measure: measureAsset, describe: describeImage } as const;

async function run(
  { work, sizes, ...asked }: RenderTask,
  { ask }: TaskContext,
): Promise<Thumbnail | Measurement | DescribedPicture> {
  let unread: UnreadFile | undefined;
  const files: FileSource = {
    sizes,
    async read(path) {
      const answer = (await ask(path)) as Uint8Array | LocatedFile;
      if (answer instanceof Uint8Array) return answer;
      return readVerified(path, answer.place, answer.sha256).catch((error: UnreadFile) => {
        unread ??= error;
        throw error;
      });
    },
  };
  const result = await WORK[work]({ ...asked, files });
  // Send the result first.
  setImmediate(keepCompiledCode);
  return unread === undefined ? result : { warning: toMessageText(unread.message), transient: true };
}

let isCodeKept = false;

/** The pool kills its processes without warning, so Node would have no time to do this on exit. */
function keepCompiledCode(): void {
  if (!isCodeKept) flushCompileCache();
  isCodeKept = true;
}
