import { BlockList, isIP } from 'node:net';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { SettingError } from '../failures.ts';
import { enforceMinimumRate, type MinimumTransferRate } from './minimum-rate.ts';
import {
  type ResponseSink,
  TransferError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';

/** Bounds on exchanges; times are milliseconds. */
export interface TransportLimits {
  /** Maximum connections to one server. */
  connections: number;
  proxies: Proxies;
  /** Time within which a connection must be established. */
  connectTimeout: number;
  /** Time within which a response must begin: `read` for requests that only read, `write` for others. */
  headTimeout: { read: number; write: number };
  /** Minimum rate of transfers; null: no minimum. */
  minimumRate: MinimumTransferRate | null;
}

function headTimeoutOf(
  { method, repeatable = method === 'GET' }: TransportRequest,
  { read, write }: TransportLimits['headTimeout'],
): number {
  return repeatable ? read : write;
}

/** Larger bodies are sent in pieces of this many bytes, so that their progress can be seen. */
const PIECE = 64 * 1024;

/** Keep-alive HTTP over the given proxies. undici is loaded by the first request. */
export function openUndiciTransport(options: TransportLimits): Transport {
  let opened: Promise<{ agent: Dispatcher; dispatcher: Dispatcher }> | undefined;
  const { connections, connectTimeout, headTimeout, minimumRate, proxies } = options;

  async function connect(): Promise<{ agent: Dispatcher; dispatcher: Dispatcher }> {
    const { EnvHttpProxyAgent } = await import('undici');
    const { httpProxy, httpsProxy, noProxy } = proxies;
    const agent = new EnvHttpProxyAgent({
      httpProxy,
      httpsProxy,
      noProxy,
      connections,
      connect: { timeout: connectTimeout },
      keepAliveTimeout: 30_000,
      pipelining: 1,
    });
    if (minimumRate === null) return { agent, dispatcher: agent };
    return { agent, dispatcher: agent.compose(enforceMinimumRate(minimumRate)) };
  }

  return {
    async send(request: TransportRequest): Promise<TransportResponse> {
      opened ??= connect();
      const { request: send } = await import('undici');
      const { statusCode, headers, body } = await send(request.url, {
        dispatcher: (await opened).dispatcher,
        method: request.method as Dispatcher.HttpMethod,
        headers: request.headers,
        body: request.body ?? null,
        signal: request.signal ?? null,
        headersTimeout: headTimeoutOf(request, headTimeout),
        bodyTimeout: 0,
      }).catch((error: unknown) => {
        throw nameProxy(error, proxies);
      });
      return {
        status: statusCode,
        headers: singleValues(headers),
        body,
      };
    },
    async sendTo(request, sink) {
      opened ??= connect();
      try {
        await dispatchTo((await opened).dispatcher, request, headTimeoutOf(request, headTimeout), sink);
      } catch (error) {
        throw nameProxy(error, proxies);
      }
    },
    async close() {
      await (await opened)?.agent.destroy();
    },
  };
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

function dispatchTo(
  dispatcher: Dispatcher,
  request: TransportRequest,
  headersTimeout: number,
  sink: ResponseSink,
): Promise<void> {
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
        headersTimeout,
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

type Environment = Readonly<Record<string, string | undefined>>;

/** Which proxies requests go through. */
export interface Proxies {
  /** Addresses by the scheme of the requests that they pass on; empty: none. */
  readonly httpProxy: string;
  readonly httpsProxy: string;
  /** Hosts that are reached without a proxy, as `NO_PROXY` lists them, without its address ranges. */
  readonly noProxy: string;
  /** Whether the host of a URL is an address within a range of `NO_PROXY`, such as `10.0.0.0/8`. */
  isInDirectRange(url: string): boolean;
}

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` in place of one that is missing, and `NO_PROXY`, in either letter case.
 * As elsewhere, an address without a scheme is `http://`. Throws `SettingError`.
 */
export function readProxies(environment: Environment): Proxies {
  const read = (...names: string[]) => {
    const name = names.find((candidate) => environment[candidate] !== undefined);
    return name === undefined ? '' : proxyAddress(name, environment[name]?.trim() ?? '');
  };
  const entries = (environment.no_proxy ?? environment.NO_PROXY ?? '').split(/[\s,]+/).filter(Boolean);
  const ranges = new BlockList();
  const hosts = entries.filter((entry) => !addRange(ranges, entry));
  return {
    httpProxy: read('http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'),
    httpsProxy: read('https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'),
    noProxy: hosts.join(','),
    isInDirectRange(url) {
      const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
      return isIP(host) !== 0 && ranges.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
    },
  };
}

function addRange(ranges: BlockList, entry: string): boolean {
  const [address = '', prefix = ''] = entry.split('/', 2);
  const family = isIP(address);
  if (family === 0 || !/^\d{1,3}$/.test(prefix) || Number(prefix) > (family === 6 ? 128 : 32)) return false;
  ranges.addSubnet(address, Number(prefix), family === 6 ? 'ipv6' : 'ipv4');
  return true;
}

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'socks:', 'socks5:', 'socks5h:']);

/** The address may contain a password, so the message does not repeat it. */
function proxyAddress(name: string, setting: string): string {
  if (setting === '') return '';
  const address = setting.includes('://') ? setting : `http://${setting}`;
  const { protocol, hostname } = URL.canParse(address) ? new URL(address) : { protocol: '', hostname: '' };
  // The proxy looks up host names either way.
  if (SCHEMES.has(protocol) && hostname !== '') return address.replace(/^socks5h:/, 'socks5:');
  throw new SettingError(
    `${name}: it must be the address of a proxy, such as http://proxy.example.org:3128 or socks5://proxy.example.org:1080.`,
  );
}
