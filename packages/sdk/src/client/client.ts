import type { Readable } from 'node:stream';
import type { ResponseOf, Route } from '@bindery/contract';
import { buildUrl, isLoopback, parseServerAddress, type QueryValues } from './address.ts';
import { nameFailure, readBytes, refuseFailure } from './answers.ts';
import type { AnswerOf, Caller, CallRequest } from './call.ts';
import { DeliveredAnswer } from './delivered-answer.ts';
import { UnexpectedAnswerError } from './errors.ts';
import { openTransport } from './open-transport.ts';
import { DEFAULT_RETRY, type RetryPolicy, withRetry } from './retry.ts';
import type { AnswerSink, Transport, TransportResponse } from './transport.ts';

export interface ClientOptions {
  /** The service's address, for example `https://bindery.example.org`. */
  baseUrl: string;
  /** Bearer token; without one, requests are anonymous. */
  token?: string | null | undefined;
  userAgent?: string;
  /** Ends every request of this client. */
  signal?: AbortSignal;
  retry?: RetryPolicy;
  /** Whether answers may come compressed; by default from other machines, where packing costs less than sending. */
  compression?: boolean;
  /** Bytes a second that transfers move at least, on average; null: however slow they are. */
  minTransferRate?: number | null | undefined;
  transport?: Transport;
}

/** An answer as it came. `status` is 304, with an empty body, only where `ifNoneMatch` was given. */
export interface RawAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  etag: string | null;
  bytes: Buffer;
}

export interface OpenRequest {
  method?: string;
  /** Absolute, or relative to the service's address, as presigned addresses may be. */
  url: string;
  headers?: Record<string, string>;
  body?: Uint8Array | string | Readable;
  signal?: AbortSignal;
}

export interface Client extends Caller {
  readonly baseUrl: string;
  readonly authenticated: boolean;
  /** Calls a route and answers the body's bytes untouched. */
  raw<R extends Route>(route: R, request: CallRequest<R> & { ifNoneMatch?: string }): Promise<RawAnswer>;
  /** Makes an address that the service gave out absolute. */
  resolve(url: string): string;
  /**
   * One exchange with an address that the service gave out (presigned), sent once and without the token. The body must
   * be read or dumped. Throws `ApiError` for a status of 400 or more.
   */
  open(request: OpenRequest): Promise<TransportResponse>;
  /**
   * The same exchange for many files: the bytes of a success go to the sink as they arrive. Resolves to the headers when
   * all is there. The sink may throw to end it, and its error is passed on.
   */
  deliver(request: OpenRequest, sink: AnswerSink): Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
}

const MAX_BYTES = 256 * 1024 * 1024;

export function createClient(options: ClientOptions): Client {
  const baseUrl = parseServerAddress(options.baseUrl);
  const origin = new URL(baseUrl).origin;
  const { token = null, userAgent = 'bindery-sdk', retry = DEFAULT_RETRY } = options;
  const transport = options.transport ?? openTransport({ leastRate: leastRate(options) });
  const compression = options.compression ?? !isLoopback(new URL(baseUrl));

  async function exchange<R extends Route, T>(
    route: R,
    request: CallRequest<R>,
    headers: Record<string, string>,
    read: (response: TransportResponse) => Promise<T>,
  ): Promise<T> {
    const { params, query, body } = request as {
      params?: Record<string, string>;
      query?: QueryValues;
      body?: unknown;
    };
    const url = buildUrl(baseUrl, route.path, params, query);
    const signal = joinSignals(options.signal, request.signal);
    const text = body === undefined || body === null ? undefined : JSON.stringify(body);
    const idempotent = request.idempotent ?? (route.method === 'GET' || route.method === 'PUT');
    return withRetry(
      async () => {
        try {
          const response = await transport.send({
            method: route.method,
            url,
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
          });
          await refuseFailure(response, origin);
          return await read(response);
        } catch (error) {
          throw nameFailure(error, origin, signal);
        }
      },
      { policy: request.retry ?? retry, idempotent, signal },
    );
  }

  function callWithHeaders<R extends Route>(route: R, request: CallRequest<R>): Promise<AnswerOf<R>> {
    return exchange(route, request, {}, async (response) => {
      const { status, headers } = response;
      const bytes = await readBytes(response, request.maxBytes ?? MAX_BYTES, origin);
      const isEmpty = status === 204 || route.success === 204;
      return { headers, body: isEmpty ? (null as ResponseOf<R>) : parseBody(route, response, bytes, origin) };
    });
  }

  return {
    baseUrl,
    authenticated: token !== null,
    call: async (route, request) => (await callWithHeaders(route, request)).body,
    callWithHeaders,
    raw: (route, request) => {
      const condition: Record<string, string> =
        request.ifNoneMatch === undefined ? {} : { 'if-none-match': request.ifNoneMatch };
      return exchange(route, request, condition, async (response) => ({
        status: response.status,
        headers: response.headers,
        etag: response.headers.etag ?? null,
        bytes: await readBytes(response, request.maxBytes ?? MAX_BYTES, origin),
      }));
    },
    resolve: (url) => new URL(url, `${baseUrl}/`).href,
    async open({ method = 'GET', url, headers = {}, body, signal }) {
      const target = new URL(url, `${baseUrl}/`);
      const both = joinSignals(options.signal, signal);
      try {
        const response = await transport.send({
          method,
          url: target.href,
          headers: { 'user-agent': userAgent, ...headers },
          ...(body === undefined ? {} : { body }),
          ...(both ? { signal: both } : {}),
        });
        await refuseFailure(response, target.origin);
        return response;
      } catch (error) {
        throw nameFailure(error, target.origin, both);
      }
    },
    async deliver({ method = 'GET', url, headers = {}, body, signal = options.signal }, sink) {
      const target = new URL(url, `${baseUrl}/`);
      const answer = new DeliveredAnswer(sink);
      try {
        await transport.deliver(
          {
            method,
            url: target.href,
            headers: { 'user-agent': userAgent, ...headers },
            ...(body === undefined ? {} : { body }),
            ...(signal ? { signal } : {}),
          },
          answer,
        );
        await answer.refuseFailure(target.origin);
        return answer.headers;
      } catch (error) {
        throw answer.sinkError ?? nameFailure(error, target.origin, signal);
      }
    },
    close: () => transport.close(),
  };
}

function leastRate({ minTransferRate }: ClientOptions): { rate: number } | null | undefined {
  return typeof minTransferRate === 'number' ? { rate: minTransferRate } : minTransferRate;
}

/** Trusts the service's shapes but for what would break far from here: JSON, and an object where one is promised. */
function parseBody<R extends Route>(
  route: R,
  response: TransportResponse,
  bytes: Buffer,
  origin: string,
): ResponseOf<R> {
  const problem = `${origin} does not answer like a Bindery service (${route.method} ${route.path}).`;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as ResponseOf<R>;
  } catch {
    const type = response.headers['content-type'] ?? 'no content type';
    throw new UnexpectedAnswerError(origin, `${problem} It sent ${type.slice(0, 80)}, not JSON.`);
  }
  throw new UnexpectedAnswerError(origin, problem);
}

function joinSignals(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}
