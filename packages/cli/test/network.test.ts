import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { createTerminalUser, type TerminalUser } from './command-line.ts';

let service: TestService;
let ada: TerminalUser;
const servers: Server[] = [];
beforeEach(async () => {
  service = await startService();
  ada = await createTerminalUser(service.url);
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  await ada.dispose();
  await service.close();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

test.each([
  ['search', 'mug'],
  ['library', 'search', 'mug', '--library', 'ada/mugs', '--library', 'ada/cups'],
  ['library', 'list', '--all'],
  ['library', 'info', 'ada/mugs'],
])('a page in place of an answer is an error that names the address: %s %s', async (...words) => {
  const portal = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome to this network</html>');
  });
  const url = `http://127.0.0.1:${await listen(portal)}/here`;
  const { code, stdout, stderr } = await ada.run(...words, '--json', '--api-url', url);
  expect([code, stdout]).toEqual([3, '']);
  expect(JSON.parse(stderr)).toMatchObject({
    error: 'unexpected_answer',
    message: expect.stringContaining(`${url} did not answer as a Bindery service`),
  });
});

test('a library or release that is missing is named, also by commands that read several', async () => {
  const bob = await service.member('bob');
  await publish(bob, 'bob/mugs', {
    assets: [{ id: 'mug', files: { 'mug.obj': 'v' } }],
    visibility: 'public',
  });
  const message = async (...words: string[]) => {
    const { code, stderr } = await ada.run(...words, '--json');
    expect(code).toBe(5);
    return (JSON.parse(stderr) as { message: string }).message;
  };
  expect(await message('library', 'diff', 'bob/mugs', 'bob/cups')).toContain('no library bob/cups');
  expect(await message('library', 'diff', 'bob/mugs@v1', 'bob/mugs')).toContain('no release bob/mugs@v1');
  expect(await message('library', 'diff', 'bob/mugs#7')).toContain('no revision bob/mugs#7');
  writeFileSync(join(ada.home, 'assets.yml'), 'assets: [bob/mugs/mug, bob/plates/plate]\n');
  expect(await message('sync')).toContain('no library bob/plates');
});

test('requests go through HTTP_PROXY, except to hosts in NO_PROXY', async () => {
  const asked: string[] = [];
  const proxy = createServer(async ({ url = '' }, response) => {
    asked.push(url);
    const answer = await fetch(service.url + new URL(url).pathname);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  const behind = ada.with({ HTTP_PROXY: `http://127.0.0.1:${await listen(proxy)}` });

  const through = await behind.run('library', 'list', '--all', '--api-url', 'http://bindery.test');
  expect(through).toMatchObject({ code: 0 });
  expect(asked).toEqual([expect.stringMatching(/^http:\/\/bindery\.test\/libraries/)]);
  expect((await behind.with({ NO_PROXY: '127.0.0.1' }).run('library', 'list', '--all')).code).toBe(0);
  expect(asked).toHaveLength(1);
});

test('ALL_PROXY is used where no other proxy is set, except for addresses in a range of NO_PROXY', async () => {
  const asked: string[] = [];
  const proxy = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.writeHead(502).end();
  });
  const behind = ada.with({
    ALL_PROXY: `http://127.0.0.1:${await listen(proxy)}`,
    NO_PROXY: '10.0.0.0/8,127.0.0.0/8',
  });
  expect((await behind.run('library', 'list', '--all')).code).toBe(0);
  expect(asked).toEqual([]);
  await behind.run('library', 'list', '--all', '--api-url', 'http://bindery.test');
  expect(asked[0]).toMatch(/^http:\/\/bindery\.test\/libraries/);
});

test('a proxy that cannot be reached is named, not the server behind it', async () => {
  const behind = ada.with({ HTTP_PROXY: 'http://127.0.0.1:1' });
  const { code, stderr } = await behind.run('library', 'list', '--all', '--api-url', 'http://bindery.test');
  expect(code).toBe(3);
  expect(stderr).toContain('could not connect to the proxy http://127.0.0.1:1 (ECONNREFUSED)');
  expect(stderr).not.toContain('Check the address');
});

test.each([403, 404, 413])('an answer of a proxy is told as one, also with status %i', async (status) => {
  const proxy = createServer((_, response) =>
    response.writeHead(status, { server: 'squid/6.1', 'content-type': 'text/html' }).end('<html>No.</html>'),
  );
  const url = `http://127.0.0.1:${await listen(proxy)}`;
  const { code, stderr } = await ada.run('library', 'info', 'ada/mugs', '--api-url', url);
  expect(code).toBe(3);
  expect(stderr).toContain(
    `responded with status ${status} (text/html from squid/6.1), but not as a Bindery`,
  );
  expect(stderr).toContain('a proxy on the way may have refused the request');
});

test('an address for transfers that cannot be reached is told as the one that the service gave out', async () => {
  const bob = await service.member('bob');
  await publish(bob, 'bob/mugs', {
    assets: [{ id: 'mug', files: { 'mug.obj': 'v' } }],
    visibility: 'public',
  });
  const unreachable = 'http://127.0.0.1:1';
  const misconfigured = createServer(async (request, response) => {
    const body = await new Response(Readable.toWeb(request) as ReadableStream).text();
    const { method = 'GET', url } = request;
    const answer = await fetch(service.url + url, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== '' && { body }),
    });
    const text = (await answer.text()).replaceAll(service.url, unreachable);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  const url = `http://127.0.0.1:${await listen(misconfigured)}`;
  const { code, stderr } = await ada.run('library', 'pull', 'bob/mugs', '-o', 'mugs', '--api-url', url);
  expect(code).toBe(3);
  expect(stderr).toContain(`The service at ${url} gave out ${unreachable} as the address for transfers`);
});

test('a proxy without a scheme is used over http, as curl does', async () => {
  const proxy = createServer((_, response) => response.writeHead(407).end());
  const behind = ada.with({ HTTP_PROXY: `127.0.0.1:${await listen(proxy)}` });
  const { code, stderr } = await behind.run('library', 'list', '--all', '--api-url', 'http://bindery.test');
  expect([code, stderr]).toEqual([3, expect.stringContaining('407')]);
});

test.each(['http://', 'ftp://proxy.example', 'ada:secret@:80', 'proxy.example:port'])(
  'HTTPS_PROXY=%s is reported by its name, without a password in it',
  async (setting) => {
    const { code, stderr } = await ada
      .with({ HTTPS_PROXY: setting })
      .run('library', 'list', '--all', '--json');
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ message: expect.stringMatching(/^HTTPS_PROXY: it must be/) });
    expect(stderr).not.toContain('secret');
  },
);

test('a self-signed certificate is rejected unless NODE_EXTRA_CA_CERTS or SSL_CERT_FILE names it', async () => {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(ada.home, name)) as [string, string];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const made = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...made, ...subject], { stdio: 'pipe' });
  const secure = createTlsServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    async (request, response) => {
      const answer = await fetch(service.url + request.url);
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    },
  );
  const url = `https://localhost:${await listen(secure)}`;

  const refused = await ada.run('library', 'list', '--all', '--api-url', url);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain('NODE_EXTRA_CA_CERTS');
  for (const variable of ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE']) {
    const trusting = ada.with({ [variable]: cert });
    expect((await trusting.run('library', 'list', '--all', '--api-url', url)).code).toBe(0);
  }
});
