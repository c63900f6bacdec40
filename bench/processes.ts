import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs a command to completion; returns the CPU seconds of it and its children, and the first line it prints. */
export function cpuSeconds(command: readonly string[], env = process.env) {
  const words = ['-c', '"$@" || exit; echo; times', 'bash', ...command];
  const lines = execFileSync('bash', words, { encoding: 'utf8', env }).trim().split('\n');
  // The shell prints its own times first, then those of its children.
  const context = [...(lines.at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  const seconds = context.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
  return { seconds, output: lines[0] ?? '' };
}

/** Clock ticks of the kernel: `getconf CLK_TCK` on every Linux. */
const TICKS_PER_SECOND = 100;

/** CPU seconds used so far by running processes and all their descendants. Linux only, as what follows. */
export function cpuSecondsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ownSeconds(pid) + cpuSecondsOf(childrenOf(pid)), 0);
}

/** Including its terminated children: the fields utime, stime, cutime and cstime of proc(5). */
function ownSeconds(pid: number): number {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

/**
 * Returns how many milliseconds of CPU time a process has used since, finer than `cpuSecondsOf`: without its children, and
 * without threads that have ended. `wanted` adds the time in which threads waited for a CPU that others used.
 */
export function processorMeter(pid: number, { wanted = false } = {}): () => number {
  const before = threadNanoseconds(pid, wanted);
  return () => {
    let used = 0;
    for (const [thread, time] of threadNanoseconds(pid, wanted)) used += time - (before.get(thread) ?? 0);
    return used / 1e6;
  };
}

function threadNanoseconds(pid: number, wanted: boolean): Map<string, number> {
  const times = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const line = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
      const [used, waited] = line.split(' ').map(Number);
      times.set(thread, (used ?? 0) + (wanted ? (waited ?? 0) : 0));
    } catch (error) {
      // A thread that has ended since it was listed.
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  return times;
}

/** The most memory that a process has had. */
export function peakMebibytes(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

/** Lets a benchmark use a new folder, which is removed afterwards. */
export async function withFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-bench-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
