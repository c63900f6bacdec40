import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stopListening, trackConnections } from '../../src/http/listen.ts';

/** Longer than any test may take: whoever waits for it fails. */
const NEVER = 3_600_000;

let app: FastifyInstance;
let held: PromiseWithResolvers<ServerResponse>;
const sockets: Socket[] = [];

beforeEach(async () => {
  held = Promise.withResolvers();
  app = fastify({
    forceCloseConnections: 'idle',
    serverFactory: (handler): Server => {
      const server = createServer((request, response) => {
        if (request.url === '/held') held.resolve(response);
        else handler(request, response);
      });
      trackConnections(server);
      return server;
    },
  }) as unknown as FastifyInstance;
  app.get('/', async () => 'answered');
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function open(sent: string): Promise<Socket> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  const accepted = once(app.server, 'connection');
  await Promise.all([once(socket, 'connect'), accepted]);
  if (sent !== '') socket.write(sent);
  return socket;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`;

test('shutdown does not wait for a connection that sent no request', async () => {
  await open('');
  await stopListening(app, NEVER);
}, 60_000);

test('shutdown does not wait for an idle connection that is kept open after its response', async () => {
  const socket = await open(get('/'));
  await once(socket, 'data');
  await stopListening(app, NEVER);
}, 60_000);

test('shutdown lets a running request finish, and then does not wait for its connection to close', async () => {
  const socket = await open(get('/held'));
  const response = await held.promise;
  const stopped = stopListening(app, NEVER);
  response.end('finished');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain('finished');
  await stopped;
}, 60_000);

test('shutdown cuts off a request that takes too long', async () => {
  await open(get('/held'));
  await held.promise;
  await stopListening(app, 50);
});
