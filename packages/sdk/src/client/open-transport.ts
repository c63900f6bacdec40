import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { MIN_TRANSFER_RATE } from '@bindery/contract/wire';
import type { Dispatcher } from 'undici';
import { enforceMinimumRate, type MinimumTransferRate } from './minimum-rate.ts';
import { type Proxies, readProxies } from './proxies.ts';
import { type ResponseSink, TransferError, type Transport, type TransportRequest } from './transport.ts';

export interface TransportOptions {
  /** Maximum connections to one server. */
  connections?: number;
  /** Milliseconds within which a connection must be established. */
  connectTimeout?: number;
  /** Minimum rate of transfers, where it differs from the default; null: no minimum. */
  minimumRate?: Partial<MinimumTransferRate> | null | undefined;
  /** Finds the addresses of names; the system's look-up without it. */
  lookup?: LookupFunction | undefined;
}

const DEFAULT_MINIMUM_RATE: MinimumTransferRate = {
  rate: MIN_TRANSFER_RATE,
  sendWindow: 60_000,
  receiveWindow: 20_000,
};

/** Milliseconds within which the head of a response must arrive; the register of a large library may take minutes. */
const HEAD_TIMEOUT = { read: 30_000, write: 300_000 };

/** Larger bodies are sent in pieces of this many bytes, so that their progress can be seen. */
const PIECE = 64 * 1024;

interface Agents {
  /** Sends through the proxies of the environment. */
  general: Dispatcher;
  /** Sends without a proxy. */
  direct: Dispatcher;
  close(): Promise<unknown>;
}

/**
 * Keep-alive HTTP that honours `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`; additional certificate
 * authorities come from `NODE_EXTRA_CA_CERTS`, which Node reads itself. undici is loaded by the first request. Throws
 * `SettingError` for a proxy that is not an address.
 */
export function openTransport(options: TransportOptions = {}): Transport {
  const proxies = readProxies(process.env);
  let opened: Promise<Agents> | undefined;
  const dispatcherFor = async ({ url }: TransportRequest) => {
    opened ??= openAgents(options, proxies);
    const { general, direct } = await opened;
    return proxies.isInDirectRange(url) ? direct : general;
  };

  async function sendTo(request: TransportRequest, sink: ResponseSink): Promise<void> {
    const dispatcher = await dispatcherFor(request);
    let hasAnswer = false;
    const watched: ResponseSink = {
      onHead(status, headers) {
        hasAnswer = true;
        sink.onHead(status, headers);
      },
      onBytes: (bytes) => sink.onBytes(bytes),
    };
    try {
      await dispatchTo(dispatcher, request, watched).catch((error: unknown) => {
        // The server may have closed a kept connection just when the request was sent on it.
        if (hasAnswer || !isRepeatable(request) || !isClosed(error)) throw error;
        return dispatchTo(dispatcher, request, sink);
      });
    } catch (error) {
      throw nameProxy(error, proxies);
    }
  }

  return {
    async send(request) {
      const dispatcher = await dispatcherFor(request);
      const { request: send } = await import('undici');
      const { statusCode, headers, body } = await send(request.url, {
        dispatcher,
        method: request.method as Dispatcher.HttpMethod,
        headers: request.headers,
        body: request.body ?? null,
        signal: request.signal ?? null,
        headersTimeout: headTimeoutOf(request),
        bodyTimeout: 0,
        // undici closes the connection after it otherwise, in case that a body follows.
        ...(request.method === 'HEAD' && { reset: false }),
      }).catch((error: unknown) => {
        throw nameProxy(error, proxies);
      });
      return { status: statusCode, headers: singleValues(headers), body };
    },
    sendTo,
    async close() {
      await (await opened)?.close();
    },
  };
}

