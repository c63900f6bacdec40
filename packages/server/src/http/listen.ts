import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Configuration } from '../configuration/configuration.ts';
import { StartError } from '../process/start-error.ts';
import { formatAddress } from './addresses.ts';

/** Starts to listen and returns the actual port. Throws `StartError`. */
export async function listen(
  app: FastifyInstance,
  { host, port }: Pick<Configuration, 'host' | 'port'>,
): Promise<number> {
  try {
    await app.listen({ host, port, listenTextResolver: () => 'listening' });
  } catch (error) {
    throw new StartError(describeFailure(host, port, (error as NodeJS.ErrnoException).code), {
      cause: error,
    });
  }
  const bound = app.server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : port;
}

function describeFailure(host: string, port: number, code: string | undefined): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is in use. Stop what is listening there, or choose another with --port or BINDERY_PORT (0 picks a free one).`;
    case 'EACCES':
      return `This user is not allowed to listen on port ${port}. Choose one above 1023 with --port or BINDERY_PORT.`;
    default:
      return `The service cannot listen on ${formatAddress(host, port)} (${code}). Choose an address of this machine with --host or BINDERY_HOST.`;
  }
}

/** How long running requests have to finish, in milliseconds. */
const TIMEOUT = 10_000;

/** The open connections of a server. */
const connections = new WeakMap<Server, Set<Socket>>();

/** Tracks connections, so that stopping does not wait for those without any request, which Node considers busy. */
export function trackConnections(server: Server): void {
  const open = new Set<Socket>();
  connections.set(server, open);
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
}

/**
 * Accepts no new connections, closes idle ones, lets running requests finish, and cuts off those that take too long.
 */
export async function stopListening(app: FastifyInstance, timeout = TIMEOUT): Promise<void> {
  const done = new AbortController();
  const closed = app.close();
  for (const socket of connections.get(app.server) ?? []) if (socket.bytesRead === 0) socket.destroy();
  void wait(timeout, undefined, { signal: done.signal, ref: false }).then(
    () => app.server.closeAllConnections(),
    () => {},
  );
  await closed;
  done.abort();
}
