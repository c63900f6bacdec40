import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createEncoder,
  folderOfModel,
  hubSource,
  INCLUDED_MODEL,
  listModels,
  MODEL_NAMES,
  pullModel,
  RECIPES,
  removeModel,
} from '../src/index.ts';
import { httpGet } from './http-get.ts';
import { answerRange, hexOf, rangeStart, sendAndCut, writeRangeHead } from './hub.ts';
import { BARE, CLIP, HubWorld } from './hub-world.ts';
import { SMALL_MODEL } from './small-model.ts';
import { COMMIT } from './small-repositories.ts';

let world: HubWorld;
beforeEach(async () => {
  world = await HubWorld.open();
});
afterEach(() => world.close());

describe('a hub repository', () => {
  test('provides a model with its own model.json, which then works and is not fetched again', async () => {
    const pulled = await world.pullOwn();
    await world.expectOwn();
    expect(pulled).toMatchObject({
      fetched: pulled.bytes,
      source: { repository: 'ada/own', commit: COMMIT },
    });
    const encoder = await createEncoder({ folder: world.folder, model: SMALL_MODEL });
    expect(await encoder.embedText(['a mug'])).toHaveLength(1);
    await encoder.close();
    expect(await world.pullOwn()).toMatchObject({ fetched: 0 });
  });

  test('provides a bare export of a known model, described with file hashes and its source', async () => {
    await world.pullBare();
    await world.expectBare();
    const written = JSON.parse(await readFile(join(folderOfModel(world.folder, CLIP), 'model.json'), 'utf8'));
    expect(written).toMatchObject({
      id: CLIP,
      image: { output: 'image_embeds' },
      source: { repository: 'ada/bare', commit: COMMIT },
      files: Object.entries(BARE).map(([name, path]) => ({
        name,
        size: world.bare.files[path]!.bytes.length,
        sha256: hexOf('sha256', world.bare.files[path]!.bytes),
      })),
    });
  });

  test('is read at one commit, and its large files from the storage that it names', async () => {
    await world.pullBare();
    expect(world.hub.requests.hub[0]).toBe('/api/models/ada/bare/revision/main');
    const at = world.hub.requests.hub.slice(1).filter((path) => !path.includes(COMMIT));
    expect(at).toEqual([]);
    expect(world.hub.requests.hub.filter((path) => path.includes('/tree/'))).toHaveLength(3);
    expect(world.hub.requests.storage).toHaveLength(2);
  });

  test('is found on a mirror below a URL path', async () => {
    const source = hubSource(
      { endpoint: `${world.hub.url}/mirror/`, repository: 'ada/own', revision: 'main', token: null },
      (url, headers) => httpGet(url.replace('/mirror', ''), headers),
    );
    await pullModel({ folder: world.folder, model: SMALL_MODEL, source });
    await world.expectOwn();
  });

  test('gets the access token, but the storage of its large files does not', async () => {
    world.own.token = 'hf_secret';
    await world.pullOwn({ token: 'hf_secret' });
    expect(world.hub.requests.hub.every((note) => note.endsWith('with Bearer hf_secret'))).toBe(true);
    expect(world.hub.requests.storage).toHaveLength(2);
    expect(world.hub.requests.storage.join()).not.toContain('hf_secret');
  });
});

