import { createLog } from '../../src/service/log.ts';

void logMuch();

/** Logs more than any pipe holds, with an error among it, and says on stdout how it went. */
async function logMuch(): Promise<void> {
  const log = createLog({ logLevel: 'info' });
  for (let line = 0; line < 20_000; line++) {
    log.info({ line, padding: 'x'.repeat(200) }, 'request');
    if (line % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  log.error({ err: new Error('a storage request failed') }, 'failed');
  await new Promise<void>((resolve) => log.flush(() => resolve()));
  process.stdout.write('alive\n');
  process.exit(0);
}
