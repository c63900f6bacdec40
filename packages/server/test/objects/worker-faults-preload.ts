import fs from 'node:fs';
import { getEnvironmentData, isMainThread } from 'node:worker_threads';

/*
 * Loaded into workers (`--import` in NODE_OPTIONS), which are out of reach for spies: their disk is full, or loses what
 * was written, after as many calls as `faults` says. A negative number is none.
 */
const faults = isMainThread ? null : (getEnvironmentData('faults') as Int32Array | undefined);

function failFrom(at: number, code: string): void {
  if (faults && Atomics.load(faults, at) >= 0 && Atomics.sub(faults, at, 1) <= 0) {
    Atomics.store(faults, at, 0);
    throw Object.assign(new Error(`${code}: as the test wants it`), { code });
  }
}

if (faults) {
  const { writeSync, fdatasync } = fs;
  fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
    failFrom(0, 'ENOSPC');
    return writeSync(...args);
  }) as typeof writeSync;
  fs.fdatasync = ((fd: number, done: fs.NoParamCallback) => {
    try {
      failFrom(1, 'EIO');
      fdatasync(fd, done);
    } catch (error) {
      setImmediate(() => done(error as Error));
    }
  }) as typeof fdatasync;
}
