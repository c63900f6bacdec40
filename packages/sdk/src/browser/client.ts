import type { Callable, ResponseOf } from '@bindery/contract';
import { buildUrl, parseServerAddress, type QueryValues } from '../client/address.ts';
import { apiErrorOf } from '../client/api-error.ts';
import type { AnswerOf, Caller, CallRequest } from '../client/call.ts';
import { ApiError, NetworkError, UnexpectedAnswerError } from '../client/errors.ts';
import { NO_RETRY, type RetryPolicy, withRetry } from '../client/retry.ts';

export interface BrowserClientOptions {
  /** The service's address, for example `location.origin`. */
  baseUrl: string;
  /**
   * The bearer token for the next request, or null to ask as nobody. `refused` is the one that the service has just
   * refused, where that is why it is asked: another may be good.
   */
  token?: (refused: string | null) => Promise<string | null>;
  retry?: RetryPolicy;
}

/** Calls a service from a browser, over fetch and without cookies. */
export interface BrowserClient extends Caller {
  readonly baseUrl: string;
}

export function createBrowserClient(options: BrowserClientOptions): BrowserClient {
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
    const response = await fetchNamed(
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
    return readAnswer(route, response, origin);
  }

  async function callWithHeaders<R extends Callable>(
    route: R,
    request: CallRequest<R>,
  ): Promise<AnswerOf<R>> {
    const asks = route.authentication !== 'public';
    const idempotent = request.idempotent ?? (route.method === 'GET' || route.method === 'PUT');
    return withRetry(
      async () => {
        const bearer = asks ? await token(null) : null;
        try {
          return await send(route, request, bearer);
        } catch (error) {
          if (!asks || bearer === null || !isRefusedToken(error)) throw error;
          return send(route, request, await token(bearer));
        }
      },
      { policy: request.retry ?? retry, idempotent, signal: request.signal },
    );
  }

  return {
    baseUrl,
    callWithHeaders,
    call: async (route, request) => (await callWithHeaders(route, request)).body,
  };
}

function isRefusedToken(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'invalid_token';
}

/** As `fetch`, failing with a `NetworkError` where no answer came. An abort is passed on as it is. */
async function fetchNamed(url: string, init: RequestInit, origin: string): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason;
    throw new NetworkError(origin, `${origin} cannot be reached.`, { reason: null, cause: error });
  }
}

async function readAnswer<R extends Callable>(
  route: R,
  response: Response,
  origin: string,
): Promise<AnswerOf<R>> {
  const headers = Object.fromEntries(response.headers);
  const text = await response.text();
  if (!response.ok) throw apiErrorOf({ status: response.status, headers, text, origin });
  if (response.status === 204) return { headers, body: null as ResponseOf<R> };
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return { headers, body: body as ResponseOf<R> };
  } catch {
    // Said below, as for JSON that is no object.
  }
  throw new UnexpectedAnswerError(
    origin,
    `${origin} does not answer like a Bindery service (${route.method} ${route.path}).`,
  );
}
