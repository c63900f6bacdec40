import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
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

test('a self-signed certificate is rejected unless NODE_EXTRA_CA_CERTS names it', async () => {
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
  const trusting = ada.with({ NODE_EXTRA_CA_CERTS: cert });
  expect((await trusting.run('library', 'list', '--all', '--api-url', url)).code).toBe(0);
});
