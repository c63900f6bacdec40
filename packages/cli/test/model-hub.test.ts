import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { RECIPES } from '@bindery/encoder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Hub, hexOf, type Repository, startHub, writeRangeHead } from '../../encoder/test/hub.ts';
import { SMALL_MODEL } from '../../encoder/test/small-model.ts';
import { COMMIT, smallRepositories } from '../../encoder/test/small-repositories.ts';
import { createTerminalUser, type TerminalUser } from './command-line.ts';

const SIGLIP2 = 'open_clip/ViT-B-16-SigLIP2/webli';
const { repository: REPOSITORY, commit: KNOWN } = RECIPES.get(SIGLIP2)!.hub;

let ada: TerminalUser;
let hub: Hub;
let own: Repository;
let siglip2: Repository;

beforeEach(async () => {
  const person = await createTerminalUser();
  const { own: describing, bare } = await smallRepositories(join(person.home, 'origin'));
  own = describing;
  siglip2 = { ...bare, commit: KNOWN };
  hub = await startHub({ [REPOSITORY]: siglip2, 'ada/own': own });
  ada = person.with({ BINDERY_MODEL_DIR: join(person.home, 'models'), HF_ENDPOINT: hub.url });
});
afterEach(async () => {
  hub.close();
  await ada.dispose();
});

test('pulling siglip2 requests its pinned commit and rejects unexpected files before downloading them', async () => {
  const pulled = await ada.run('model', 'pull', 'siglip2');
  expect(pulled).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('is not the expected file'),
  });
  expect(hub.requests.hub[0]).toBe(`/api/models/${REPOSITORY}/tree/${KNOWN}?recursive=true`);
  expect(hub.requests.storage).toEqual([]);
  expect(await ada.run('model', 'list')).toMatchObject({ stdout: '' });
});

test('model pull --revision installs that revision and prints its commit and the start of each file hash', async () => {
  const pulled = await ada.run('model', 'pull', 'siglip2', '--revision', 'main');
  expect(pulled.code).toBe(0);
  expect(pulled.stdout).toContain(`${REPOSITORY} at ${KNOWN}`);
  for (const path of ['onnx/vision_model.onnx', 'onnx/text_model.onnx', 'tokenizer.json']) {
    expect(pulled.stdout).toContain(hexOf('sha256', siglip2.files[path]!.bytes).slice(0, 12));
  }
  const again = await ada.run('model', 'pull', 'siglip2', '--revision', 'main', '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({
    id: SIGLIP2,
    fetched: 0,
    source: { repository: REPOSITORY, commit: KNOWN },
  });
});

test('model pull --hub fetches a model with its own model.json, from a private repository only with HF_TOKEN', async () => {
  own.token = 'hf_secret';
  const stranger = await ada.run('model', 'pull', SMALL_MODEL, '--hub', 'ada/own');
  expect(stranger).toMatchObject({ code: 4, stderr: expect.stringContaining('HF_TOKEN') });
  const reader = ada.with({ HF_TOKEN: 'hf_secret\n' });
  const pulled = await reader.run('model', 'pull', SMALL_MODEL, '--hub', 'ada/own');
  expect(pulled).toMatchObject({ code: 0, stdout: expect.stringContaining(`ada/own at ${COMMIT}`) });
  expect(pulled.stdout + pulled.stderr).not.toContain('hf_secret');
  expect(hub.requests.storage.join()).not.toContain('hf_secret');
});

test.each([
  ['a missing revision', 5, ['siglip2', '--revision', 'v9'], {}],
  ['an inaccessible repository', 4, ['siglip2', '--hub', 'ada/none'], {}],
  ['a malformed token', 4, ['siglip2'], { HF_TOKEN: 'two words' }],
  ['a hub address that is not HTTP', 2, ['siglip2'], { HF_ENDPOINT: 'ftp://hub.test' }],
  ['a hub address with a password', 2, ['siglip2'], { HF_ENDPOINT: 'https://ada:secret@hub.test' }],
  ['a model without a known repository', 2, [SMALL_MODEL], {}],
  ['both --hub and --from', 2, ['siglip2', '--hub', 'ada/own', '--from', '.'], {}],
  ['both --revision and --from', 2, ['siglip2', '--revision', 'main', '--from', '.'], {}],
  ['an unreachable hub', 3, ['siglip2'], { HF_ENDPOINT: 'http://127.0.0.1:1' }],
] as const)('model pull fails for %s with exit code %i', async (_, code, words, variables) => {
  const pulled = await ada.with(variables).run('model', 'pull', ...words);
  expect(pulled.code).toBe(code);
  expect(pulled.stderr).toMatch(/^Error: .+\n/);
  expect(pulled.stderr).not.toContain('secret');
});

test('an unreachable hub is reported with its address, the reason and other ways to get the files', async () => {
  const offline = ada.with({ HF_ENDPOINT: 'http://hub.invalid' });
  expect(await offline.run('model', 'pull', 'siglip2')).toMatchObject({
    code: 3,
    stderr:
      'Error: http://hub.invalid cannot be reached: there is no such host.\n' +
      'Try again, or get the files another way: --from <dir>, --url <mirror>, HF_ENDPOINT; see docs/encoders.md. ' +
      'Run the same command to resume.\n',
  });
});

test('model pull reports a gated repository, and how long a rate-limiting hub asks to wait', async () => {
  siglip2.gated = true;
  const gated = await ada.run('model', 'pull', 'siglip2', '--revision', 'main');
  expect(gated).toMatchObject({ code: 4, stderr: expect.stringContaining(`${hub.url}/${REPOSITORY}`) });
  hub.misbehave.hub = (_, response) => response.writeHead(429, { 'retry-after': '4000' }).end();
  const limited = await ada.run('model', 'pull', 'siglip2');
  expect(limited).toMatchObject({ code: 3, stderr: expect.stringContaining('asks to wait 4000 s') });
});

test('two pulls at once fetch each file once', async () => {
  const words = ['model', 'pull', 'siglip2', '--revision', 'main'];
  const pulls = await Promise.all([ada.run(...words), ada.run(...words)]);
  expect(pulls.map(({ code }) => code)).toEqual([0, 0]);
  expect(hub.requests.storage).toHaveLength(2);
});

test('a pull that was killed resumes where it stopped', async () => {
  hub.misbehave.storage = (_, response, bytes) => {
    writeRangeHead(response, 0, bytes);
    response.write(bytes.subarray(0, 200_000));
  };
  const killed = ada.start('model', 'pull', 'siglip2', '--revision', 'main');
  const part = join(ada.home, 'models/.incoming', SIGLIP2.replaceAll('/', '__'), 'vision_model.onnx.part');
  await expect
    .poll(() => statSync(part, { throwIfNoEntry: false })?.size, { timeout: 20_000 })
    .toBeGreaterThan(0);
  killed.kill('SIGKILL');
  await once(killed, 'close');
  expect(await ada.run('model', 'list')).toMatchObject({ stdout: '' });
  hub.misbehave.storage = null;
  expect(await ada.run('model', 'pull', 'siglip2', '--revision', 'main')).toMatchObject({ code: 0 });
  expect(hub.requests.storage).toContainEqual(expect.stringMatching(/ bytes=\d+-$/));
});
