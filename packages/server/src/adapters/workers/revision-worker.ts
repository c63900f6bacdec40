import { constants, setPriority } from 'node:os';
import { withTransferList } from '@bindery/concurrency/worker';
import type {
  BuildJob,
  BuildOutcome,
  ChangeJob,
  ChangeOutcome,
  RebuildJob,
  RebuildOutcome,
  SidecarFindings,
  SidecarJob,
  SpliceJob,
  SpliceOutcome,
  VectorsJob,
} from '../../libraries/publish/revision-workers.ts';
import {
  buildRevision,
  changeRevision,
  rebuildIndex,
} from '../../libraries/publish/worker/build-revision.ts';
import { inspectSidecar } from '../../libraries/publish/worker/inspect-sidecar.ts';
import { spliceRevision } from '../../libraries/publish/worker/splice-revision.ts';
import { readVectors } from '../../revision/vectors/sidecar.ts';
import { localFiles } from './local-files.ts';

export type RevisionTask =
  | { kind: 'build'; job: BuildJob }
  | { kind: 'splice'; job: SpliceJob }
  | { kind: 'change'; job: ChangeJob }
  | { kind: 'rebuild'; job: RebuildJob }
  | { kind: 'inspect-sidecar'; job: SidecarJob }
  | { kind: 'read-vectors'; job: VectorsJob };

/** On Linux each thread has its own priority: requests take precedence over manifests when both need the CPU. */
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

export default function work(
  task: RevisionTask,
): BuildOutcome | SpliceOutcome | ChangeOutcome | RebuildOutcome | SidecarFindings | (Float32Array | null)[] {
  switch (task.kind) {
    case 'build':
      return build(task.job);
    case 'splice':
      return splice(task.job);
    case 'change':
      return change(task.job);
    case 'rebuild':
      return rebuild(task.job);
    case 'inspect-sidecar':
      return inspectSidecar(localFiles, task.job);
    case 'read-vectors':
      return readVectors(localFiles, task.job);
  }
}

function build(job: BuildJob): BuildOutcome {
  const outcome = buildRevision(localFiles, job);
  if (outcome.kind !== 'built') return outcome;
  const { index, added } = outcome.revision;
  return withTransferList(outcome, [index.buffer, added.buffer] as ArrayBuffer[]);
}

function splice(job: SpliceJob): SpliceOutcome {
  const outcome = spliceRevision(localFiles, job);
  if (outcome.kind !== 'spliced') return outcome;
  const { manifest, revision } = outcome;
  return withTransferList(outcome, [
    manifest.buffer,
    revision.index.buffer,
    revision.added.buffer,
  ] as ArrayBuffer[]);
}

function change(job: ChangeJob): ChangeOutcome {
  const outcome = changeRevision(localFiles, job);
  return outcome.kind === 'changed'
    ? withTransferList(outcome, [outcome.manifest.buffer as ArrayBuffer])
    : outcome;
}

function rebuild(job: RebuildJob): RebuildOutcome {
  const outcome = rebuildIndex(localFiles, job);
  return outcome.kind === 'rebuilt'
    ? withTransferList(outcome, [outcome.index.buffer as ArrayBuffer])
    : outcome;
}
