import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What becomes of a request in place of an answer of the store. */
export type Fault =
  /** The store refuses it, with an error as S3 has them. */
  | { kind: 'answer'; status: number; code: string }
  /** The connection breaks before anything comes back. */
  | { kind: 'reset' }
  /** The store does it, and the connection breaks in the middle of the answer. */
  | { kind: 'truncate' }
  /** The store is asked once this resolves. */
  | { kind: 'hold'; until: Promise<unknown> };

export interface FaultyProxy {
  endpoint: string;
  /** What becomes of a request; null lets it through. */
  fault: (request: IncomingMessage) => Fault | null;
  close(): Promise<void>;
}

/** Stands between the service and a store, and lets requests fail. */
export async function startFaultyProxy(store: string): Promise<FaultyProxy> {
  const upstream = new URL(store);
  const server = createServer((incoming, response) => {
    answer(proxy, upstream, incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: FaultyProxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: () => null,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

async function answer(
  proxy: FaultyProxy,
  upstream: URL,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const fault = proxy.fault(incoming);
  if (fault?.kind === 'reset') return void incoming.socket.destroy();
  if (fault?.kind === 'answer') {
    incoming.resume();
    response.writeHead(fault.status, { 'content-type': 'application/xml' });
    response.end(
      incoming.method === 'HEAD'
        ? undefined
        : `<?xml version="1.0"?><Error><Code>${fault.code}</Code><Message>as asked</Message></Error>`,
    );
    return;
  }
  if (fault?.kind === 'hold') await fault.until;
  // The signature covers the name of the host, so it stays.
  const { method, url, headers } = incoming;
  const outgoing = request({ host: upstream.hostname, port: upstream.port, method, path: url, headers });
  incoming.pipe(outgoing);
  outgoing.on('error', () => response.destroy());
  outgoing.on('response', (answered) => {
    response.writeHead(answered.statusCode ?? 502, answered.headers);
    if (fault?.kind !== 'truncate') return void answered.pipe(response);
    answered.once('end', () => response.destroy());
    answered.once('data', (chunk: Buffer) => {
      response.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => response.destroy());
      answered.destroy();
    });
  });
}
