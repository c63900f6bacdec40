import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy before a service that holds back requests whose path matches, until it is opened or they are abandoned. */
export async function startGate(service: string, held: RegExp) {
  const arrived = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  /** Methods and paths; `abandoned` when a request that is held back is cut off. */
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const { url = '', method = 'GET' } = request;
    asked.push(`${method} ${url}`);
    const body = method === 'GET' ? null : Buffer.concat(await Array.fromAsync(request));
    if (held.test(url)) {
      arrived.resolve();
      response.once('close', () => !response.writableEnded && asked.push('abandoned'));
      await opened.promise;
    }
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const answer = await fetch(service + url, {
      method,
      headers: { authorization, 'content-type': type },
      body,
    });
    const headers = { 'content-type': answer.headers.get('content-type') ?? '' };
    response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    arrived: arrived.promise,
    open: opened.resolve,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
