import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { buildRevision } from '../../libraries/register/build-revision.ts';
import { inspectSidecar } from '../../libraries/register/inspect-sidecar.ts';
import type { BuildJob, SidecarJob } from '../../libraries/register/revision-builder.ts';
import type { ThreadAnswer } from './lane.ts';

export type RevisionTask = { kind: 'build'; job: BuildJob } | { kind: 'inspect-sidecar'; job: SidecarJob };

/** On Linux priorities are the thread's own: requests come before manifests where both want the processor. */
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

parentPort?.on('message', (task: RevisionTask) => {
  try {
    if (task.kind === 'build') answerBuild(task.job);
    else answer({ ok: true, value: inspectSidecar(task.job) });
  } catch (error) {
    answer({ ok: false, message: (error as Error).stack ?? String(error) });
  }
});

function answerBuild(job: BuildJob): void {
  const value = buildRevision(job);
  const moved = value.kind === 'built' ? [value.revision.index.buffer, value.revision.added.buffer] : [];
  answer({ ok: true, value }, moved as ArrayBuffer[]);
}

function answer(message: ThreadAnswer, moved: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, moved);
}
