import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BINDERY } from './command-line.ts';
import type { BenchmarkRow } from './results-table.ts';

const TIMES = 7;
const [READY_TARGET, VERSION_TARGET] = [1_000, 150];

/** Milliseconds from the start of the process until the service is ready, and until the version is printed: medians. */
export async function benchStart(): Promise<BenchmarkRow[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bindery-bench-start-'));
  try {
    await untilReady(dataDir);
    const ready = await median(() => untilReady(dataDir));
    const version = await median(untilVersion);
    return [
      row('`bindery serve` to ready on an existing database', ready, READY_TARGET),
      row('`bindery --version`', version, VERSION_TARGET),
    ];
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function untilReady(dataDir: string): Promise<number> {
  const start = performance.now();
  const service = spawn(BINDERY, ['serve', '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(service.stdout, 'data');
  const elapsed = performance.now() - start;
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  await ended;
  if (!String(line).startsWith('listening on ')) throw new Error(`The service printed ${line}`);
  return elapsed;
}

async function untilVersion(): Promise<number> {
  const start = performance.now();
  await once(spawn(BINDERY, ['--version'], { stdio: 'ignore' }), 'exit');
  return performance.now() - start;
}

async function median(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < TIMES; time++) times.push(await measure());
  return times.sort((a, b) => a - b)[TIMES >> 1] ?? Number.NaN;
}

function row(work: string, milliseconds: number, target: number): BenchmarkRow {
  return {
    work,
    bindery: `${Math.round(milliseconds)} ms`,
    peer: '',
    ratio: '',
    target: `${target} ms`,
    met: milliseconds <= target,
  };
}
