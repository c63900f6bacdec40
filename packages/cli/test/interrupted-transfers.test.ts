import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTerminalUser, waitForExit } from './command-line.ts';

/** A server that takes requests and never answers. */
async function silentServer(): Promise<{ url: string; asked: Promise<unknown> }> {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked: once(server, 'request') };
}

test.each([
  ['push', ['push', 'robots', 'ada/robots']],
  ['pull', ['pull', 'ada/robots', '-o', 'copy']],
])('an interrupted %s says that running the same command resumes it', async (_, words) => {
  const { url, asked } = await silentServer();
  const ada = (await createTerminalUser(url)).with({ BINDERY_TOKEN: 'bnd_x' });
  onTestFinished(() => ada.dispose());
  await mkdir(join(ada.home, 'robots'));
  await writeFile(join(ada.home, 'robots', 'arm.glb'), 'arm');
  const child = ada.start('library', ...words);
  const ended = waitForExit(child);
  await asked;
  child.kill('SIGINT');
  expect(await ended).toMatchObject({
    code: 130,
    stderr: 'Error: Interrupted.\nRun the same command to resume.\n',
  });
});

test('an interrupted command that transfers nothing does not suggest running it again', async () => {
  const { url, asked } = await silentServer();
  const ada = (await createTerminalUser(url)).with({ BINDERY_TOKEN: 'bnd_x' });
  onTestFinished(() => ada.dispose());
  const child = ada.start('token', 'list');
  const ended = waitForExit(child);
  await asked;
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 130, stderr: 'Error: Interrupted.\n' });
});
