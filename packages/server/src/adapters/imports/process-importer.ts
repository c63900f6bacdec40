import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BoundedQueue, ProcessExitedError, ProcessPool, WorkerFailure } from '@bindery/concurrency';
import type { Logger } from 'pino';
import type { Configuration } from '../../configuration/configuration.ts';
import { unavailable } from '../../errors.ts';
import type { Importer, ImportOutcome } from '../../libraries/watching/importer.ts';
import { IMPORT_DEADLINE } from '../../libraries/watching/run.ts';
import { unlessMissing } from '../../objects/missing.ts';
import { refusalOf } from '../../process/lack-of-resources.ts';
import type { ImportProcessTask, ImportSettings } from './import-process.ts';

/** Memory of one import, without what draws and measures. */
const MEMORY_MIB = 3_072;
/** Milliseconds for a look at an address, and how many can wait for one. */
const CHECK_TIMEOUT = 20_000;
const MAX_WAITING = 20;

interface Service {
  local(): string;
  public(): string;
}

/** Runs each import in a process of its own, which knows no secret but the pass that it publishes with. */
export function createProcessImporter(
  { importHosts: hosts, importNetworks: networks, diskReserveBytes, dataDir }: Configuration,
  service: Service,
  log: Logger,
): Importer {
  const settings: ImportSettings = {
    ...{ hosts, networks, memoryMiB: MEMORY_MIB, reserveBytes: diskReserveBytes },
  };
  const folder = join(dataDir, 'imports');
  const checks = new BoundedQueue({ concurrency: 1, maxWaiting: MAX_WAITING });

  async function inProcess<Result>(
    value: ImportProcessTask,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<Result> {
    const { HF_ENDPOINT, GIT_SSL_CAINFO } = process.env;
    const pool = new ProcessPool({
      ...{ entry: new URL('./import-process.ts', import.meta.url), settings, timeout },
      ...{ maxProcesses: 1, maxWaiting: 0, env: { HF_ENDPOINT, GIT_SSL_CAINFO } },
    });
    const close = () => void pool.close();
    signal?.addEventListener('abort', close, { once: true });
    try {
      signal?.throwIfAborted();
      return await pool.run<Result>({ value });
    } finally {
      signal?.removeEventListener('abort', close);
      await pool.close();
    }
  }

  return {
    async problemOf(source) {
      try {
        return await checks.run(() => inProcess<string | null>({ kind: 'check', source }, CHECK_TIMEOUT));
      } catch (error) {
        throw refusalOf(error, { busy: unavailable('Too many sources are looked at. Try again.', 5) });
      }
    },

    async run(task, signal) {
      const own = join(folder, task.libraryId);
      await mkdir(own, { recursive: true, mode: 0o700 });
      const addresses = { local: service.local(), public: service.public() };
      const value = { kind: 'run', task, folder: own, service: addresses } as const;
      try {
        return await inProcess<ImportOutcome>(value, IMPORT_DEADLINE, signal);
      } catch (error) {
        if (signal.aborted) return { kind: 'interrupted' };
        log.warn({ err: error, library: task.libraryId }, 'an import of a watched library was ended');
        return { kind: 'failed', problem: problemOf(error) };
      }
    },

    async keepOnly(libraryIds) {
      for (const name of (await unlessMissing(readdir(folder))) ?? []) {
        if (!libraryIds.has(name)) await rm(join(folder, name), { recursive: true, force: true });
      }
    },
  };
}

function problemOf(error: unknown): string {
  if (error instanceof WorkerFailure && error.reason === 'time')
    return 'The import took longer than an hour. The next one goes on where it was.';
  if (error instanceof ProcessExitedError) return 'The import took too much memory.';
  return 'The import failed unexpectedly; the log of the service says why.';
}
