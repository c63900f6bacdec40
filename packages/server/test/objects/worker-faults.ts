import { setEnvironmentData } from 'node:worker_threads';

const PRELOAD = new URL('./worker-faults-preload.ts', import.meta.url);

/** What goes wrong in workers that start from now on: after how many calls, or null for never. */
export interface ThreadFaults {
  writesUntilFull: number | null;
  syncsUntilLost: number | null;
}

export const NO_FAULTS: ThreadFaults = { writesUntilFull: null, syncsUntilLost: null };

/** Lets the disk of workers fail. Call it before they start; what it answers sets the faults, at any time. */
export function plantWorkerFaults(): (faults: ThreadFaults) => void {
  const faults = new Int32Array(new SharedArrayBuffer(8)).fill(-1);
  setEnvironmentData('faults', faults);
  process.env.NODE_OPTIONS = `--import ${PRELOAD}`;
  return ({ writesUntilFull, syncsUntilLost }) => {
    Atomics.store(faults, 0, writesUntilFull ?? -1);
    Atomics.store(faults, 1, syncsUntilLost ?? -1);
  };
}
