import type { Dispatcher } from 'undici';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface UndiciTransportOptions {
  /** Connections to one server at a time. */
  connections?: number;
  /** Milliseconds until a connection must stand. */
  connectTimeout?: number;
}

const DEFAULT_TIMEOUT = { head: 60_000, body: 60_000 };

/**
 * Keep-alive HTTP that honours `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` in either letter case; further certificate
 * authorities come from `NODE_EXTRA_CA_CERTS`, which Node reads itself. undici is loaded by the first request.
 */
export function openTransport(options: UndiciTransportOptions = {}): Transport {
  let dispatcher: Promise<Dispatcher> | undefined;
  const { connections = 32, connectTimeout = 10_000 } = options;

  async function connect(): Promise<Dispatcher> {
    const { EnvHttpProxyAgent } = await import('undici');
    return new EnvHttpProxyAgent({
      connections,
      connect: { timeout: connectTimeout },
      keepAliveTimeout: 30_000,
      pipelining: 1,
    });
  }

  return {
    async send(request: TransportRequest): Promise<TransportResponse> {
      dispatcher ??= connect();
      const { request: send } = await import('undici');
      const timeout = request.timeout ?? DEFAULT_TIMEOUT;
      const { statusCode, headers, body } = await send(request.url, {
        dispatcher: await dispatcher,
        method: request.method as Dispatcher.HttpMethod,
        headers: request.headers,
        body: request.body ?? null,
        signal: request.signal ?? null,
        headersTimeout: timeout.head,
        bodyTimeout: timeout.body,
      });
      return {
        status: statusCode,
        headers: singleValues(headers),
        body,
      };
    },
    async close() {
      await (await dispatcher)?.destroy();
    },
  };
}

function singleValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const single: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) single[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return single;
}
