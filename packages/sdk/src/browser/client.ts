import type { Callable, ResponseOf } from '@bindery/contract';
import type { CallRequest, CallResponse, LibraryClient } from '../client/call.ts';
import { ApiError, NetworkError, parseApiError, UnexpectedResponseError } from '../client/errors.ts';
import { NO_RETRY, type RetryPolicy, withRetry } from '../client/retry.ts';
import { buildUrl, parseServerAddress, type QueryValues } from '../client/server-urls.ts';

export interface BrowserClientOptions {
  /** The service's address, for example `location.origin`. */
  baseUrl: string;
  /**
   * Returns the bearer token for the next request, or null for an anonymous one. `refused` is the token that the
   * service has just rejected, if that is why another is requested, else null.
   */
  token?: (refused: string | null) => Promise<string | null>;
  retry?: RetryPolicy;
}

/** A client for browsers, using `fetch` without cookies. */
export function createBrowserClient(options: BrowserClientOptions): LibraryClient {
  const baseUrl = parseServerAddress(options.baseUrl);
  const { origin } = new URL(baseUrl);
  const { token = async () => null, retry = NO_RETRY } = options;

  async function send<R extends Callable>(route: R, request: CallRequest<R>, bearer: string | null) {
    const { params, query, body } = request as {
      params?: Record<string, string>;
      query?: QueryValues;
      body?: unknown;
    };
    const hasBody = body !== undefined && body !== null;
    const response = await fetchWhole(
      buildUrl(baseUrl, route.path, params, query),
      {
        method: route.method,
        credentials: 'omit',
        headers: {
          accept: 'application/json',
          ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
          ...(hasBody && { 'content-type': 'application/json' }),
          ...request.headers,
        },
        ...(hasBody && { body: JSON.stringify(body) }),
        signal: request.signal ?? null,
      },
      origin,
    );
    if (!response.ok) throw failureOf(response, origin);
    return response;
  }

  /** Sends a request with the current token, once more if that token is rejected, and retries as the policy says. */
  async function exchange<R extends Callable, T>(
    route: R,
    request: CallRequest<R>,
    read: (response: WholeResponse) => T,
  ): Promise<T> {
    const asks = route.authentication !== 'public';
    const idempotent = request.idempotent ?? (route.method === 'GET' || route.method === 'PUT');
    return withRetry(
      async () => {
        const bearer = asks ? await token(null) : null;
        try {
          return read(await send(route, request, bearer));
        } catch (error) {
          if (!asks || bearer === null || !isTokenRejected(error)) throw error;
          return read(await send(route, request, await token(bearer)));
        }
      },
      { policy: request.retry ?? retry, idempotent, signal: request.signal },
    );
  }

  function callWithHeaders<R extends Callable>(route: R, request: CallRequest<R>): Promise<CallResponse<R>> {
    return exchange(route, request, (response) => readAnswer(route, response, origin));
  }

  /** One exchange with the object store; its presigned URLs need no token. */
  async function sendToStore(url: string, init: RequestInit): Promise<WholeResponse> {
    const target = new URL(url, `${baseUrl}/`);
    const response = await fetchWhole(target.href, { credentials: 'omit', ...init }, target.origin);
    if (!response.ok) throw failureOf(response, target.origin);
    return response;
  }

  return {
    baseUrl,
    callWithHeaders,
    raw: (route, request) =>
      exchange(route, request, ({ bytes, headers }) => ({ bytes, etag: headers.etag ?? null })),
    async download({ url, signal }, limit) {
      const { bytes } = await sendToStore(url, { signal: signal ?? null });
      if (bytes.byteLength <= limit) return bytes;
      throw new UnexpectedResponseError(origin, `The answer of ${origin} is over ${limit} bytes.`);
    },
    async put({ url, headers = {}, body, signal }) {
      if (!(body instanceof Blob) && !(body instanceof Uint8Array)) throw new TypeError(NO_STREAMS);
      const sent = body as Blob | Uint8Array<ArrayBuffer>;
      try {
        const answer = await sendToStore(url, { method: 'PUT', headers, body: sent, signal: signal ?? null });
        return answer.headers;
      } catch (error) {
        if (error instanceof NetworkError) await requireReadable(sent);
        throw error;
      }
    },
    call: async (route, request) => (await callWithHeaders(route, request)).body,
  };
}

interface WholeResponse {
  ok: boolean;
  status: number;
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>;
  bytes: Uint8Array;
}

const NO_STREAMS = 'Browsers send bytes and files; streams only some of them, over some connections.';

function failureOf({ status, headers, bytes }: WholeResponse, origin: string): ApiError {
  return parseApiError({ status, headers, text: new TextDecoder().decode(bytes), origin });
}

/** `fetch` reports a file that has changed since it was picked as a network failure; reading it tells the two apart. */
async function requireReadable(body: Blob | Uint8Array): Promise<void> {
  if (body instanceof Blob) await body.slice(0, 1).arrayBuffer();
}

function isTokenRejected(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'invalid_token';
}

/** Like `fetch`, with the whole body. Throws `NetworkError` without a response, and the reason of an abort. */
async function fetchWhole(url: string, init: RequestInit, origin: string): Promise<WholeResponse> {
  try {
    const response = await fetch(url, init);
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { ok: response.ok, status: response.status, headers: Object.fromEntries(response.headers), bytes };
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason;
    throw new NetworkError(origin, `${origin} cannot be reached.`, { reason: null, cause: error });
  }
}

function readAnswer<R extends Callable>(
  route: R,
  { status, headers, bytes }: WholeResponse,
  origin: string,
): CallResponse<R> {
  if (status === 204) return { headers, body: null as ResponseOf<R> };
  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof body === 'object' && body !== null) return { headers, body: body as ResponseOf<R> };
  } catch {
    // Reported below, like JSON that is not an object.
  }
  throw new UnexpectedResponseError(
    origin,
    `${origin} did not answer as a Bindery service (${route.method} ${route.path}).`,
  );
}
