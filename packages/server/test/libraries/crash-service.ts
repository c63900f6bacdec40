import { readConfiguration } from '../../src/configuration.ts';
import { startService } from '../../src/main.ts';

void serve();

/** The service as a program of its own, for tests that kill it; tells its parent where it listens. */
async function serve(): Promise<void> {
  const { url } = await startService({
    ...readConfiguration(process.env),
    port: 0,
    logLevel: 'silent',
    maxDelay: null,
  });
  process.send?.({ url });
}
