import type { ManifestIssue } from '@bindery/contract';
import { ServiceError } from '../../errors.ts';
import type {
  BuildOutcome,
  RevisionBuilder,
  SidecarFindings,
} from '../../libraries/register/revision-builder.ts';
import { LaneFailure, WorkerLane } from './lane.ts';
import type { RevisionTask } from './revision-thread.ts';

const entry = new URL('./revision-thread.ts', import.meta.url);

/** Manifests from this size on (bytes) have a lane of their own, so that small ones need not wait for them. */
const LARGE = 8 * 1024 * 1024;

/** Seconds after which a client may try again. */
const RETRY_AFTER = 10;

/** Works on three threads: one that is kept for small manifests, one at a time for large ones and for vectors. */
export function createRevisionBuilder(): RevisionBuilder {
  const small = new WorkerLane({
    entry,
    heapMegabytes: 256,
    timeLimit: 60_000,
    queueLength: 256,
    idleTime: 30_000,
  });
  const large = new WorkerLane({
    entry,
    heapMegabytes: 1_024,
    youngMegabytes: 192,
    timeLimit: 60_000,
    queueLength: 16,
    idleTime: 0,
  });
  const sidecars = new WorkerLane({
    entry,
    heapMegabytes: 512,
    timeLimit: 60_000,
    queueLength: 256,
    idleTime: 5_000,
  });
  return {
    build: (job) => {
      const moved = job.artifacts.map(({ buffer }) => buffer);
      return run<BuildOutcome>(job.manifest.size < LARGE ? small : large, { kind: 'build', job }, moved);
    },
    inspectSidecar: (job) => run<SidecarFindings>(sidecars, { kind: 'inspect-sidecar', job }),
    close: async () => {
      await Promise.all([small, large, sidecars].map((lane) => lane.close()));
    },
  };
}

async function run<Result>(
  lane: WorkerLane,
  task: RevisionTask,
  moved: readonly ArrayBuffer[] = [],
): Promise<Result> {
  try {
    return await lane.run<Result>(task, moved);
  } catch (error) {
    if (!(error instanceof LaneFailure)) throw error;
    throw error.reason === 'memory' ? needsTooMuchMemory() : isBusy();
  }
}

function needsTooMuchMemory(): ServiceError {
  const message = 'The manifest needs more memory to be read than one register may use.';
  const issues: ManifestIssue[] = [{ path: '', message }];
  return new ServiceError('manifest_too_large', message, { issues });
}

function isBusy(): ServiceError {
  return new ServiceError('unavailable', 'The service has too much to register just now. Try again.', {
    retryAfter: RETRY_AFTER,
  });
}
