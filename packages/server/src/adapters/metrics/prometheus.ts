import { createServer } from 'node:http';
import { withTimeout } from '@bindery/concurrency';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { StartError } from '../../errors.ts';
import { formatAddress } from '../../http/listen.ts';
import type { Metrics, WaitingChanges, WaitingDeliveries } from '../../metrics.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Registers of large libraries take longer than other requests. */
const REGISTER_SECONDS = [0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Milliseconds that a scrape waits for values from the database. */
const READ_TIMEOUT = 3_000;

/** Serves metrics for Prometheus at `/metrics` on a separate listener, away from the public one. */
export async function servePrometheus(address: {
  host: string;
  port: number;
}): Promise<Metrics & { url: string; close(): Promise<void> }> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'bindery_request_duration_seconds',
    help: 'Time from the request to the end of the response',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  const bytes = new Counter({
    name: 'bindery_transferred_bytes_total',
    help: 'Bytes of objects sent (out) and received (in)',
    labelNames: ['direction'],
    registers: [registry],
  });

  const searches = new Histogram({
    name: 'bindery_search_duration_seconds',
    help: 'Time of searches, by whether vectors were used (on) or why not',
    labelNames: ['semantic'],
    buckets: SECONDS,
    registers: [registry],
  });
  const encodings = new Histogram({
    name: 'bindery_query_encoding_duration_seconds',
    help: 'Time that searches waited for the vector of their query, by outcome',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers: [registry],
  });
  const registers = new Histogram({
    name: 'bindery_register_duration_seconds',
    help: 'Time of registers, by created, updated or the error code',
    labelNames: ['outcome'],
    buckets: REGISTER_SECONDS,
    registers: [registry],
  });

  const scrubbed = new Counter({
    name: 'bindery_scrubbed_bytes_total',
    help: 'Stored bytes that were read again in the background',
    registers: [registry],
  });
  const damageFound = new Counter({
    name: 'bindery_damage_found_total',
    help: 'Stored objects found damaged or missing, by what they are',
    labelNames: ['what'],
    registers: [registry],
  });
  const damageRepaired = new Counter({
    name: 'bindery_damage_repaired_total',
    help: 'Stored objects rebuilt or replaced, by what they are',
    labelNames: ['what'],
    registers: [registry],
  });

  const attempts = new Counter({
    name: 'bindery_webhook_attempts_total',
    help: 'Attempts to send to webhooks, by outcome: delivered, to be retried (deferred) or given up (failed)',
    labelNames: ['outcome'],
    registers: [registry],
  });

  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    try {
      const text = await registry.metrics();
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    } catch {
      // The process cannot read its own figures, because it has too many open files.
      response.writeHead(503).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new StartError(
          `Metrics cannot be served on ${formatAddress(address.host, address.port)} (${(error as NodeJS.ErrnoException).code}). ` +
            'Set BINDERY_METRICS to a free address of this machine, or leave it out.',
          { cause: error },
        ),
      ),
    );
    server.listen(address.port, address.host, resolve);
  });
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;

  return {
    url: `http://${formatAddress(address.host, port)}/metrics`,
    requestAnswered: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status }, seconds),
    bytesTransferred: (direction, count) => bytes.inc({ direction }, count),
    searched: ({ semantic, seconds }) => searches.observe({ semantic }, seconds),
    queryEncoded: ({ outcome, seconds }) => encodings.observe({ outcome }, seconds),
    registered: ({ outcome, seconds }) => registers.observe({ outcome }, seconds),
    scrubbed: (count) => scrubbed.inc(count),
    damageFound: (what) => damageFound.inc({ what }),
    damageRepaired: (what) => damageRepaired.inc({ what }),
    webhookAttempted: (outcome) => attempts.inc({ outcome }),
    webhooksWaiting: (read) => serveWaiting(registry, read),
    searchChangesWaiting: (read) => serveSearchChanges(registry, read),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Adds gauges of what the search engine has not been given yet. */
function serveSearchChanges(registry: Registry, read: () => Promise<WaitingChanges>): void {
  const registers = [registry];
  const gauge = (name: string, help: string, amountOf: (waiting: WaitingChanges) => number) =>
    new Gauge({
      ...{ name, help, registers },
      async collect() {
        const waiting = await inTime(read());
        this.set(waiting === null ? Number.NaN : amountOf(waiting));
      },
    });
  gauge(
    'bindery_search_engine_libraries_waiting',
    'Libraries that are to be published to the search engine',
    ({ libraries }) => libraries,
  );
  gauge(
    'bindery_search_engine_oldest_waiting_seconds',
    'For how long the oldest of them has waited',
    ({ oldestSeconds }) => oldestSeconds,
  );
}

/** Adds gauges of what is waiting in the database; they have no value while it cannot be read. */
function serveWaiting(registry: Registry, read: () => Promise<WaitingDeliveries>): void {
  const registers = [registry];
  new Gauge({
    name: 'bindery_webhook_deliveries_waiting',
    help: 'Queued deliveries, by whether their webhook is active or paused',
    labelNames: ['webhook'],
    registers,
    async collect() {
      this.reset();
      const deliveries = await inTime(read());
      if (deliveries === null) return;
      this.set({ webhook: 'active' }, deliveries.active);
      this.set({ webhook: 'paused' }, deliveries.paused);
    },
  });
  new Gauge({
    name: 'bindery_webhook_oldest_waiting_seconds',
    help: 'Age of the oldest queued delivery to a webhook that is not paused',
    registers,
    async collect() {
      const deliveries = await inTime(read());
      this.set(deliveries?.oldestSeconds ?? Number.NaN);
    },
  });
}

/** Returns the value read, or null if it could not be read in time. */
function inTime<Value>(reading: Promise<Value>): Promise<Value | null> {
  return withTimeout(
    reading.catch(() => null),
    READ_TIMEOUT,
    () => null,
  );
}
