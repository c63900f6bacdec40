import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/*
 * Loaded ahead of a program (`--import`): kills the process, as a power switch would, instead of the n-th call that
 * changes files or names, n being `KILL_AT`. A program that comes to its end says how many calls there were.
 */
const CHANGES = [
  'writeSync',
  'writeFileSync',
  'copyFileSync',
  'linkSync',
  'renameSync',
  'rmSync',
  'rmdirSync',
  'utimesSync',
];

const killAt = Number(process.env.KILL_AT);
let steps = 0;
const functions = fs as unknown as Record<string, (...args: unknown[]) => unknown>;

for (const name of CHANGES) {
  const original = functions[name];
  if (!original) throw new Error(`node:fs has no ${name}`);
  functions[name] = (...args) => {
    const isOutput = name === 'writeSync' && (args[0] === 1 || args[0] === 2);
    if (!isOutput && ++steps === killAt) process.kill(process.pid, 'SIGKILL');
    return original.apply(functions, args);
  };
}
syncBuiltinESMExports();
process.on('exit', () => fs.writeSync(2, `steps ${steps}\n`));
