import { once } from 'node:events';
import { createServer } from 'node:net';

/** Linux takes ports of outgoing connections, and those of servers that ask for any, from 32,768 on. */
const [LOWEST, HIGHEST] = [20_000, 32_767];

/**
 * Returns a port of the loopback for a server that does not choose one itself. It is not among those that the system
 * gives to others, so that it is still free when the server starts.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST + 1));
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((resolve) => probe.close(resolve));
    return port;
  }
  throw new Error('no free port');
}
