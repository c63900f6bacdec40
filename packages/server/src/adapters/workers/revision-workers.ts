import { availableParallelism, totalmem } from 'node:os';
import { WorkerPool } from '@bindery/concurrency';
import type { ManifestIssue } from '@bindery/contract';
import { ServiceError, unavailable } from '../../errors.ts';
import type {
  BuildOutcome,
  ChangeOutcome,
  RebuildOutcome,
  RevisionWorkers,
  SidecarFindings,
  SpliceOutcome,
} from '../../libraries/publish/revision-workers.ts';
import { refusalOf } from '../../process/lack-of-resources.ts';
import type { RevisionTask } from './revision-worker.ts';

const entry = new URL('./revision-worker.ts', import.meta.url);

/** Manifests from this size on (bytes) have separate workers, so that small ones need not wait for them. */
const LARGE = 8 * 1024 * 1024;

/** Seconds after which a client may retry: soon if others are in the way, later if nothing but the machine is. */
const RETRY_AFTER = { busy: 10, slow: 60 };

/**
 * Milliseconds. The largest manifest takes some ten seconds of processor time; what else runs on the machine does not
 * count, but a client waits for no more than five minutes in all.
 */
const TIME = { processorTime: 60_000, timeout: 240_000 };

/** Heap limits of the workers. */
const HEAP = { small: 256, large: 1_024, sidecars: 512 };

/** What workers may use. */
interface Machine {
  processors: number;
  megabytes: number;
}

/**
 * Returns how many workers of a kind there are: one for each processor, as long as all of them together may use a
 * quarter of the memory. Two of the largest manifests are always read at once, so that one does not block all others.
 */
export function registerWorkers({ processors, megabytes }: Machine): Record<keyof typeof HEAP, number> {
  const within = (kind: keyof typeof HEAP) =>
    Math.max(1, Math.min(processors, Math.floor(megabytes / 4 / HEAP[kind])));
  return { small: within('small'), large: Math.max(2, within('large')), sidecars: within('sidecars') };
}

/** The processors and the memory of the machine, or of the container. */
function thisMachine(): Machine {
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  return { processors: availableParallelism(), megabytes: bytes / 1_024 ** 2 };
}

/** Creates workers for small manifests, others for large ones, and others for sidecars. */
export function createRevisionWorkers(time = TIME): RevisionWorkers {
  const workers = registerWorkers(thisMachine());
  const small = new WorkerPool({
    entry,
    maxWorkers: workers.small,
    heapMegabytes: HEAP.small,
    ...time,
    maxWaiting: 256,
    idleTimeout: 30_000,
  });
  const large = new WorkerPool({
    entry,
    maxWorkers: workers.large,
    heapMegabytes: HEAP.large,
    youngMegabytes: 192,
    ...time,
    maxWaiting: 16,
    idleTimeout: 0,
  });
  // Most of the memory that they use is not of the heap, so that they can stay for the next change.
  const splicing = new WorkerPool({
    entry,
    maxWorkers: workers.large,
    heapMegabytes: HEAP.large,
    ...time,
    maxWaiting: 16,
    idleTimeout: 30_000,
  });
  const sidecars = new WorkerPool({
    entry,
    maxWorkers: workers.sidecars,
    heapMegabytes: HEAP.sidecars,
    ...time,
    maxWaiting: 256,
    idleTimeout: 5_000,
  });
  return {
    build: (job) => {
      const transferList = job.artifacts.map(({ buffer }) => buffer);
      return run<BuildOutcome>(
        job.manifest.size < LARGE ? small : large,
        { kind: 'build', job },
        transferList,
      );
    },
    splice: (job) => {
      const transferList = job.artifacts.map(({ buffer }) => buffer);
      const pool = job.manifest.size < LARGE ? small : splicing;
      return run<SpliceOutcome>(pool, { kind: 'splice', job }, transferList);
    },
    change: (job) => {
      const transferList = job.changes.of === 'files' ? job.changes.files.map(({ buffer }) => buffer) : [];
      const pool = job.manifest.size < LARGE ? small : large;
      return run<ChangeOutcome>(pool, { kind: 'change', job }, transferList);
    },
    rebuild: (job) =>
      run<RebuildOutcome>(job.manifest.size < LARGE ? small : large, { kind: 'rebuild', job }),
    inspectSidecar: (job) => run<SidecarFindings>(sidecars, { kind: 'inspect-sidecar', job }),
    readVectors: (job) => run<(Float32Array | null)[]>(sidecars, { kind: 'read-vectors', job }),
    close: async () => {
      await Promise.all([small, large, splicing, sidecars].map((pool) => pool.close()));
    },
  };
}

async function run<Result>(
  pool: WorkerPool,
  task: RevisionTask,
  transferList: readonly ArrayBuffer[] = [],
): Promise<Result> {
  try {
    return await pool.run<Result>(task, transferList);
  } catch (error) {
    throw refusalOf(error, {
      busy: unavailable('The service is busy with other registers. Try again.', RETRY_AFTER.busy),
      time: slowError(),
      memory: outOfMemoryError(),
    });
  }
}

function outOfMemoryError(): ServiceError {
  const message = 'The manifest needs more memory than a register may use.';
  const issues: ManifestIssue[] = [{ path: '', message }];
  return new ServiceError('manifest_too_large', message, { issues });
}

function slowError(): ServiceError {
  const { processorTime, timeout } = TIME;
  const message = `The register took longer than ${processorTime / 1_000} s of processor time, or ${timeout / 1_000} s in all, and was given up: the server is too slow for a manifest of this size. Try again when it has less to do, or publish fewer assets in one library.`;
  return unavailable(message, RETRY_AFTER.slow);
}
