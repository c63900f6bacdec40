import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Configuration } from '../configuration/configuration.ts';
import { StartError } from '../errors.ts';

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

/** Writes a host and a port as in a URL: an IPv6 address is enclosed in brackets. */
export function formatAddress(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether a service that listens on a host can be reached by every address of the machine. */
export function isEveryAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Returns the origin by which a service can be reached from its own machine. */
export function localOrigin(host: string, port: number): string {
  return `http://${formatAddress(isEveryAddress(host) ? 'localhost' : host, port)}`;
}

/** A host name or an address, with or without a port. */
const HOST = /^(?:[\w](?:[\w.-]{0,251}\w)?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * The origin by which the client of the running request reached the service, for what goes back to that client alone:
 * clients choose the `Host` that they send. Never for checks, or for what others read.
 */
export class ReachedOrigin {
  readonly #origin = new AsyncLocalStorage<string | null>();

  /** Returns null outside of requests, and for a request that names no proper host. */
  get(): string | null {
    return this.#origin.getStore() ?? null;
  }

  /** Runs a part of a request. */
  during({ protocol, host }: { protocol: string; host: string }, work: () => void): void {
    this.#origin.run(HOST.test(host) ? `${protocol}://${host}` : null, work);
  }
}
