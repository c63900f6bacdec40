import { Readable } from 'node:stream';
import type { Callable, ResponseOf } from '@bindery/contract';
import type { CallRequest, CallResponse, LibraryClient, PutRequest } from './call.ts';
import { NetworkError, nameMissingLibrary, UnexpectedResponseError } from './errors.ts';
import { openTransport } from './open-transport.ts';
import {
  BodyCollector,
  DeliveredResponse,
  decompress,
  toClientError,
  type WholeResponse,
} from './responses.ts';
import { DEFAULT_RETRY, type RetryPolicy, withRetry } from './retry.ts';
import { buildUrl, isLoopback, parseServerAddress, type QueryValues } from './server-urls.ts';
import type { ResponseSink, Transport, TransportRequest } from './transport.ts';

export interface ClientOptions {
  /** The service's address, for example `https://bindery.example.org`. */
  baseUrl: string;
  /** Bearer token; without one, requests are anonymous. */
  token?: string | null | undefined;
  userAgent?: string;
  /** Aborts every request of this client. */
  signal?: AbortSignal;
  retry?: RetryPolicy;
  /** Whether to accept compressed responses; by default not from this machine, where sending costs less. */
  compression?: boolean;
  /** Minimum average rate of transfers in bytes per second; null: no minimum. */
  minTransferRate?: number | null | undefined;
  transport?: Transport;
}

/** A response as it was received. `status` is 304, with an empty body, only if `ifNoneMatch` was given. */
export interface RawResponse extends WholeResponse {
  etag: string | null;
}

/** A request to the object store, by a presigned URL. */
export interface StoreRequest {
  method?: string;
  /** Absolute, or relative to the service's address. */
  url: string;
  headers?: Record<string, string>;
  body?: Uint8Array | string | Readable;
  signal?: AbortSignal;
}

export interface Client extends LibraryClient {
  readonly authenticated: boolean;
  /** Calls a route and returns the body's bytes unparsed. Throws like `call` if they are something else than JSON. */
  raw<R extends Callable>(route: R, request: CallRequest<R> & { ifNoneMatch?: string }): Promise<RawResponse>;
  /** Returns a URL from a response as an absolute one. */
  resolve(url: string): string;
  /**
   * Downloads the object of a presigned URL, at most `limit` bytes, in one exchange without the token. Throws
   * `ApiError` for a status of 400 or more, and whatever `call` throws.
   */
  download(request: StoreRequest, limit: number): Promise<Buffer>;
  /**
   * Like `download`, for many files: the body of a successful response goes to the sink as it arrives. Resolves to the
   * headers when everything has arrived. If the sink throws, the exchange ends with its error.
   */
  downloadTo(request: StoreRequest, sink: ResponseSink): Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
}

const MAX_BYTES = 256 * 1024 * 1024;

