import { execFileSync } from 'node:child_process';

/** Runs a command to its end; what it and the processes that it starts take of processors, and the first line it prints. */
export function processorSeconds(
  command: readonly string[],
  env?: NodeJS.ProcessEnv,
): { seconds: number; output: string } {
  const lines = execFileSync('bash', ['-c', '"$@"; echo; times', 'bash', ...command], {
    encoding: 'utf8',
    ...(env && { env }),
  })
    .trim()
    .split('\n');
  // The shell prints its own times, then those of its children.
  const parts = [...(lines.at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  const seconds = parts.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
  return { seconds, output: lines[0] ?? '' };
}
