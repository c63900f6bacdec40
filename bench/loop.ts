import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, fillMeasured } from '@bindery/server/testing';
import type { Hold, ServiceCommand } from '@bindery/server/testing/measured-service';
import { SMALL_MODEL, writeSmallModel } from '../packages/encoder/test/small-model.ts';
import { WORKLOADS, type Workload } from './loop-workloads.ts';
import { nextMessage, start, withFolder } from './processes.ts';
import { type BenchmarkRow, median } from './results.ts';

type LoopWorld = Record<'dataDir' | 'models' | 'token', string>;

/** Milliseconds for which the event loop may be blocked. */
const TARGET = 10;

/**
 * How long the event loop of a service is blocked by each kind of work that is known to be expensive: once right after
 * the service has started, then repeatedly. Takes minutes and 5 GB of disk space. `BINDERY_BENCH_WORK=graphql` measures
 * only work whose name has this word.
 */
export function benchLoop(): Promise<BenchmarkRow[]> {
  return withFolder(async (folder) => {
    const [dataDir, models] = [join(folder, 'data'), join(folder, 'models')];
    mkdirSync(dataDir);
    await writeSmallModel(models);
    const token = await fillMeasured(dataDir, SMALL_MODEL);
    const rows: BenchmarkRow[] = [];
    const wanted = (process.env.BINDERY_BENCH_WORK ?? '').toLowerCase();
    for (const work of WORKLOADS.filter(({ name }) => name.toLowerCase().includes(wanted))) {
      process.stderr.write(`  ${work.name} …\n`);
      rows.push(...(await benchWork(work, { dataDir, models, token })));
    }
    return rows;
  });
}

async function benchWork(work: Workload, { dataDir, models, token }: LoopWorld): Promise<BenchmarkRow[]> {
  await work.seed?.(dataDir);
  const child = start(fileURLToPath(import.meta.resolve('@bindery/server/testing/measured-service')), [], {
    ...{ BINDERY_DATA_DIR: dataDir, BINDERY_PORT: '0', BINDERY_LOG_LEVEL: 'silent' },
    ...{ BINDERY_ENCODER: 'off', BINDERY_MODEL_DIR: models, ...work.environment },
  });
  try {
    const { value: url } = await nextMessage<{ value: string }>(child);
    const client = new Client(url, token);
    const act = await work.prepare(client, () => command(child, 'remove-abandoned'));
    const hold = async (time: number) => {
      await command(child, 'begin');
      await act(time);
      return command<Hold>(child, 'end');
    };
    // Excludes the framework's own first request.
    await client.send('GET', '/readyz');
    await delay(200);
    const cold = await hold(0);
    const warm: Hold[] = [];
    for (let time = 1; time <= (work.times ?? 30); time++) warm.push(await hold(time));
    return [holdRow(`${work.name}, first`, [cold]), ...(warm.length > 0 ? [holdRow(work.name, warm)] : [])];
  } finally {
    child.send('stop');
    if (child.exitCode === null) await once(child, 'exit');
  }
}

async function command<Answer>(child: ChildProcess, order: ServiceCommand): Promise<Answer> {
  child.send(order);
  return (await nextMessage<{ value: Answer }>(child)).value;
}

function holdRow(work: string, holds: readonly Hold[]): BenchmarkRow {
  const worst = holds.reduce((most, hold) => (hold.longest > most.longest ? hold : most));
  const busy = holds.reduce((sum, hold) => sum + hold.busy, 0) / holds.length;
  const middle = median(holds.map(({ longest }) => longest)).toFixed(1);
  return {
    work: `longest hold of the event loop: ${work}`,
    bindery: [
      ...(holds.length > 1 ? [`p50 ${middle}`] : []),
      `max ${worst.longest.toFixed(1)} (garbage ${worst.collecting.toFixed(1)})`,
      `thread ${busy.toFixed(1)} ms`,
    ].join(', '),
    target: `${TARGET} ms`,
    met: worst.longest <= TARGET,
  };
}
