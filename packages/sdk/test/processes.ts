import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const KILL_PRELOAD = fileURLToPath(new URL('./kill-preload.ts', import.meta.url));

export interface Run {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** Calls that changed files or names, where the program came to its end. */
  steps: number;
}

/** Runs a program in a process of its own, which is killed instead of its `killAt`-th call that changes files or names. */
export async function run(
  program: string,
  words: readonly string[],
  { killAt = 0, env = process.env, cwd }: { killAt?: number; env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<Run> {
  const child = spawn(process.execPath, ['--import', KILL_PRELOAD, program, ...words], {
    env: { ...env, KILL_AT: String(killAt) },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const [, steps = '0'] = /^steps (\d+)$/m.exec(stderr) ?? [];
  return { code, signal, stdout, stderr, steps: Number(steps) };
}
