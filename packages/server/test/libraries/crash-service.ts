import { startService } from '../../src/boot/main.ts';
import { readConfiguration } from '../../src/configuration/configuration.ts';

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
