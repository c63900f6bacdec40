import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type MinimumTransferRate, RateMonitor } from './minimum-rate.ts';
import { ResponseParser } from './response-parser.ts';
import { type ResponseSink, TransferError, type TransportRequest } from './transport.ts';

export interface ConnectionLimits {
  /** Milliseconds within which a connection must be established. */
  connectTimeout: number;
  /** Milliseconds within which a response must begin: `read` for requests that only read, `write` for others. */
  headTimeout: { read: number; write: number };
  /** Minimum rate of transfers; null: no minimum. */
  minimumRate: MinimumTransferRate | null;
}

/** A request without a body or with a short one. */
export type ShortRequest = Omit<TransportRequest, 'body'> & { body?: string | Uint8Array };

/**
 * Whether the connection can be used for another exchange (`kept`) or not (`ended`). `stale`: a kept-alive connection
 * was closed before any of this response arrived.
 */
export type Outcome = 'kept' | 'ended' | 'stale';

/** Bytes to read at a time within a body: as many as the system has ready on a fast line. */
const READ_BYTES = 256 * 1024;

/** Bytes to read at a time until a body begins: few, since a sink may provide its own memory for the body. */
const HEAD_BYTES = 4 * 1024;

/**
 * A connection to one origin, with one exchange at a time. Reads into one buffer for its whole life, or into memory
 * that the sinks provide.
 */
export class DirectConnection {
  readonly #socket: Socket;
  readonly #limits: ConnectionLimits;
  #connected = false;
  #exchange: Exchange | null = null;
  /** Whether it has been idle, so that the other end may have closed it. */
  #hasBeenIdle = false;

  constructor(url: URL, limits: ConnectionLimits) {
    this.#limits = limits;
    const body = Buffer.allocUnsafeSlow(READ_BYTES);
    const head = body.subarray(0, HEAD_BYTES);
    let buffer: Buffer = head;
    this.#socket = connect(url, {
      buffer: () => {
        const own = this.#exchange?.bufferFor;
        // Nothing can be read into memory of length zero.
        if (own?.length) buffer = own;
        else buffer = this.#exchange?.isInBody ? body : head;
        return buffer;
      },
      callback: (count) => {
        this.#read(buffer.subarray(0, count));
        return true;
      },
    });
    const timeout = setTimeout(() => this.#fail(new TransferError('CONNECT_TIMEOUT')), limits.connectTimeout);
    this.#socket
      .once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        clearTimeout(timeout);
        this.#connected = true;
        this.#exchange?.awaitHead();
      })
      .on('error', (error) => this.#fail(error))
      .on('end', () => this.#end())
      .on('close', () => {
        clearTimeout(timeout);
        this.#fail(new TransferError('CLOSED_EARLY'));
      });
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable && this.#socket.writableLength === 0;
  }

  onClose(listener: () => void): void {
    this.#socket.once('close', listener);
  }

  /** Closes the connection, which ends a running exchange. */
  destroy(): void {
    this.#socket.destroy();
  }

  /** Rejects with whatever the sink throws, the signal's reason, a `TransferError` or the system's own error. */
  async exchange(url: URL, request: ShortRequest, sink: ResponseSink): Promise<Outcome> {
    const { signal } = request;
    const head = headOf(url, request);
    const { read, write } = this.#limits.headTimeout;
    const exchange = new Exchange(sink, {
      headTimeout: request.repeatable ? read : write,
      minimumRate: this.#limits.minimumRate,
      reused: this.#hasBeenIdle,
      abort: (error) => this.#fail(error),
    });
    const abort = () => this.#fail(signal?.reason);
    this.#exchange = exchange;
    this.#socket.ref();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      this.#write(head, request.body);
      if (this.#connected) exchange.awaitHead();
      return await exchange.outcome;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.becomeIdle();
    }
  }

  becomeIdle(): void {
    this.#hasBeenIdle = true;
    // An idle connection must not keep the process running.
    this.#socket.unref();
  }

  #write(head: string, body: ShortRequest['body']): void {
    if (body === undefined || typeof body === 'string') {
      this.#socket.write(head + (body ?? ''));
      return;
    }
    this.#socket.cork();
    this.#socket.write(head);
    this.#socket.write(body);
    this.#socket.uncork();
  }

  #read(bytes: Buffer): void {
    const exchange = this.#exchange;
    if (exchange === null) {
      this.#socket.destroy();
      return;
    }
    try {
      exchange.read(bytes);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#settleIfDone(exchange);
  }

  #end(): void {
    this.#exchange?.end();
    if (this.#exchange !== null) this.#settleIfDone(this.#exchange);
    this.#fail(new TransferError('CLOSED_EARLY'));
  }

  #settleIfDone(exchange: Exchange): void {
    if (!exchange.done) return;
    this.#exchange = null;
    if (exchange.settle() === 'ended') this.#socket.destroy();
  }

  #fail(error: unknown): void {
    this.#exchange?.fail(error);
    this.#exchange = null;
    this.#socket.destroy();
  }
}

