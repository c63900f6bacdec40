import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hubSource, listModels, pullModel } from '../src/index.ts';
import { httpGet } from './http-get.ts';
import { answerRange, hexOf } from './hub.ts';
import { CLIP, HubWorld } from './hub-world.ts';
import { SMALL_MODEL } from './small-model.ts';
import { COMMIT } from './small-repositories.ts';

let world: HubWorld;
beforeEach(async () => {
  world = await HubWorld.open();
});
afterEach(() => world.close());

describe('a pull from a hub', () => {
  test('refuses a large file that does not match the file list, and keeps nothing of it', async () => {
    world.hub.misbehave.storage = (request, response, bytes) =>
      answerRange(request, response, Buffer.alloc(bytes.length, 7));
    await expect(world.pullBare()).rejects.toMatchObject({
      failure: 'damaged',
      message: expect.stringContaining('vision_model.onnx'),
    });
    expect(await listModels(world.folder)).toEqual([]);
    world.hub.misbehave.storage = null;
    await world.pullBare();
    await world.expectBare();
  });

  test('refuses a small file that does not match the file list', async () => {
    const source = hubSource(
      { endpoint: world.hub.url, repository: 'ada/bare', revision: 'main', token: null },
      async (url, headers) => {
        const answer = await httpGet(url, headers);
        if (!url.includes('resolve-cache')) return answer;
        const bytes = Buffer.concat(await answer.body.toArray());
        bytes[10] = (bytes[10] ?? 0) ^ 1;
        return { ...answer, body: Readable.from([bytes]) };
      },
    );
    await expect(pullModel({ folder: world.folder, model: 'clip', source })).rejects.toMatchObject({
      failure: 'damaged',
      message: expect.stringContaining('tokenizer.json'),
    });
  });

  test('refuses a file whose hash is not the known one before fetching a byte of it', async () => {
    const sha256 = { 'onnx/text_model.onnx': 'a'.repeat(64) };
    await expect(world.pullBare({ revision: COMMIT, sha256 })).rejects.toMatchObject({
      failure: 'damaged',
      message: expect.stringMatching(/onnx\/text_model.onnx .* not a{64}\.$/),
    });
    expect(world.hub.requests.storage).toEqual([]);
    const known = {
      'onnx/text_model.onnx': hexOf('sha256', world.bare.files['onnx/text_model.onnx']!.bytes),
    };
    await world.pullBare({ revision: COMMIT, sha256: known });
  });

  test('refuses a file that does not match the model.json of the repository', async () => {
    world.own.files['text.onnx'] = { bytes: Buffer.from('newer'), large: true };
    await expect(world.pullOwn()).rejects.toMatchObject({
      failure: 'damaged',
      message: expect.stringContaining('text.onnx'),
    });
  });

  test.each([
    [
      'a missing repository as refused access if there is no token',
      'ada/none',
      {},
      'refused',
      /refuses access to ada\/none \(401\).*set HF_TOKEN/,
    ],
    [
      'a missing repository as missing if there is a token',
      'ada/none',
      { token: 'x' },
      'missing',
      /no repository ada\/none/,
    ],
    ['a missing revision', 'ada/own', { revision: 'v2' }, 'missing', /no such revision of ada\/own/],
  ] as const)('reports %s', async (_, repository, more, failure, message) => {
    await expect(world.pull(repository, SMALL_MODEL, more)).rejects.toMatchObject({
      failure,
      message: expect.stringMatching(message),
    });
  });

  test('reports a gated repository and where to accept its conditions', async () => {
    world.own.gated = true;
    await expect(world.pullOwn()).rejects.toMatchObject({
      failure: 'refused',
      message: `ada/own is gated. Agree to its conditions at ${world.hub.url}/ada/own and set HF_TOKEN.`,
    });
  });

  test('reports a repository that lacks a file or holds another model', async () => {
    delete world.bare.files['tokenizer.json'];
    const lacking = world.pullBare();
    await expect(lacking).rejects.toMatchObject({
      failure: 'missing',
      message: expect.stringMatching(/no tokenizer.json/),
    });
    await expect(world.pull('ada/own', 'clip')).rejects.toMatchObject({ failure: 'damaged' });
    await expect(world.pull('ada/bare', 'a/b/c')).rejects.toMatchObject({ failure: 'missing' });
  });

  test('reports a server that is not a model hub', async () => {
    world.hub.misbehave.hub = (_, response) => response.end('<!doctype html>');
    await expect(world.pullOwn()).rejects.toMatchObject({
      failure: 'failed',
      message: expect.stringContaining('does not respond like a model hub'),
    });
  });

  test('does not follow a redirect from https to http', async () => {
    const source = hubSource(
      { endpoint: 'https://world.hub.test', repository: 'ada/own', revision: 'main', token: 'x' },
      async () => ({ status: 302, headers: { location: 'http://world.hub.test/' }, body: Readable.from([]) }),
    );
    await expect(pullModel({ folder: world.folder, model: SMALL_MODEL, source })).rejects.toMatchObject({
      failure: 'failed',
      message: expect.stringContaining('from https to http'),
    });
  });
});

describe('the target disk of a pull', () => {
  test('without room for the model is reported before anything is fetched', async () => {
    const description = JSON.parse(world.own.files['model.json']!.bytes.toString());
    description.files[0].size = 10 ** 15;
    const source = {
      describe: async () => description,
      copy: () => Promise.reject(new Error('nothing should be fetched')),
    };
    await expect(pullModel({ folder: world.folder, model: SMALL_MODEL, source })).rejects.toMatchObject({
      failure: 'failed',
      message: expect.stringMatching(/needs \d+ MiB more, and \d+ MiB of its disk are free/),
    });
  });

  test.skipIf(process.platform !== 'linux')('that fills up is reported; the next pull resumes', async () => {
    const incoming = join(world.folder, '.incoming', CLIP.replaceAll('/', '__'));
    await mkdir(incoming, { recursive: true });
    await symlink('/dev/full', join(incoming, 'text_model.onnx.part'));
    await expect(world.pullBare()).rejects.toMatchObject({
      failure: 'failed',
      message: expect.stringContaining('is full'),
    });
    expect(await listModels(world.folder)).toEqual([]);
    await rm(join(incoming, 'text_model.onnx.part'));
    const pulled = await world.pullBare();
    expect(pulled.fetched).toBeLessThan(pulled.bytes);
    await world.expectBare();
  });

  test.skipIf(process.platform !== 'linux')('that is not writable is reported', async () => {
    await expect(world.pullBare({}, { folder: '/sys/bindery' })).rejects.toMatchObject({
      failure: 'refused',
      message: expect.stringContaining('BINDERY_MODEL_DIR'),
    });
  });
});