describe('a pull that is interrupted', () => {
  test('resumes in the same run where the connection dropped', async () => {
    world.hub.misbehave.storage = (request, response, bytes) => {
      const start = rangeStart(request);
      if (bytes.length - start < 100_000) return answerRange(request, response, bytes);
      writeRangeHead(response, start, bytes);
      sendAndCut(response, bytes.subarray(start, start + 100_000));
    };
    const pulled = await world.pullBare();
    expect(pulled.fetched).toBe(pulled.bytes);
    await world.expectBare();
    expect(world.hub.requests.storage).toContainEqual(expect.stringMatching(/ bytes=[1-9]\d*-$/));
  });

  test('by its caller resumes later, and its partial model is neither listed nor opened', async () => {
    const stop = new AbortController();
    let arrived = 0;
    const givenUp = world.pullBare(
      {},
      {
        signal: stop.signal,
        onBytes: (bytes) => {
          arrived += bytes;
          if (arrived > 100_000) stop.abort();
        },
      },
    );
    await expect(givenUp).rejects.toMatchObject({ name: 'AbortError' });
    expect(await listModels(world.folder)).toEqual([]);
    await expect(createEncoder({ folder: world.folder, model: 'clip' })).rejects.toMatchObject({
      failure: 'missing',
    });
    const pulled = await world.pullBare();
    expect(pulled.fetched).toBeLessThan(pulled.bytes);
    await world.expectBare();
  });

  test('is discarded when the model is removed', async () => {
    const stop = new AbortController();
    const onBytes = () => stop.abort();
    await expect(world.pullBare({}, { signal: stop.signal, onBytes })).rejects.toThrow();
    await removeModel(world.folder, 'clip');
    expect(
      (await readdir(join(world.folder, '.incoming'))).filter((name) => !name.endsWith('.lock')),
    ).toEqual([]);
    await expect(removeModel(world.folder, 'clip')).rejects.toMatchObject({ failure: 'missing' });
  });

  test('by a rate limit waits as long as the hub asks, and says so', async () => {
    const told: string[] = [];
    let refusals = 2;
    world.hub.misbehave.hub = (_, response) => {
      refusals--;
      if (refusals === 0) world.hub.misbehave.hub = null;
      const limited = refusals === 1 ? { 'retry-after': '0' } : { ratelimit: '"api";r=0;t=0' };
      response.writeHead(429, limited).end();
    };
    await world.pullOwn({}, { onWait: (why) => told.push(why), pause: 60_000 });
    await world.expectOwn();
    expect(told).toEqual([expect.stringContaining('429'), expect.stringContaining('asks to wait 0 s')]);
  });

  test('by a rate limit fails without a retry if the hub asks to wait an hour', async () => {
    world.hub.misbehave.hub = (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end();
    await expect(world.pullOwn()).rejects.toMatchObject({
      failure: 'failed',
      message: expect.stringMatching(/responds with status 429\. It asks to wait 3600 s\.$/),
    });
    expect(world.hub.requests.hub).toHaveLength(1);
  });
});

describe('simultaneous pulls', () => {
  test('of one model: the others wait for the first and fetch nothing', async () => {
    const told: string[] = [];
    const onWait = (why: string) => told.push(why);
    const pulls = [1, 2, 3].map(() => world.pullBare({}, { onWait }));
    const [first, ...others] = (await Promise.all(pulls)).sort((a, b) => b.fetched - a.fetched);
    expect(first!.fetched).toBe(first!.bytes);
    expect(others.map(({ fetched }) => fetched)).toEqual([0, 0]);
    expect(told).toEqual([1, 2].map(() => expect.stringContaining('Another pull')));
    expect(world.hub.requests.storage).toHaveLength(2);
    await world.expectBare();
  });

  test('of two models both succeed', async () => {
    await Promise.all([world.pullBare(), world.pullOwn()]);
    await world.expectBare();
    await world.expectOwn();
  });
});

test('files that a partial pull of another commit left are not used for this one', async () => {
  const incoming = join(world.folder, '.incoming', CLIP.replaceAll('/', '__'));
  await mkdir(incoming, { recursive: true });
  await writeFile(join(incoming, 'vision_model.onnx'), 'of another commit');
  await writeFile(join(incoming, 'text_model.onnx.part'), Buffer.alloc(5_000, 1));
  await world.pullBare();
  await world.expectBare();
});

test('a quantised model is made of the quantised files of a repository, and not of those beside them', async () => {
  await expect(world.pull('ada/bare', 'siglip2-small')).rejects.toMatchObject({
    failure: 'missing',
    message: expect.stringContaining('has no text_model_int8.onnx.'),
  });
  const { files } = world.bare;
  files['onnx/text_model_int8.onnx'] = files['onnx/text_model.onnx']!;
  const pulled = await world.pull('ada/bare', 'siglip2-small');
  expect(pulled.files.map(({ name }) => name)).toEqual([
    'vision_model_int8.onnx',
    'text_model_int8.onnx',
    'tokenizer.json',
  ]);
});

test('every model with a short name that is not included has a hub repository with full commit and hashes', () => {
  expect([...RECIPES.keys()].sort()).toEqual(
    Object.values(MODEL_NAMES)
      .filter((id) => id !== INCLUDED_MODEL)
      .sort(),
  );
  for (const {
    hub: { repository, commit, sha256 },
  } of RECIPES.values()) {
    expect(repository).toMatch(/^[\w-]+\/[\w.-]+$/);
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
    for (const hash of Object.values(sha256)) expect(hash).toMatch(/^[0-9a-f]{64}$/);
  }
});
