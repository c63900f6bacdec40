import fs from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/*
 * Loaded into a service before its program: once told `{ armed: n }`, the process kills itself as if by `kill -9`
 * right before the n-th change of the file system from then on. `{ armed: 0 }` only counts, and asks to be told.
 */

type Call = (...values: unknown[]) => unknown;

let killAt = 0;
let count = 0;
let armed = false;

function beforeChange(): void {
  if (!armed) return;
  count += 1;
  if (count === killAt) process.kill(process.pid, 'SIGKILL');
}

function intercept(target: Record<string, Call>, names: readonly string[]): void {
  for (const name of names) {
    const original = target[name] as Call;
    target[name] = (...values) => {
      beforeChange();
      return original.apply(target, values);
    };
  }
}

if (isMainThread) {
  intercept(fs as unknown as Record<string, Call>, ['rename', 'fsync', 'fdatasync', 'unlink']);
  intercept(fs.promises as unknown as Record<string, Call>, ['rename', 'copyFile', 'mkdir', 'rm', 'rmdir']);
  process.on('message', (message: { armed: number } | { count: true }) => {
    if ('count' in message) process.send?.({ count });
    else {
      killAt = message.armed;
      count = 0;
      armed = true;
      process.send?.({ ready: true });
    }
  });
}
