import { constants, setPriority } from 'node:os';
import { transferring } from '@bindery/concurrency/worker';
import { buildRevision } from '../../libraries/register/build-revision.ts';
import { inspectSidecar } from '../../libraries/register/inspect-sidecar.ts';
import { rebuildIndex } from '../../libraries/register/rebuild-index.ts';
import type {
  BuildJob,
  BuildOutcome,
  RebuildJob,
  RebuildOutcome,
  SidecarFindings,
  SidecarJob,
} from '../../libraries/register/revision-builder.ts';

export type RevisionTask =
  | { kind: 'build'; job: BuildJob }
  | { kind: 'rebuild'; job: RebuildJob }
  | { kind: 'inspect-sidecar'; job: SidecarJob };

/** On Linux priorities are the thread's own: requests come before manifests where both want the processor. */
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

export default function work(task: RevisionTask): BuildOutcome | RebuildOutcome | SidecarFindings {
  switch (task.kind) {
    case 'build':
      return build(task.job);
    case 'rebuild':
      return rebuild(task.job);
    case 'inspect-sidecar':
      return inspectSidecar(task.job);
  }
}

function build(job: BuildJob): BuildOutcome {
  const outcome = buildRevision(job);
  if (outcome.kind !== 'built') return outcome;
  const { index, added } = outcome.revision;
  return transferring(outcome, [index.buffer, added.buffer] as ArrayBuffer[]);
}

function rebuild(job: RebuildJob): RebuildOutcome {
  const outcome = rebuildIndex(job);
  return outcome.kind === 'rebuilt' ? transferring(outcome, [outcome.index.buffer as ArrayBuffer]) : outcome;
}
