import { WorkerPool } from '../src/index.ts';

const pool = new WorkerPool({
  entry: new URL('./echo-worker.ts', import.meta.url),
  maxWorkers: 1,
  maxWaiting: 10,
  timeout: 60_000,
  processorTime: 60_000,
  idleTimeout: 60_000,
  heapMegabytes: 64,
});

/** Runs tasks one after another and says so: nothing else keeps this program alive. */
for (let task = 0; task < 20; task++) await pool.run({ kind: 'echo', text: '' });
await pool.close();
process.stdout.write('all tasks have run\n');
