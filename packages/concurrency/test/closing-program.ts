import { ProcessPool } from '../src/index.ts';

void closePool();

/** Closes a pool while a task runs that would never end, and says so: nothing else keeps this program alive. */
async function closePool(): Promise<void> {
  const pool = new ProcessPool({
    entry: new URL('./asking-process.ts', import.meta.url),
    maxProcesses: 1,
    maxWaiting: 10,
    timeout: 60_000,
  });
  const asked = Promise.withResolvers<void>();
  const running = pool.run({
    value: { kind: 'ask', question: 'who?' },
    answer: () => {
      asked.resolve();
      return new Promise(() => {});
    },
  });
  const failed = running.catch((error: Error) => error.message);
  await asked.promise;
  await pool.close();
  process.stdout.write(`closed; the task failed: ${await failed}\n`);
}
