import { type ConnectionLimits, DirectConnection, type ShortRequest } from './direct-connection.ts';
import { type ResponseSink, TransferError, type TransportRequest } from './transport.ts';

/** Milliseconds after which the other end may have closed an idle connection. */
const MAX_IDLE = 2_000;

/** Longest body, in characters or bytes. On a slow line, a longer one would take too long without a rate check. */
const MAX_BODY = 64 * 1024;

/** Whether a request has no body or a short one, like all requests except larger uploads. */
export function isShort(request: TransportRequest): request is ShortRequest {
  const { method, body } = request;
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  return method !== 'HEAD' && (body === undefined || (isWhole && body.length <= MAX_BODY));
}

/**
 * Exchanges over our own connections, each of which reads into one buffer for its whole life. Streams allocate new
 * memory for every 64 KiB, and collecting that garbage costs more than everything else that a pull does with the bytes.
 *
 * Opens as many connections as there are concurrent exchanges. Does not support proxies.
 */
export class DirectTransport {
  readonly #limits: ConnectionLimits;
  readonly #idle = new Map<string, { connection: DirectConnection; since: number }[]>();
  readonly #open = new Set<DirectConnection>();
  #closed = false;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /**
   * Resolves when the sink has the whole response. If the other end closes a kept-alive connection just when a request
   * is sent, one that can be repeated is; any other fails, because it may have been received.
   */
  async sendTo(request: ShortRequest, sink: ResponseSink): Promise<void> {
    const url = new URL(request.url);
    request.signal?.throwIfAborted();
    const kept = this.#takeIdle(url.origin);
    if (kept !== null && (await this.#exchange(kept, url, request, sink))) return;
    request.signal?.throwIfAborted();
    if (kept !== null && !isRepeatable(request)) throw new TransferError('CLOSED_EARLY');
    await this.#exchange(this.#connect(url), url, request, sink);
  }

  /** Opens an idle connection. If that fails, the next request finds out. */
  preconnect(url: URL): void {
    const connection = this.#connect(url);
    connection.becomeIdle();
    this.#keep(url.origin, connection);
  }

  close(): void {
    this.#closed = true;
    for (const connection of this.#open) connection.destroy();
  }

  /** Returns false if a kept-alive connection had been closed by the other end. */
  async #exchange(
    connection: DirectConnection,
    url: URL,
    request: ShortRequest,
    sink: ResponseSink,
  ): Promise<boolean> {
    const outcome = await connection.exchange(url, request, sink);
    if (outcome === 'kept') this.#keep(url.origin, connection);
    return outcome !== 'stale';
  }

  #connect(url: URL): DirectConnection {
    if (this.#closed) throw new Error('the client is closed');
    const connection = new DirectConnection(url, this.#limits);
    this.#open.add(connection);
    connection.onClose(() => this.#open.delete(connection));
    return connection;
  }

  #keep(origin: string, connection: DirectConnection): void {
    const idle = this.#idle.get(origin) ?? [];
    idle.push({ connection, since: performance.now() });
    this.#idle.set(origin, idle);
  }

  #takeIdle(origin: string): DirectConnection | null {
    const idle = this.#idle.get(origin) ?? [];
    for (;;) {
      const last = idle.pop();
      if (last === undefined) return null;
      if (last.connection.isOpen && performance.now() - last.since < MAX_IDLE) return last.connection;
      last.connection.destroy();
    }
  }
}

function isRepeatable({ method, repeatable }: ShortRequest): boolean {
  return repeatable === true || method === 'PUT';
}
