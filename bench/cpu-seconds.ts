import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks of the kernel: `getconf CLK_TCK` on every Linux. */
const TICKS_PER_SECOND = 100;

/** Runs a command to completion; returns the CPU seconds of it and its children, and the first line it prints. */
export function cpuSeconds(
  command: readonly string[],
  env?: NodeJS.ProcessEnv,
): { seconds: number; output: string } {
  const lines = execFileSync('bash', ['-c', '"$@" || exit; echo; times', 'bash', ...command], {
    encoding: 'utf8',
    ...(env && { env }),
  })
    .trim()
    .split('\n');
  // The shell prints its own times first, then those of its children.
  const parts = [...(lines.at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  const seconds = parts.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
  return { seconds, output: lines[0] ?? '' };
}

/** CPU seconds used so far by running processes and all their descendants. Linux only. */
export function cpuSecondsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ownSeconds(pid) + cpuSecondsOf(childrenOf(pid)), 0);
}

/** Including its terminated children: the fields utime, stime, cutime and cstime of proc(5). */
function ownSeconds(pid: number): number {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}
