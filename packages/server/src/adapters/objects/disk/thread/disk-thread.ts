import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadAnswer } from '../../../workers/lane.ts';
import { Layout } from '../layout.ts';
import { admitFiles, type FilesToAdmit } from './admit-files.ts';
import { type FilesToPromote, promoteFiles } from './promote-files.ts';
import { type FilesToRenew, renewFiles } from './renew-files.ts';

/*
 * A thread for work on many small files. It uses the synchronous calls of `node:fs`: a file costs a fraction of what it
 * costs through promises, and the event loop of the service does none of it.
 */

export type DiskTask =
  | ({ kind: 'admit' } & FilesToAdmit)
  | ({ kind: 'renew' } & FilesToRenew)
  | ({ kind: 'promote' } & FilesToPromote);

const layout = new Layout((workerData as { root: string }).root);

parentPort?.on('message', async (task: DiskTask) => {
  try {
    answer({ ok: true, value: await perform(task) });
  } catch (error) {
    const { message, stack = message, code } = error as NodeJS.ErrnoException;
    answer({ ok: false, message: stack, ...(code === undefined ? {} : { code }) });
  }
});

function perform(task: DiskTask): unknown {
  switch (task.kind) {
    case 'admit':
      return admitFiles(layout, task);
    case 'renew':
      return renewFiles(layout, task);
    case 'promote':
      return promoteFiles(layout, task);
  }
}

function answer(message: ThreadAnswer): void {
  parentPort?.postMessage(message);
}
