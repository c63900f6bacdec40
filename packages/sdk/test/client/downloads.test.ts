import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { type Client, createClient, openTransport } from '../../src/index.ts';
import { temporaryFolder } from '../folder.ts';
import { type Handler, hangUp, json, serveInTurn } from './misbehaving-server.ts';

const CONTENT = randomBytes(3_000_000);

async function talkTo(...handlers: Handler[]) {
  const server = await serveInTurn(...handlers);
  return { client: clientOf(server.url, server.close), server };
}

/** Serves connections as told, byte by byte. */
async function serveConnections(onConnection: (socket: Socket, count: number) => void) {
  let count = 0;
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    onConnection(socket, ++count);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = clientOf(`http://127.0.0.1:${port}`, async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { client, connections: () => count };
}

function clientOf(baseUrl: string, closeServer: () => Promise<void>): Client {
  const transport = openTransport({ connectTimeout: 500 });
  const client = createClient({ baseUrl, transport });
  onTestFinished(async () => {
    await client.close();
    await closeServer();
  });
  return client;
}

async function read(client: Client, more: { signal?: AbortSignal; url?: string } = {}): Promise<Buffer> {
  const pieces: Buffer[] = [];
  await client.downloadTo(
    { url: '/storage/abc', ...more },
    { onHead() {}, onBytes: (bytes) => void pieces.push(Buffer.from(bytes)) },
  );
  return Buffer.concat(pieces);
}

const sendAll: Handler = (_, response) => response.end(CONTENT);
const inChunks: Handler = (_, response) => {
  response.writeHead(200);
  for (let at = 0; at < CONTENT.length; at += 70_001) response.write(CONTENT.subarray(at, at + 70_001));
  response.end();
};

test('successive downloads arrive complete over kept connections', async () => {
  const { client, server } = await talkTo(sendAll, inChunks, sendAll);
  for (let times = 0; times < 5; times++) expect((await read(client)).equals(CONTENT)).toBe(true);
  expect(new Set(server.requests.map(({ socket }) => socket.remotePort)).size).toBeLessThanOrEqual(2);
});

test('concurrent downloads do not mix up their bytes', async () => {
  const contents = Array.from({ length: 12 }, () => randomBytes(700_000));
  const { client } = await talkTo(({ url = '' }, response) => {
    response.end(contents[Number(url.split('/').at(-1))]);
  });
  const downloads = contents.map((_, at) => read(client, { url: `/storage/${at}` }));
  for (const [at, bytes] of (await Promise.all(downloads)).entries())
    expect(bytes.equals(contents[at] ?? Buffer.alloc(0))).toBe(true);
});

test('a download uses a new connection if the server closes the reused one', async () => {
  const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
  const { client, connections } = await serveConnections((socket, count) => {
    let requests = 0;
    socket.on('data', () => {
      requests++;
      if (count === 1 && requests === 2) socket.destroy();
      else socket.write(answer);
    });
  });
  expect(String(await read(client))).toBe('ok');
  expect(String(await read(client))).toBe('ok');
  expect(connections()).toBe(2);
});

test('a download whose connection closes without a response is asked for once more, then fails', async () => {
  const { client, server } = await talkTo(hangUp);
  await expect(read(client)).rejects.toMatchObject({ name: 'NetworkError' });
  expect(server.requests).toHaveLength(2);
});

test('a header line that no parser should have to think about is refused at once', async () => {
  const { client } = await serveConnections((socket) => {
    socket.once('data', () =>
      socket.write(
        `HTTP/1.1 200 OK\r\na:${' '.repeat(16_000)}\u{7f}\r\nContent-Length: 2\r\n\r\nok`,
        'latin1',
      ),
    );
  });
  await expect(read(client)).rejects.toThrow('does not match the HTTP/1.1 protocol');
});

test.each([
  ['nothing listens at the address', 'http://127.0.0.1:1', 'the connection was refused.'],
  ['the host does not exist', 'http://no-such-host.invalid', 'no-such-host.invalid'],
])('if %s, the download error says so', async (_, baseUrl, sentence) => {
  const client = clientOf(baseUrl, async () => {});
  await expect(read(client)).rejects.toThrow(sentence);
});

test('a response that is not HTTP is refused and its connection closed', async () => {
  let closed = false;
  const { client } = await serveConnections((socket) => {
    socket.resume().on('close', () => {
      closed = true;
    });
    socket.write('220 mail.example.org ESMTP\r\n');
  });
  await expect(read(client)).rejects.toThrow('does not match the HTTP/1.1 protocol');
  await expect.poll(() => closed).toBe(true);
});

test('a truncated response fails as a connection that was closed early', async () => {
  const { client } = await talkTo((_, response) => {
    response.writeHead(200, { 'content-length': 1_000 });
    response.write('x'.repeat(500), () => response.socket?.destroySoon());
  });
  await expect(read(client)).rejects.toThrow('the connection was closed early.');
});

test('an error response rejects with the status and code of the service, and the next download succeeds', async () => {
  const { client } = await talkTo(
    json(403, { error: 'url_expired', message: 'Ask for a new one.' }),
    sendAll,
  );
  await expect(read(client)).rejects.toMatchObject({ status: 403, code: 'url_expired' });
  expect((await read(client)).equals(CONTENT)).toBe(true);
});

test('an abort rejects a download with its own reason, before and during the response', async () => {
  const held: ServerResponse[] = [];
  const { client } = await talkTo(
    (_, response) => void held.push(response),
    (_, response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('x');
      held.push(response);
    },
  );
  for (const waiting of [1, 2]) {
    const controller = new AbortController();
    const download = read(client, { signal: controller.signal });
    await expect.poll(() => held.length).toBe(waiting);
    controller.abort(new Error('enough'));
    await expect(download).rejects.toThrow('enough');
  }
});

test('an error thrown by the reader closes the connection and rejects the download', async () => {
  let closed = false;
  const { client } = await talkTo((_, response) => {
    response.on('close', () => {
      closed = true;
    });
    response.writeHead(200, { 'content-length': 10 * CONTENT.length });
    response.write(CONTENT);
  });
  const sink = {
    onHead() {},
    onBytes() {
      throw new RangeError('too much');
    },
  };
  await expect(client.downloadTo({ url: '/storage/abc' }, sink)).rejects.toThrow(new RangeError('too much'));
  await expect.poll(() => closed).toBe(true);
});

test('a request header with a line break is refused before anything is sent', async () => {
  const { client, server } = await talkTo(sendAll);
  const headers = { 'if-range': '"a"\r\nx-more: 1' };
  await expect(
    client.downloadTo({ url: '/storage/abc', headers }, { onHead() {}, onBytes() {} }),
  ).rejects.toThrow('if-range');
  expect(server.requests).toHaveLength(0);
});

test('downloads over TLS arrive complete, but only from a server with a trusted certificate', async () => {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const made = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...made, ...subject], { stdio: 'pipe' });
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, sendAll);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = clientOf(`https://localhost:${(server.address() as AddressInfo).port}`, async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  await expect(read(client)).rejects.toThrow('NODE_EXTRA_CA_CERTS');
  const known = getCACertificates('default');
  setDefaultCACertificates([...known, readFileSync(cert, 'utf8')]);
  onTestFinished(() => setDefaultCACertificates(known));
  expect((await read(client)).equals(CONTENT)).toBe(true);
});
