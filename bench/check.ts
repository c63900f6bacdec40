import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuSeconds } from './cpu-seconds.ts';
import type { BenchmarkRow } from './results-table.ts';

const ROBOTS = fileURLToPath(new URL('../../shared/data/menagerie-dev', import.meta.url));
const COMPILE_ONCE = fileURLToPath(new URL('check/compile-once.ts', import.meta.url));
const CHECK_ONCE = fileURLToPath(new URL('check/check-once.ts', import.meta.url));
const COUNT = 60;
const TARGET = 1.5;

/** Checking 60 robots compared with compiling them once, in CPU seconds. No rows without the robots. */
export async function benchCheck(): Promise<BenchmarkRow[]> {
  if (!existsSync(ROBOTS)) {
    process.stderr.write(`There is no ${ROBOTS}: no robots to check.\n`);
    return [];
  }
  const folder = mkdtempSync(join(tmpdir(), 'bindery-bench-'));
  try {
    writeRobots(folder);
    const compiled = secondsOf(COMPILE_ONCE, folder);
    const checked = secondsOf(CHECK_ONCE, folder);
    return [
      {
        work: `check of ${COUNT} MJCF robots`,
        bindery: `${checked.toFixed(1)} s`,
        peer: `compiling them once ${compiled.toFixed(1)} s`,
        ratio: `${(checked / compiled).toFixed(2)} × its time`,
        target: `at most ${TARGET} ×`,
        met: checked <= TARGET * compiled,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies the available robots as often as needed. */
function writeRobots(folder: string): void {
  const robots = readdirSync(ROBOTS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (let at = 0; at < COUNT; at++) {
    const { name } = robots[at % robots.length] ?? { name: '' };
    const round = Math.floor(at / robots.length);
    cpSync(join(ROBOTS, name), join(folder, `${name}-${round}`), { recursive: true });
  }
}

function secondsOf(script: string, folder: string): number {
  const { seconds, output } = cpuSeconds([process.execPath, script, folder]);
  if (Number(output) !== COUNT) throw new Error(`${script} found ${output} robots, not ${COUNT}.`);
  return seconds;
}
