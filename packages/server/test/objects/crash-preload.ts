import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';

/*
 * Loaded ahead of a program and its threads (`--import` in NODE_OPTIONS): kills the process, as a power switch would,
 * instead of the n-th call of all threads that changes names or syncs, n being `KILL_AT`. On threads, writes count too.
 * A program that comes to its end says how many calls there were.
 */
const NAMES = ['rename', 'unlink', 'fsync', 'fdatasync', 'rmdir', 'rm'];
const NAMES_ON_THREADS = ['openSync', 'writeSync', 'renameSync', 'rmSync', 'fdatasync'];

const KILL_AT = Number(process.env.KILL_AT);

if (isMainThread) {
  setEnvironmentData('steps', new Int32Array(new SharedArrayBuffer(4)));
  process.on('exit', () => fs.writeSync(1, `steps ${steps[0]}\n`));
}
const steps = getEnvironmentData('steps') as Int32Array;

type Functions = Record<string, (...args: unknown[]) => unknown>;

function arm(functions: Functions, name: string): void {
  const original = functions[name];
  if (!original) return;
  functions[name] = (...args) => {
    if (Atomics.add(steps, 0, 1) + 1 === KILL_AT) process.kill(process.pid, 'SIGKILL');
    return original.apply(functions, args);
  };
}

for (const name of isMainThread ? NAMES : NAMES_ON_THREADS) {
  arm(fs as unknown as Functions, name);
  arm(fs.promises as unknown as Functions, name);
}
syncBuiltinESMExports();
