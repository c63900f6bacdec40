import { once } from 'node:events';
import { rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '../test/free-port.ts';
import { bindery, type RunningService, serve, temporaryFolder } from './bindery.ts';

const running: RunningService[] = [];
async function serveHere(...options: Parameters<typeof serve>): Promise<RunningService> {
  const service = await serve(...options);
  running.push(service);
  return service;
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.dispose()));
});

/** The head of a request with a body of two bytes; the server confirms that it is waiting for them. */
const UNFINISHED = [
  'POST /api/device/poll HTTP/1.1',
  'Host: x',
  'Content-Type: application/json',
  'Content-Length: 2',
  'Expect: 100-continue',
  '\r\n',
].join('\r\n');

describe('starting', () => {
  test('prints one line on stdout when ready, and the set-up link on stderr', async () => {
    const service = await serveHere();
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await service.end();
    const { stdout, stderr } = service.output();
    expect(stdout).toBe(`listening on ${service.url}\n`);
    expect(stderr).toContain(`${service.url}/setup?token=`);
  });

  test('creates a private data folder, and keeps accounts across a restart', async () => {
    const first = await serveHere();
    expect((await stat(first.dataDir)).mode & 0o777).toBe(0o700);
    const made = await bindery(
      [
        'admin',
        'create-user',
        'ada',
        '--email',
        'ada@example.org',
        '--password-stdin',
        '--data-dir',
        first.dataDir,
      ],
      { input: 'correct horse battery\n' },
    );
    expect(made.exitCode).toBe(0);
    await first.end();
    const second = await serveHere({ dataDir: first.dataDir });
    expect(second.output().stderr).not.toContain('/setup');
    const token = await bindery(['admin', 'create-token', 'ada', '--json', '--data-dir', first.dataDir]);
    const { token: secret } = JSON.parse(token.stdout) as { token: string };
    const profile = await fetch(`${second.url}/api/auth/profile`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(await profile.json()).toMatchObject({ user: { userName: 'ada' } });
  });
});

describe('an operator cuts off an account while the service runs', () => {
  async function servedAccount() {
    const { url, dataDir } = await serveHere();
    const admin = (...words: string[]) =>
      bindery(['admin', ...words, '--data-dir', dataDir], { input: 'correct horse battery\n' });
    await admin('create-user', 'ada', '--email', 'ada@example.org', '--password-stdin');
    const { stdout } = await admin('create-token', 'ada', '--name', 'night build');
    const headers = { authorization: `Bearer ${stdout.trim()}` };
    const status = async () => (await fetch(`${url}/api/auth/profile`, { headers })).status;
    return { admin, status };
  }

  test('by ending its logins, which lists them first and requires --yes', async () => {
    const { admin, status } = await servedAccount();
    const unasked = await admin('end-logins', 'ada');
    expect([unasked.exitCode, unasked.stdout]).toEqual([2, '']);
    expect(unasked.stderr).toContain('Personal access token "night build" (write)');
    expect(unasked.stderr).toContain('--yes');
    expect(await status()).toBe(200);
    const { stdout } = await admin('end-logins', 'ada', '--yes');
    expect(stdout).toBe('Ended: 0 signed-in browsers, 0 device logins, 1 personal access token.\n');
    expect(await status()).toBe(401);
  });

  test('by disabling it; setting a new password lists its logins and requires --yes', async () => {
    const { admin, status } = await servedAccount();
    const unasked = await admin('set-password', 'ada', '--password-stdin');
    expect([unasked.exitCode, unasked.stdout]).toEqual([2, '']);
    expect(unasked.stderr).toContain('Personal access token "night build" (write)');
    await admin('disable-user', 'ada');
    expect(await status()).toBe(401);
    await admin('enable-user', 'ada');
    expect(await status()).toBe(200);
  });
});

describe('obstacles to starting', () => {
  async function failing({ port = '0', env = {} }: { port?: string; env?: Record<string, string> }) {
    const dataDir = await temporaryFolder();
    try {
      return await bindery(['serve', '--port', port, '--data-dir', dataDir], { env });
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  }

  test('a second server on the same data folder is refused', async () => {
    const { dataDir } = await serveHere();
    const second = await bindery(['serve', '--port', '0', '--data-dir', dataDir]);
    expect(second.exitCode).toBe(3);
    expect(second.stderr).toContain('Another Bindery is already using the data folder');
    expect(second.stdout).toBe('');
  });

  test('a killed server does not leave the data folder locked', async () => {
    const first = await serveHere();
    await first.end('SIGKILL');
    const second = await serveHere({ dataDir: first.dataDir });
    expect((await fetch(`${second.url}/healthz`)).status).toBe(200);
  });

  test('a port in use is reported, with the option to choose another', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { exitCode, stderr } = await failing({ port: String(port) });
    other.close();
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`Port ${port} of 127.0.0.1 is in use.`);
    expect(stderr).toContain('--port');
  });

  test('a data folder that is a file is reported, with the option to choose another', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'file'), '');
    const { exitCode, stderr } = await bindery(['serve', '--port', '0', '--data-dir', join(folder, 'file')]);
    await rm(folder, { recursive: true });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('cannot be written');
    expect(stderr).toContain('--data-dir');
  });

  test('a data folder where nobody can make one is reported, with the option to choose another', async () => {
    const { exitCode, stderr } = await bindery(['serve', '--port', '0', '--data-dir', '/proc/bindery']);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('The data folder /proc/bindery cannot be written');
    expect(stderr).toContain('--data-dir');
  });

  test('a database file that is not a database is reported as damaged', async () => {
    const folder = await temporaryFolder();
    await writeFile(
      join(folder, 'bindery.db'),
      'this is no database, and long enough to be looked at '.repeat(20),
    );
    const { exitCode, stderr } = await bindery(['serve', '--port', '0', '--data-dir', folder]);
    await rm(folder, { recursive: true });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('bindery.db is damaged (file is not a database)');
  });

  test('an unreachable PostgreSQL is reported without its password', async () => {
    const { exitCode, stderr } = await failing({
      env: { BINDERY_DATABASE_URL: 'postgres://ada:SECRET@127.0.0.1:1/bindery' },
    });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('The PostgreSQL database at 127.0.0.1:1 cannot be used');
    expect(stderr).not.toContain('SECRET');
  });

  test('an invalid setting is reported by name', async () => {
    const { exitCode, stderr } = await failing({ env: { BINDERY_LOG_LEVEL: 'loud' } });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('BINDERY_LOG_LEVEL: it must be ');
  });
});