interface ExchangeOptions {
  /** Milliseconds within which the response must begin. */
  headTimeout: number;
  minimumRate: MinimumTransferRate | null;
  /** Whether the connection has been idle before. */
  reused: boolean;
  abort(error: TransferError): void;
}

/** One request and its response, with the timers that watch them. */
class Exchange {
  readonly outcome: Promise<Outcome>;
  readonly #parser: ResponseParser;
  readonly #options: ExchangeOptions;
  readonly #resolve: (outcome: Outcome) => void;
  readonly #reject: (error: unknown) => void;
  #hasResponseBytes = false;
  #headTimer: NodeJS.Timeout | undefined;
  #watch: RateMonitor | undefined;

  constructor(sink: ResponseSink, options: ExchangeOptions) {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    this.outcome = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#options = options;
    this.#parser = new ResponseParser({
      onHead: (status, headers) => {
        this.#watchBody();
        sink.onHead(status, headers);
      },
      onBytes: (bytes) => sink.onBytes(bytes),
      bufferFor: (most) => sink.bufferFor?.(most),
    });
  }

  get done(): boolean {
    return this.#parser.done;
  }

  get isInBody(): boolean {
    return this.#parser.isInBody;
  }

  /** The sink's memory for the next bytes, if it provides any. */
  get bufferFor(): Buffer | undefined {
    return this.#parser.bufferFor;
  }

  awaitHead(): void {
    this.#headTimer = setTimeout(
      () => this.#options.abort(new TransferError('ANSWER_TIMEOUT')),
      this.#options.headTimeout,
    );
  }

  read(bytes: Buffer): void {
    this.#hasResponseBytes = true;
    this.#watch?.record(bytes.length);
    this.#parser.read(bytes);
  }

  end(): void {
    this.#parser.end();
  }

  settle(): Outcome {
    this.#stop();
    const outcome = this.#parser.keepsAlive ? 'kept' : 'ended';
    this.#resolve(outcome);
    return outcome;
  }

  fail(error: unknown): void {
    this.#stop();
    const isStale = this.#options.reused && !this.#hasResponseBytes && isClosed(error);
    if (isStale) this.#resolve('stale');
    else this.#reject(error);
  }

  #watchBody(): void {
    clearTimeout(this.#headTimer);
    const { minimumRate, abort } = this.#options;
    if (minimumRate === null) return;
    this.#watch = new RateMonitor(minimumRate.rate, minimumRate.receiveWindow, {
      isPaused: () => false,
      onSlow: () => abort(new TransferError('TRANSFER_TOO_SLOW')),
    });
  }

  #stop(): void {
    clearTimeout(this.#headTimer);
    this.#watch?.end();
  }
}

function connect(url: URL, onread: OnReadOpts): Socket {
  const secure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (secure ? 443 : 80));
  const options = { host, port, onread, noDelay: true };
  if (!secure) return connectTcp(options);
  return connectTls({ ...options, ...(isIP(host) ? {} : { servername: host }), ALPNProtocols: ['http/1.1'] });
}

const FIELD_VALUE = /^[\t\x20-\x7e]*$/;

function headOf(url: URL, { method, headers, body }: ShortRequest): string {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const fields = Object.entries({ host: url.host, connection: 'keep-alive', ...headers, ...length });
  const broken = fields.find(([, value]) => !FIELD_VALUE.test(value));
  if (broken !== undefined) throw new TypeError(`the header ${broken[0]} has a character that no header has`);
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function isClosed(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'CLOSED_EARLY' || code === 'ECONNRESET' || code === 'EPIPE';
}
