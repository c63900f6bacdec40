import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BINDERY, waitForOutput } from '../../../cli/test/command-line.ts';

const OPEN_FILES = 256;

let folder: string;
let service: ChildProcess;
let url: string;
const sockets: Socket[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-open-files-'));
  const limited = `ulimit -n ${OPEN_FILES}; exec "$0" "$@"`;
  const words = [process.execPath, BINDERY, 'serve', '--port', '0', '--data-dir', folder];
  service = spawn('/bin/sh', ['-c', limited, ...words], {
    env: { PATH: process.env.PATH, HOME: folder, BINDERY_ENCODER: 'off', BINDERY_LOG_LEVEL: 'silent' },
  });
  url = (await waitForOutput(service.stdout, /^listening on (\S+)\n/))[1] ?? '';
});
afterEach(async () => {
  closeAll();
  if (service.exitCode === null) {
    service.kill('SIGKILL');
    await once(service, 'close');
  }
  await rm(folder, { recursive: true, force: true });
});

function closeAll(): void {
  for (const socket of sockets.splice(0)) socket.destroy();
}

/** Opens connections that send half a request each. */
async function open(count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write('GET /readyz HTTP/1.1\r\nHost: here\r\n');
  }
}

const status = async (path: string) => {
  const answer = await fetch(url + path, { headers: { connection: 'close' } });
  await answer.arrayBuffer();
  return answer.status;
};

test('a service with more connections than file descriptors answers 503, and serves again once they are closed', async () => {
  await open(OPEN_FILES * 0.7);
  expect([await status('/readyz'), await status('/libraries'), await status('/healthz')]).toEqual([
    503, 503, 200,
  ]);
  await open(OPEN_FILES);
  // Longer than the service takes to measure itself, which needs a descriptor on some systems.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(service.exitCode).toBe(null);
  closeAll();
  await expect.poll(() => status('/readyz').catch(() => null), { timeout: 30_000 }).toBe(200);
}, 120_000);
