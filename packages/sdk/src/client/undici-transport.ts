import type { Dispatcher } from 'undici';
import type { AnswerSink, Transport, TransportRequest, TransportResponse } from './transport.ts';

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
    async deliver(request, sink) {
      dispatcher ??= connect();
      await dispatchTo(await dispatcher, request, sink);
    },
    async close() {
      await (await dispatcher)?.destroy();
    },
  };
}

function dispatchTo(dispatcher: Dispatcher, request: TransportRequest, sink: AnswerSink): Promise<void> {
  const { origin, pathname, search } = new URL(request.url);
  const { signal, timeout = DEFAULT_TIMEOUT } = request;
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
        body: request.body ?? null,
        headersTimeout: timeout.head,
        bodyTimeout: timeout.body,
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

function singleValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const single: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) single[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return single;
}
