import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventLoopDelays } from './loop/event-loop-meter.ts';
import { MeasuredService } from './loop/service.ts';
import type { Workload } from './loop/workload.ts';
import { WORKLOADS } from './loop/workloads.ts';
import { openWorld, type World } from './loop/world.ts';
import { type BenchmarkRow, table } from './results-table.ts';

/** Milliseconds for which the event loop may be blocked. */
const TARGET = 10;
const TIMES = 30;

/**
 * How long the event loop of a service is blocked by each kind of work that is known to be expensive: once right after
 * the service has started, then repeatedly. Takes minutes and 5 GB of disk space.
 */
export async function benchLoop(): Promise<BenchmarkRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-bench-loop-'));
  try {
    return await measureWorkloads(await openWorld(folder), WORKLOADS);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureWorkloads(world: World, works: readonly Workload[]): Promise<BenchmarkRow[]> {
  const rows: BenchmarkRow[] = [];
  for (const work of works) {
    process.stderr.write(`  ${work.name} …\n`);
    rows.push(...(await measureWorkload(world, work)));
  }
  return rows;
}

async function measureWorkload(world: World, work: Workload): Promise<BenchmarkRow[]> {
  await work.seed?.(world);
  const service = await MeasuredService.start(world.dataDir, world.token, {
    BINDERY_MODEL_DIR: world.models,
    ...work.environment,
  });
  try {
    const act = await work.prepare(service);
    // Excludes the framework's own first request.
    await service.send('GET', '/readyz');
    await delay(200);
    const cold = await service.measure(() => act(0));
    const warm: EventLoopDelays[] = [];
    for (let time = 1; time <= (work.times ?? TIMES); time++)
      warm.push(await service.measure(() => act(time)));
    return [row(`${work.name}, first`, [cold]), ...(warm.length > 0 ? [row(work.name, warm)] : [])];
  } finally {
    await service.stop();
  }
}

function row(work: string, holds: readonly EventLoopDelays[]): BenchmarkRow {
  const sorted = holds.toSorted((a, b) => a.longest - b.longest);
  const worst = sorted.at(-1) as EventLoopDelays;
  const middle = sorted[sorted.length >> 1] as EventLoopDelays;
  const busy = holds.reduce((sum, hold) => sum + hold.busy, 0) / holds.length;
  return {
    work: `longest hold of the event loop: ${work}`,
    bindery: [
      ...(holds.length > 1 ? [`p50 ${figure(middle.longest)}`] : []),
      `max ${figure(worst.longest)} (garbage ${figure(worst.collecting)})`,
      `thread ${figure(busy)} ms`,
    ].join(', '),
    peer: '',
    ratio: '',
    target: `${TARGET} ms`,
    met: worst.longest <= TARGET,
  };
}

function figure(milliseconds: number): string {
  return milliseconds.toFixed(1);
}

/** `node bench/loop.ts <folder> [words…]` keeps the seeded data and measures work whose name has one of the words. */
if (import.meta.main) {
  const [folder = '', ...words] = process.argv.slice(2);
  const works = WORKLOADS.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  process.stdout.write(`${table(await measureWorkloads(await openWorld(folder), works))}\n`);
}
