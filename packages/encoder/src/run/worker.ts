import { filesOfHalf } from '../description.ts';
import { EncoderError } from '../errors.ts';
import { loadImageHalf } from './image-half.ts';
import type { EncoderTask, FromWorker, ToWorker, WorkerSettings } from './messages.ts';
import { loadTextHalf } from './text-half.ts';
import { loadVerified } from './verified.ts';

/** Runs a task whose half of the model is loaded. */
type Run = (task: EncoderTask) => Promise<Float32Array>;

let run: Run | undefined;

// Ctrl-C reaches every process of a terminal; this one ends with the one that started it.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());

process.on('message', async (message: ToWorker) => {
  if (message.type === 'start') {
    run = runnerOf(message.settings);
    return;
  }
  try {
    if (run === undefined) throw new Error('no model was named');
    tell({ type: 'done', rows: await run(message.task) });
  } catch (error) {
    const failed =
      error instanceof EncoderError ? error : new EncoderError('failed', `The model cannot be run: ${error}`);
    tell({ type: 'failed', failure: failed.failure, message: failed.message, index: failed.index });
  }
});

/** Each half of the model takes much memory, and is loaded when it is first wanted. */
function runnerOf({ folder, description, threads }: WorkerSettings): Run {
  const textHalf = loadedOnce(() =>
    loadVerified(folder, filesOfHalf(description, 'text'), () => loadTextHalf(folder, description, threads)),
  );
  const imageHalf = loadedOnce(() =>
    loadVerified(folder, filesOfHalf(description, 'image'), () =>
      loadImageHalf(folder, description, threads),
    ),
  );
  return async (task) => {
    if (task.kind === 'text') {
      const embed = await textHalf();
      tell({ type: 'running' });
      return embed(task.items);
    }
    const embed = await imageHalf();
    tell({ type: 'running' });
    return embed(task.items);
  };
}

/** What could not be loaded is tried again the next time: its files may have been mended. */
function loadedOnce<Half>(load: () => Promise<Half>): () => Promise<Half> {
  let half: Promise<Half> | undefined;
  return () => {
    half ??= load().catch((error) => {
      half = undefined;
      throw error;
    });
    return half;
  };
}

function tell(message: FromWorker): void {
  process.send?.(message);
}
