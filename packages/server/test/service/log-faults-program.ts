import { createLog } from '../../src/process/log.ts';

void logMuch();

/** As often as the first argument says, once by default. */
async function flush(log: ReturnType<typeof createLog>): Promise<void> {
  for (let waited = 0; waited < Number(process.argv[2] ?? 1); waited++)
    await new Promise<void>((resolve) => log.flush(() => resolve()));
}

/** Logs more than any pipe holds, then an error, and says on stdout how it went. */
async function logMuch(): Promise<void> {
  const log = createLog({ logLevel: 'info' });
  for (let line = 0; line < 20_000; line++) {
    log.info({ line, padding: 'x'.repeat(200) }, 'request');
    if (line % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await flush(log);
  log.error({ err: new Error('a storage request failed') }, 'failed');
  await flush(log);
  process.stdout.write('alive\n');
  process.exit(0);
}
