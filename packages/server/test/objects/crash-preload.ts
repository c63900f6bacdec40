import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/*
 * Loaded ahead of a program (`--import`): kills the process, as a power switch would, instead of the n-th call that
 * changes names or syncs, n being `KILL_AT`.
 */
const NAMES = ['rename', 'unlink', 'fsync', 'fdatasync', 'rmdir', 'rm'] as const;
let left = Number(process.env.KILL_AT);

type Functions = Record<string, (...args: unknown[]) => unknown>;

function arm(functions: Functions, name: string): void {
  const original = functions[name];
  if (!original) return;
  functions[name] = (...args) => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    return original.apply(functions, args);
  };
}

for (const name of NAMES) {
  arm(fs as unknown as Functions, name);
  arm(fs.promises as unknown as Functions, name);
}
syncBuiltinESMExports();
