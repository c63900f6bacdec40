import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** How long running requests may take to finish, in milliseconds. */
const TIMEOUT = 10_000;

/** The open connections of a server. */
const connections = new WeakMap<Server, Set<Socket>>();

/** Remembers connections, so that a stop need not wait for those on which nothing was ever asked: Node takes them for busy. */
export function noteConnections(server: Server): void {
  const open = new Set<Socket>();
  connections.set(server, open);
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
}

/**
 * Takes no new connection, ends those on which nothing runs, lets running requests finish, and cuts off those that take
 * too long.
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
