import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An HTTP server that answers one request after the other as its handlers say, the last one for all that follow. */
export async function serveInTurn(...handlers: Handler[]): Promise<{
  url: string;
  requests: IncomingMessage[];
  connectionCount(): number;
  close(): Promise<void>;
}> {
  let connections = 0;
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const handler = handlers[Math.min(requests.length, handlers.length - 1)];
    requests.push(request);
    handler?.(request, response);
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    connectionCount: () => connections,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Handler {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Breaks the connection without an answer. */
export const hangUp: Handler = (request) => {
  request.socket.destroy();
};
