import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { folderOfModel } from '@bindery/encoder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SMALL_MODEL, writeSmallModel } from '../../encoder/test/small-model.ts';
import { createTerminalUser, type TerminalUser } from './command-line.ts';

let person: TerminalUser;
let origin: string;

beforeAll(async () => {
  person = await createTerminalUser();
  person = person.with({ BINDERY_MODEL_DIR: join(person.home, 'models') });
  await writeSmallModel(join(person.home, 'origin'));
  origin = folderOfModel(join(person.home, 'origin'), SMALL_MODEL);
});
afterAll(() => person.dispose());

test('a model is pulled from a folder, listed, and removed', async () => {
  const pulled = await person.run('model', 'pull', SMALL_MODEL, '--from', origin);
  expect(pulled).toMatchObject({ code: 0, stdout: expect.stringContaining('verified') });
  expect(pulled.stderr).toContain(
    `A service that is started with BINDERY_ENCODER=${SMALL_MODEL} searches with it.`,
  );
  const listed = await person.run('model', 'list', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject({ models: [{ id: SMALL_MODEL, problem: null }] });
  expect(await person.run('model', 'rm', SMALL_MODEL)).toMatchObject({ code: 0 });
  expect(await person.run('model', 'list')).toMatchObject({ code: 0, stdout: '' });
  expect(await person.run('model', 'rm', SMALL_MODEL)).toMatchObject({ code: 5 });
});

test('a model is pulled from a whole model directory, such as that of another machine', async () => {
  const pulled = await person.run('model', 'pull', SMALL_MODEL, '--from', join(person.home, 'origin'));
  expect(pulled).toMatchObject({ code: 0, stdout: expect.stringContaining('verified') });
  expect(await person.run('model', 'rm', SMALL_MODEL)).toMatchObject({ code: 0 });
});

test('model pull --from and model rm name the missing folder, file or model and say where to look', async () => {
  const from = (folder: string) => person.run('model', 'pull', 'siglip2', '--from', folder);
  const next = 'docs/encoders.md says which files are expected there.\n';
  expect(await from('nowhere')).toMatchObject({
    code: 5,
    stderr: `Error: ${join(person.home, 'nowhere')} is not there.\n${next}`,
  });
  expect(await from('.')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(`vision_model.onnx.\n${next}`),
  });
  expect(await person.run('model', 'rm', 'siglip2')).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(
      /^Error: The model .* is not in .*\n"bindery model list" shows what is installed\.\n$/,
    ),
  });
});

test('a model is pulled despite dropped connections, and a file missing on the server is named', async () => {
  let cuts = 2;
  const server = createServer(async (incoming, response) => {
    const body = await readFile(join(origin, incoming.url ?? '')).catch(() => null);
    if (body === null) response.writeHead(404).end('nothing here');
    else if (body.length > 500_000 && cuts-- > 0) {
      response.writeHead(200, { 'content-length': body.length });
      response.write(body.subarray(0, 300_000), () => setTimeout(() => response.destroy(), 20));
    } else response.end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pulled = await person.run('model', 'pull', SMALL_MODEL, '--url', url);
  expect(pulled).toMatchObject({ code: 0, stdout: expect.stringContaining('verified') });
  expect(await person.run('model', 'pull', SMALL_MODEL, '--url', `${url}/nothing`)).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/^Error: .*\/nothing\/model.json responds with status 404\.\n/),
  });
  server.closeAllConnections();
  server.close();
  expect(await person.run('model', 'rm', SMALL_MODEL)).toMatchObject({ code: 0 });
});

test('model pull rejects an unknown name and a URL with a password, and names a missing file', async () => {
  expect(await person.run('model', 'pull', 'bert', '--from', origin)).toMatchObject({ code: 2 });
  const withPassword = await person.run('model', 'pull', SMALL_MODEL, '--url', 'http://ada:secret@localhost');
  expect(withPassword).toMatchObject({ code: 2, stderr: expect.not.stringContaining('secret') });
  await rm(join(origin, 'tokenizer.json'));
  expect(await person.run('model', 'pull', SMALL_MODEL, '--from', origin)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(`Error: ${join(origin, 'tokenizer.json')} is not there.\n`),
  });
});

test('push --embed refuses a model whose vectors no library can have, and says what makes them instead', async () => {
  const push = await person.run('library', 'push', '.', 'ada/things', '--embed', '--model', 'minilm');
  expect(push).toMatchObject({ code: 2, stdout: '' });
  expect(push.stderr).toContain('minilm makes vectors of 384 numbers, and those of a library have 768.');
  expect(push.stderr).toContain('BINDERY_ENCODER=minilm');
});
