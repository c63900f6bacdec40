import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** How long running requests may take to finish, in milliseconds. */
const TIMEOUT = 10_000;

/** Takes no new connection, lets running requests finish, and cuts off those that take too long. */
export async function stopListening(app: FastifyInstance, timeout = TIMEOUT): Promise<void> {
  const done = new AbortController();
  const closed = app.close();
  void wait(timeout, undefined, { signal: done.signal, ref: false }).then(
    () => app.server.closeAllConnections(),
    () => {},
  );
  await closed;
  done.abort();
}
