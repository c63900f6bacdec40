import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Pace } from '@bindery/contract';

export interface PaceLimit {
  /** Bytes a second. */
  rate: number;
  /** Milliseconds for which the average is taken. */
  window: number;
}

/** A request that is not answered whole yet. */
interface Exchange {
  request: IncomingMessage;
  pace: Pace;
  /** What had come in and gone out over the connection when it was last looked at. */
  seen: number;
}

/** How often every exchange is looked at in the time of a window. */
const LOOKS = 6;

/** Cuts connections whose other end sends a request, or takes an answer, slower than the limit on average. */
export function cutSlowExchanges(server: Server, { rate, window }: PaceLimit): void {
  const exchanges = new Set<Exchange>();
  const timer = setInterval(look, window / LOOKS).unref();
  let looked = performance.now();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const pace = new Pace({ rate, window }, performance.now());
    const exchange = { request, pace, seen: bytesOver(request) };
    exchanges.add(exchange);
    response.once('close', () => exchanges.delete(exchange));
  });
  server.once('close', () => clearInterval(timer));

  function look(): void {
    const now = performance.now();
    // Where the process itself stood still, it was not the others who were slow.
    const stoodStill = now - looked > (2 * window) / LOOKS;
    looked = now;
    for (const exchange of exchanges) {
      const { request, pace } = exchange;
      const bytes = bytesOver(request);
      if (waitsForPeer(exchange) && !stoodStill) pace.moved(bytes - exchange.seen, now);
      else pace.restart(now);
      exchange.seen = bytes;
      if (pace.left(now) <= 0) request.socket.destroy();
    }
  }
}

/** What came in, and what was taken over by the network. */
function bytesOver({ socket }: IncomingMessage): number {
  return socket.bytesRead + socket.bytesWritten - socket.writableLength;
}

/** Whether the exchange would go on if the other end sent or took more; otherwise it is this service that is at work. */
function waitsForPeer({ request }: Exchange): boolean {
  const wantsBody = !request.complete && request.readableLength === 0;
  return wantsBody || request.socket.writableLength > 0;
}
