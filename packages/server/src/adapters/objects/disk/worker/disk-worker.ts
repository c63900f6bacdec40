import { Layout } from '../layout.ts';
import { type ContentsToFind, findAbsent } from './find-absent.ts';
import { type FilesToPromote, promoteFiles } from './promote-files.ts';
import { type FilesToRenew, renewFiles } from './renew-files.ts';
import { type FilesToStage, stageFiles } from './stage-files.ts';

/*
 * A worker for many small files. It uses the synchronous calls of `node:fs`, which cost a fraction of promises per
 * file, and keeps the work off the event loop of the service.
 */

/** `root` is the folder of the store. */
export type DiskTask = { root: string } & (
  | ({ kind: 'admit' } & FilesToStage)
  | ({ kind: 'find-absent' } & ContentsToFind)
  | ({ kind: 'renew' } & FilesToRenew)
  | ({ kind: 'promote' } & FilesToPromote)
);

/** An error thrown across threads loses its `code`, so failures are returned as values. */
export type DiskAnswer<Value> =
  | { value: Value }
  | { failure: { message: string; stack: string | undefined; code: string | undefined } };

export default async function work(task: DiskTask): Promise<DiskAnswer<unknown>> {
  try {
    return { value: await perform(task) };
  } catch (error) {
    const { message, stack, code } = error as NodeJS.ErrnoException;
    return { failure: { message, stack, code } };
  }
}

function perform(task: DiskTask): unknown {
  const layout = new Layout(task.root);
  switch (task.kind) {
    case 'admit':
      return stageFiles(layout, task);
    case 'find-absent':
      return findAbsent(layout, task);
    case 'renew':
      return renewFiles(layout, task);
    case 'promote':
      return promoteFiles(layout, task);
  }
}