describe('stopping', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('on %s exits with code 0', async (signal) => {
    const service = await serveHere();
    expect(await service.end(signal)).toBe(0);
  });

  test('lets a running request finish, and accepts no new connections', async () => {
    const service = await serveHere();
    const { hostname, port } = new URL(service.url);
    const slow = connect(Number(port), hostname);
    let answer = '';
    slow.on('data', (chunk) => {
      answer += chunk;
    });
    slow.write(`${UNFINISHED}{`);
    await expect.poll(() => answer).toContain('100 Continue');
    const ended = service.end('SIGTERM');
    await expect.poll(() => fetch(`${service.url}/healthz`).catch(() => 'refused')).toBe('refused');
    slow.write('}');
    await once(slow, 'close');
    expect(answer).toMatch(/HTTP\/1\.1 400 /);
    expect(await ended).toBe(0);
  });

  test('happens at once on a second signal, even if a request never ends', async () => {
    const service = await serveHere();
    const { hostname, port } = new URL(service.url);
    const stuck = connect(Number(port), hostname).on('error', () => {});
    stuck.write(UNFINISHED);
    await once(stuck, 'data');
    service.process.kill('SIGTERM');
    await expect.poll(() => fetch(`${service.url}/healthz`).catch(() => 'refused')).toBe('refused');
    await wait(400);
    expect(await service.end('SIGTERM')).toBe(130);
    stuck.destroy();
  });
});

test('metrics have their own listener and count by route, not by path', async () => {
  const port = await freePort();
  const service = await serveHere({ env: { BINDERY_METRICS: `127.0.0.1:${port}` } });
  await fetch(`${service.url}/namespaces/secret-name/libraries`);
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(metrics).toContain('route="/namespaces/:namespace/libraries",status="404"} 1');
  expect(metrics).toContain('process_cpu_seconds_total');
  expect(metrics).toContain('nodejs_eventloop_lag_seconds');
  expect(metrics).not.toContain('secret-name');
  expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
  expect(await service.end()).toBe(0);
});
