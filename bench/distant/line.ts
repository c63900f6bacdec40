import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, connect as open, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/** A line to a distant service. */
export interface LineTerms {
  /** Milliseconds until the answer to a byte can arrive. */
  roundTrip: number;
  /** Of each direction, shared by all connections. */
  bitsPerSecond: number;
}

/** What one connection may have on the way in one direction, as the buffers of both ends allow. */
const MAX_ON_THE_WAY = 4 * 1024 * 1024;

/**
 * Opens a line on a port of its own that leads to `port`, in a process of its own. Models the round trip of connecting,
 * delay and bandwidth; loss and the slow start of a connection are left out, which favours whoever opens many.
 */
export async function openLine(port: number, terms: LineTerms) {
  const line = spawn(
    process.execPath,
    [fileURLToPath(import.meta.url), String(port), String(terms.roundTrip), String(terms.bitsPerSecond)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [text] = await once(line.stdout, 'data');
  return { port: Number(String(text)), close: () => end(line) };
}

async function end(line: ChildProcess): Promise<void> {
  const ended = once(line, 'exit');
  line.kill('SIGTERM');
  await ended;
}

/** One direction of the line. */
class Direction {
  readonly #bytesPerMillisecond: number;
  /** When the last byte that was handed over has left. */
  #free = 0;

  constructor(bitsPerSecond: number) {
    this.#bytesPerMillisecond = bitsPerSecond / 8 / 1_000;
  }

  /** Returns when bytes that are handed over now have left. */
  departure(bytes: number): number {
    this.#free = Math.max(this.#free, performance.now()) + bytes / this.#bytesPerMillisecond;
    return this.#free;
  }
}

function carry(from: Socket, to: Socket, direction: Direction, delay: number, notBefore: number): void {
  const queue: { bytes: Buffer | null; arrival: number }[] = [];
  let onTheWay = 0;
  let isScheduled = false;
  const schedule = (wait: number) => {
    isScheduled = true;
    setTimeout(deliver, wait);
  };
  const deliver = () => {
    isScheduled = false;
    for (let next = queue[0]; next !== undefined; next = queue[0]) {
      const wait = next.arrival - performance.now();
      if (wait > 0.5) {
        schedule(wait);
        return;
      }
      queue.shift();
      if (next.bytes === null) {
        to.end();
        continue;
      }
      onTheWay -= next.bytes.length;
      to.write(next.bytes);
      if (onTheWay < MAX_ON_THE_WAY) from.resume();
    }
  };
  const send = (bytes: Buffer | null) => {
    const departure = Math.max(direction.departure(bytes?.length ?? 0), notBefore);
    queue.push({ bytes, arrival: departure + delay });
    if (!isScheduled) schedule(0);
  };
  from.on('data', (bytes: Buffer) => {
    onTheWay += bytes.length;
    send(bytes);
    if (onTheWay >= MAX_ON_THE_WAY) from.pause();
  });
  from.on('end', () => send(null));
  from.on('error', () => to.destroy());
  from.on('close', () => {
    if (!from.readableEnded) to.destroy();
  });
}

async function serve(port: number, { roundTrip, bitsPerSecond }: LineTerms): Promise<void> {
  const [up, down] = [new Direction(bitsPerSecond), new Direction(bitsPerSecond)];
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = open({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
    // The first bytes wait for the handshake.
    carry(near, far, up, roundTrip / 2, performance.now() + roundTrip);
    carry(far, near, down, roundTrip / 2, 0);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
}

if (import.meta.main) {
  const [port = 0, roundTrip = 0, bitsPerSecond = 0] = process.argv.slice(2).map(Number);
  await serve(port, { roundTrip, bitsPerSecond });
}