async function openAgents(options: TransportOptions, proxies: Proxies): Promise<Agents> {
  const { connections = 32, connectTimeout = 10_000, minimumRate, lookup } = options;
  const { Agent, EnvHttpProxyAgent } = await import('undici');
  const { httpProxy, httpsProxy, noProxy } = proxies;
  const settings = {
    connections,
    connect: { timeout: connectTimeout, ...(lookup && { lookup }) },
    keepAliveTimeout: 30_000,
    pipelining: 1,
    allowH2: false,
  };
  const general = new EnvHttpProxyAgent({ ...settings, httpProxy, httpsProxy, noProxy });
  const direct = new Agent(settings);
  const close = () => Promise.all([general.destroy(), direct.destroy()]);
  if (minimumRate === null) return { general, direct, close };
  const enforced = enforceMinimumRate({ ...DEFAULT_MINIMUM_RATE, ...minimumRate });
  return { general: general.compose(enforced), direct: direct.compose(enforced), close };
}

function headTimeoutOf({ method, repeatable = method === 'GET' }: TransportRequest): number {
  return repeatable ? HEAD_TIMEOUT.read : HEAD_TIMEOUT.write;
}

function isRepeatable({ method, repeatable, body }: TransportRequest): boolean {
  const isWhole = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  return isWhole && (repeatable === true || method === 'PUT');
}

function isClosed(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

/** Returns an error that says so if it was the proxy that could not be reached, or that refused a tunnel. */
function nameProxy(error: unknown, { httpProxy, httpsProxy }: Proxies): unknown {
  if (!(error instanceof Error)) return error;
  const status = /^Proxy response \((\d{3})\)/.exec(error.message)?.[1];
  if (status !== undefined) {
    const help =
      status === '407' ? '; it asks for a user name and password (http://user:password@host:port)' : '';
    return new TransferError(
      'PROXY_REFUSED',
      `the proxy of HTTPS_PROXY answered with status ${status}${help}.`,
    );
  }
  const failure = error as NodeJS.ErrnoException & { hostname?: string; port?: number };
  const proxy = [httpsProxy, httpProxy]
    .filter((address) => address !== '')
    .map((address) => new URL(address))
    .find(({ hostname, port }) => failure.hostname === hostname || String(failure.port) === port);
  if (proxy === undefined || !['connect', 'getaddrinfo'].includes(failure.syscall ?? '')) return error;
  const place = `${proxy.protocol}//${proxy.host}`;
  return new TransferError(
    'PROXY_UNREACHABLE',
    `could not connect to the proxy ${place} (${failure.code}), which HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names.`,
  );
}

function dispatchTo(dispatcher: Dispatcher, request: TransportRequest, sink: ResponseSink): Promise<void> {
  const { origin, pathname, search } = new URL(request.url);
  const { signal } = request;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    const onAbort = () => {
      const reason: unknown = signal?.reason;
      controller?.abort(reason instanceof Error ? reason : new DOMException('Aborted.', 'AbortError'));
      reject(reason);
    };
    const settle = (result: () => void) => {
      signal?.removeEventListener('abort', onAbort);
      result();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    dispatcher.dispatch(
      {
        origin,
        path: pathname + search,
        method: request.method as Dispatcher.HttpMethod,
        headers: request.headers,
        body: inPieces(request.body),
        headersTimeout: headTimeoutOf(request),
        bodyTimeout: 0,
      },
      {
        onRequestStart(started) {
          controller = started;
          if (signal?.aborted) onAbort();
        },
        onResponseStart: (_, status, headers) => sink.onHead(status, singleValues(headers)),
        onResponseData: (_, bytes) => sink.onBytes(bytes),
        onResponseEnd: () => settle(resolve),
        onResponseError: (_, error) => settle(() => reject(error)),
      },
    );
  });
}

function inPieces(body: TransportRequest['body']): string | Uint8Array | Readable | null {
  if (!(body instanceof Uint8Array) || body.length <= PIECE) return body ?? null;
  return Readable.from(piecesOf(body), { objectMode: false });
}

function* piecesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += PIECE) yield body.subarray(at, at + PIECE);
}

function singleValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const single: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) single[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return single;
}
