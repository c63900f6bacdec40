import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

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
