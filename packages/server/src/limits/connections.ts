import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { MinimumRate } from '@bindery/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Configuration } from '../configuration/configuration.ts';
import { unavailable } from '../errors.ts';

/** Milliseconds for which a connection is kept on which a register is awaited: longer than one may take. */
const REGISTER = 300_000;

/** Keeps the connection of a request while nothing moves on it because a revision is registered. */
export function keepWhileRegistering({ raw }: FastifyRequest): void {
  raw.socket.setTimeout(REGISTER);
}

/** The share of this process's file descriptors that connections may take; files, workers and databases need the rest. */
const SHARE = 0.6;

/**
 * Watches the connections of a server. The returned function says whether one is beyond what the process has file
 * descriptors for, so that its requests should be refused while there is still a descriptor to do it with.
 */
export function watchConnections(server: Server, most = mostConnections()): (socket: Socket) => boolean {
  const excess = new WeakSet<Socket>();
  let open = 0;
  server.on('connection', (socket) => {
    open++;
    if (open > most) excess.add(socket);
    socket.once('close', () => {
      open--;
    });
  });
  return (socket) => excess.has(socket);
}

/** Infinity where the limit is not known; the operating system then closes what it cannot accept. */
function mostConnections(): number {
  try {
    const [, limit = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === '' ? Number.POSITIVE_INFINITY : Math.floor(Number(limit) * SHARE);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

interface MinimumRateOptions {
  /** Bytes per second. */
  rate: number;
  /** Milliseconds over which the average is taken. */
  window: number;
}

/** A request whose response is not complete yet. */
interface Exchange {
  request: IncomingMessage;
  pace: MinimumRate;
  /** Bytes that had been received and sent over the connection at the last check. */
  seen: number;
}

/** How often every exchange is checked within one window. */
const CHECKS = 6;

/** Closes connections whose peer sends a request, or receives a response, slower than the limit on average. */
export function closeSlowConnections(server: Server, { rate, window }: MinimumRateOptions): void {
  const exchanges = new Set<Exchange>();
  const timer = setInterval(check, window / CHECKS).unref();
  let checkedAt = performance.now();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const pace = new MinimumRate({ rate, window }, performance.now());
    const exchange = { request, pace, seen: bytesOver(request) };
    exchanges.add(exchange);
    response.once('close', () => exchanges.delete(exchange));
  });
  server.once('close', () => clearInterval(timer));

  function check(): void {
    const now = performance.now();
    // If this process itself stalled, its peers were not the slow ones.
    const stoodStill = now - checkedAt > (2 * window) / CHECKS;
    checkedAt = now;
    for (const exchange of exchanges) {
      const { request, pace } = exchange;
      const bytes = bytesOver(request);
      if (waitsForPeer(exchange) && !stoodStill) pace.record(bytes - exchange.seen, now);
      else pace.restart(now);
      exchange.seen = bytes;
      if (pace.remaining(now) <= 0) request.socket.destroy();
    }
  }
}

/** Bytes received, and bytes handed to the network. */
function bytesOver({ socket }: IncomingMessage): number {
  return socket.bytesRead + socket.bytesWritten - socket.writableLength;
}

/** Whether the exchange waits for the peer to send or receive more. Otherwise it waits for this service. */
function waitsForPeer({ request }: Exchange): boolean {
  const wantsBody = !request.complete && request.readableLength === 0;
  return wantsBody || request.socket.writableLength > 0;
}

/** Milliseconds between two measurements, and between the samples of one. */
const INTERVAL = 1_000;
const RESOLUTION = 10;

/** Responds 503 with `Retry-After` while the process cannot keep up. `/healthz` still responds. */
export function rejectUnderPressure(app: FastifyInstance, { maxDelay }: Configuration): void {
  if (maxDelay === null) return;
  const samples = monitorEventLoopDelay({ resolution: RESOLUTION });
  samples.enable();
  let delay = 0;
  const measuring = setInterval(() => {
    if (samples.count > 0) delay = samples.mean / 1e6 - RESOLUTION;
    samples.reset();
  }, INTERVAL);
  measuring.unref();
  app.addHook('onClose', async () => {
    clearInterval(measuring);
    samples.disable();
  });
  app.addHook('onRequest', async ({ routeOptions }) => {
    if (delay <= maxDelay || routeOptions.url === '/healthz') return;
    throw unavailable('The server is busy. Try again.', 2);
  });
}