export function createClient(options: ClientOptions): Client {
  const baseUrl = parseServerAddress(options.baseUrl);
  const { token = null, userAgent = 'bindery-sdk', retry = DEFAULT_RETRY } = options;
  const transport = options.transport ?? openTransport({ minimumRate: minimumRateOption(options) });
  const compression = options.compression ?? !isLoopback(new URL(baseUrl));

  /** One exchange; the body of a successful response goes to the sink. */
  async function deliver(request: TransportRequest, sink: ResponseSink): Promise<DeliveredResponse> {
    const answer = new DeliveredResponse(sink);
    const { origin: target } = new URL(request.url);
    try {
      await transport.sendTo(request, answer).catch((error: unknown) => {
        if (!answer.isTruncated) throw error;
      });
      await answer.requireSuccess(target);
      return answer;
    } catch (error) {
      const failure = answer.sinkError ?? toClientError(error, target, request.signal);
      if (failure instanceof NetworkError && target !== new URL(baseUrl).origin) failure.givenBy = baseUrl;
      throw failure;
    }
  }

  async function collect(request: TransportRequest, limit: number): Promise<WholeResponse> {
    const { origin: target } = new URL(request.url);
    const body = new BodyCollector(limit, target);
    const { status, headers } = await deliver(request, body);
    try {
      const bytes = await decompress({ status, headers, bytes: body.bytes() }, limit, target);
      return { status, headers, bytes };
    } catch (error) {
      throw toClientError(error, target, request.signal);
    }
  }

  function exchange<R extends Callable>(
    route: R,
    request: CallRequest<R>,
    headers: Record<string, string> = {},
  ): Promise<WholeResponse> {
    const { params, query, body } = request as {
      params?: Record<string, string>;
      query?: QueryValues;
      body?: unknown;
    };
    const url = buildUrl(baseUrl, route.path, params, query);
    const signal = joinSignals(options.signal, request.signal);
    const text = body === undefined || body === null ? undefined : JSON.stringify(body);
    const idempotent = request.idempotent ?? (route.method === 'GET' || route.method === 'PUT');
    const sent: TransportRequest = {
      method: route.method,
      url,
      repeatable: idempotent,
      headers: {
        accept: 'application/json',
        'user-agent': userAgent,
        ...(compression ? { 'accept-encoding': 'gzip' } : {}),
        ...(token && route.authentication !== 'public' ? { authorization: `Bearer ${token}` } : {}),
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
        ...request.headers,
      },
      ...(text === undefined ? {} : { body: text }),
      ...(signal ? { signal } : {}),
    };
    return withRetry(() => collect(sent, request.maxBytes ?? MAX_BYTES), {
      policy: request.retry ?? retry,
      idempotent,
      signal,
    }).catch((error: unknown) => {
      throw nameMissingLibrary(error, params, query);
    });
  }

  function storeRequest({ method = 'GET', url, headers, body, signal }: StoreRequest): TransportRequest {
    const both = joinSignals(options.signal, signal);
    return {
      method,
      url: resolve(url),
      repeatable: method !== 'PUT',
      headers: { 'user-agent': userAgent, ...headers },
      ...(body === undefined ? {} : { body }),
      ...(both ? { signal: both } : {}),
    };
  }

  async function put({ url, headers, body, size, signal }: PutRequest) {
    const sent = storableBody(body);
    try {
      const answer = await deliver(
        storeRequest({
          method: 'PUT',
          url,
          headers: { ...headers, 'content-length': String(size) },
          body: sent,
          ...(signal ? { signal } : {}),
        }),
        IGNORED,
      );
      return answer.headers;
    } finally {
      if (sent instanceof Readable) sent.destroy();
    }
  }

  function resolve(url: string): string {
    return new URL(url, `${baseUrl}/`).href;
  }

  async function callWithHeaders<R extends Callable>(
    route: R,
    request: CallRequest<R>,
  ): Promise<CallResponse<R>> {
    const answer = await exchange(route, request);
    const isEmpty = answer.status === 204 || route.success === 204;
    const body = isEmpty ? (null as ResponseOf<R>) : parseBody(route, answer, baseUrl);
    return { headers: answer.headers, body };
  }

  return {
    baseUrl,
    authenticated: token !== null,
    call: async (route, request) => (await callWithHeaders(route, request)).body,
    callWithHeaders,
    async raw(route, request) {
      const { ifNoneMatch } = request;
      const answer = await exchange(
        route,
        request,
        ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch },
      );
      // What is declared as JSON may be damaged, which its reader reports: a manifest has a hash.
      const isDeclared = /\bjson\b/.test(answer.headers['content-type'] ?? '');
      if (answer.status !== 304 && !isDeclared) parseBody(route, answer, baseUrl);
      return { ...answer, etag: answer.headers.etag ?? null };
    },
    resolve,
    put,
    download: async (request, limit) => (await collect(storeRequest(request), limit)).bytes,
    downloadTo: async (request, sink) => (await deliver(storeRequest(request), sink)).headers,
    close: () => transport.close(),
  };
}

const IGNORED: ResponseSink = { onHead() {}, onBytes() {} };

function storableBody(body: PutRequest['body']): Uint8Array | Readable {
  if (body instanceof Uint8Array || body instanceof Readable) return body;
  return Readable.from(body instanceof Blob ? body.stream() : body);
}

function minimumRateOption({ minTransferRate }: ClientOptions): { rate: number } | null | undefined {
  return typeof minTransferRate === 'number' ? { rate: minTransferRate } : minTransferRate;
}

/** Checks only what would fail far from here: that the body is JSON, and an object if one is promised. */
function parseBody<R extends Callable>(
  route: R,
  { headers, bytes }: WholeResponse,
  baseUrl: string,
): ResponseOf<R> {
  const { origin } = new URL(baseUrl);
  const problem = `${baseUrl} did not answer as a Bindery service (${route.method} ${route.path}).`;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as ResponseOf<R>;
  } catch {
    const type = headers['content-type'] ?? 'no content type';
    throw new UnexpectedResponseError(origin, `${problem} It sent ${type.slice(0, 80)}, not JSON.`);
  }
  throw new UnexpectedResponseError(origin, problem);
}

function joinSignals(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}
