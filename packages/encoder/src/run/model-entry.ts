import { serveProcessTasks, type TaskContext } from '@bindery/concurrency/process';
import { filesOfHalf } from '../description.ts';
import { EncoderError } from '../errors.ts';
import type { EncoderOutcome, EncoderTask, ModelSettings } from './messages.ts';
import { loadImageHalf, loadTextHalf, loadVerified } from './session.ts';

serveProcessTasks<ModelSettings, EncoderTask>((settings) => {
  const embed = embedderOf(settings);
  return async (task, caller): Promise<EncoderOutcome> => {
    try {
      return { rows: await embed(task, caller) };
    } catch (error) {
      const failed =
        error instanceof EncoderError
          ? error
          : new EncoderError('failed', `The model cannot be run: ${error}`);
      return { failure: failed.failure, message: failed.message, index: failed.index };
    }
  };
});

/** Each half of the model takes a lot of memory, so it is loaded on first use. */
function embedderOf({ folder, description, threads }: ModelSettings) {
  const textHalf = loadedOnce(() =>
    loadVerified(folder, filesOfHalf(description, 'text'), () => loadTextHalf(folder, description, threads)),
  );
  const imageHalf = loadedOnce(() =>
    loadVerified(folder, filesOfHalf(description, 'image'), () =>
      loadImageHalf(folder, description, threads),
    ),
  );
  return async (task: EncoderTask, { ready }: TaskContext): Promise<Float32Array> => {
    if (task.kind === 'image') {
      const embed = await imageHalf();
      ready();
      return embed(task.items);
    }
    const half = await textHalf();
    ready();
    switch (task.kind) {
      case 'text':
        return half.embed(task.items);
      case 'query':
        return half.embedQueries(task.items);
      case 'pieces':
        return half.countPieces(task.items);
    }
  };
}

/** Loads once. After a failure the next call tries again: the files may have been repaired. */
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
