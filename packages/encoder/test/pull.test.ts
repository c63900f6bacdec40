import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createEncoder,
  folderOfModel,
  folderSource,
  listModels,
  pullModel,
  removeModel,
  urlSource,
} from '../src/index.ts';
import { httpGet } from './http-get.ts';
import { answerRange, rangeStart, sendAndCut, writeRangeHead } from './hub.ts';
import { SMALL_MODEL, writeSmallModel } from './small-model.ts';
import { SMALL_TEXT_MODEL, writeSmallTextModel } from './small-text-model.ts';

let base: string;
let folder: string;
let origin: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'bindery-pull-'));
  folder = join(base, 'models');
  await writeSmallModel(join(base, 'origin'));
  origin = folderOfModel(join(base, 'origin'), SMALL_MODEL);
});

afterEach(() => rm(base, { recursive: true, force: true }));

const small = () => ({ folder, model: SMALL_MODEL, pause: 1 });

/** Every file of the installed model is what the origin has. */
async function expectWhole(): Promise<void> {
  const own = folderOfModel(folder, SMALL_MODEL);
  for (const name of ['image.onnx', 'text.onnx', 'tokenizer.json']) {
    expect((await readFile(join(own, name))).equals(await readFile(join(origin, name)))).toBe(true);
  }
  expect((await readdir(own)).sort()).toEqual(['image.onnx', 'model.json', 'text.onnx', 'tokenizer.json']);
}

describe('a pull from a folder', () => {
  test('installs a model that works, and copies nothing the second time', async () => {
    const source = folderSource(origin);
    const first = await pullModel({ ...small(), source });
    expect(first).toMatchObject({ id: SMALL_MODEL, fetched: first.bytes });
    await expectWhole();
    const encoder = await createEncoder({ folder, model: SMALL_MODEL });
    expect(await encoder.embedText(['a mug'])).toHaveLength(1);
    await encoder.close();
    expect(await pullModel({ ...small(), source })).toMatchObject({ fetched: 0 });
  });

  test('describes the bare files of a text model that is known by name, as packages name them', async () => {
    await writeSmallTextModel(base);
    const given = folderOfModel(base, SMALL_TEXT_MODEL);
    await rm(join(given, 'model.json'));
    await rename(join(given, 'model.onnx'), join(given, 'all-minilm-l6-v2-q.onnx'));
    await rename(join(given, 'tokenizer.json'), join(given, 'all-minilm-l6-v2-q-tokenizer.json'));
    const pulled = await pullModel({ folder, model: 'minilm', source: folderSource(given) });
    expect(pulled.files.map(({ name }) => name)).toEqual([
      'all-minilm-l6-v2-q.onnx',
      'all-minilm-l6-v2-q-tokenizer.json',
    ]);
    expect(await createEncoder({ folder, model: 'minilm' })).toMatchObject({
      dim: 384,
      encodesImages: false,
    });
  });

  test('refuses a file that does not match its description, and keeps the previously installed model', async () => {
    await pullModel({ ...small(), source: folderSource(origin) });
    const changed = join(base, 'changed');
    await cp(origin, changed, { recursive: true });
    const description = await readFile(join(changed, 'model.json'), 'utf8');
    const { files } = JSON.parse(description) as { files: { name: string; sha256: string }[] };
    const expected = files.find(({ name }) => name === 'text.onnx')?.sha256 ?? '';
    await writeFile(join(changed, 'model.json'), description.replace(expected, 'a'.repeat(64)));
    await expect(pullModel({ ...small(), source: folderSource(changed) })).rejects.toMatchObject({
      failure: 'damaged',
      message: expect.stringContaining('text.onnx'),
    });
    await expectWhole();
  });

  test('describes a bare export of a known model, and refuses one of an unknown model', async () => {
    const bare = join(base, 'export');
    await mkdir(bare);
    await cp(join(origin, 'image.onnx'), join(bare, 'vision_model.onnx'));
    await cp(join(origin, 'text.onnx'), join(bare, 'text_model.onnx'));
    await cp(join(origin, 'tokenizer.json'), join(bare, 'tokenizer.json'));
    await writeFile(join(bare, 'text_model.onnx_data'), 'numbers');
    await writeFile(join(bare, 'notes.txt'), 'not a part');
    const pulled = await pullModel({ folder, model: 'clip', source: folderSource(bare) });
    const description = JSON.parse(await readFile(join(pulled.folder, 'model.json'), 'utf8'));
    expect(description).toMatchObject({
      id: 'open_clip/ViT-L-14/openai',
      image: { model: 'vision_model.onnx', output: 'image_embeds', size: 224, resize: 'shortest' },
      text: { model: 'text_model.onnx', output: 'text_embeds', length: 77, clean: 'lower', start: 49_406 },
    });
    expect(description.files.map(({ name }: { name: string }) => name)).toEqual([
      'vision_model.onnx',
      'text_model.onnx',
      'tokenizer.json',
      'text_model.onnx_data',
    ]);
    const unknown = pullModel({ folder, model: 'a/b/c', source: folderSource(bare) });
    await expect(unknown).rejects.toMatchObject({ failure: 'missing' });
  });

  test('refuses a folder that holds another model than the requested one', async () => {
    const pull = pullModel({ folder, model: 'siglip2', source: folderSource(origin) });
    await expect(pull).rejects.toMatchObject({ failure: 'damaged' });
    expect(await listModels(folder)).toEqual([]);
  });
});

describe('a pull from a server', () => {
  let server: Server;
  let url: string;
  let serve: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;
  const asked: string[] = [];

  beforeEach(async () => {
    asked.length = 0;
    serve = answerRange;
    server = createServer(async (incoming, response) => {
      asked.push(`${incoming.url} ${incoming.headers.range ?? ''}`.trim());
      const body = await readFile(join(origin, incoming.url ?? '')).catch(() => null);
      if (body === null) response.writeHead(404).end();
      else serve(incoming, response, body);
    }).listen(0, '127.0.0.1');
    await new Promise((ready) => server.once('listening', ready));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const source = () => urlSource(url, httpGet);

  test('survives dropped connections and fetches every byte once', async () => {
    serve = (incoming, response, body) => {
      const start = rangeStart(incoming);
      if (body.length - start < 100_000) return answerRange(incoming, response, body);
      writeRangeHead(response, start, body);
      sendAndCut(response, body.subarray(start, start + 100_000));
    };
    const pulled = await pullModel({ ...small(), source: source() });
    expect(pulled.fetched).toBe(pulled.bytes);
    await expectWhole();
    expect(asked).toContainEqual(expect.stringMatching(/^\/image.onnx bytes=[1-9]\d*-$/));
  });

  test('resumes where an aborted pull stopped', async () => {
    const stop = new AbortController();
    let arrived = 0;
    const givenUp = pullModel({
      ...small(),
      source: source(),
      signal: stop.signal,
      onBytes: (bytes) => {
        arrived += bytes;
        if (arrived > 200_000) stop.abort();
      },
    });
    serve = (incoming, response, body) => {
      writeRangeHead(response, rangeStart(incoming), body);
      const start = rangeStart(incoming);
      sendAndCut(response, body.subarray(start, start + 250_000));
    };
    await expect(givenUp).rejects.toMatchObject({ name: 'AbortError' });
    expect(await listModels(folder)).toEqual([]);
    serve = answerRange;
    const pulled = await pullModel({ ...small(), source: source() });
    expect(pulled.bytes - pulled.fetched).toBeGreaterThanOrEqual(200_000);
    await expectWhole();
  });

  test('starts a file over after a dropped connection if the server ignores ranges', async () => {
    let cut = true;
    serve = (_, response, body) => {
      response.writeHead(200, { 'content-length': body.length });
      if (cut && body.length > 500_000) {
        cut = false;
        sendAndCut(response, body.subarray(0, 300_000));
      } else response.end(body);
    };
    await pullModel({ ...small(), source: source() });
    await expectWhole();
  });

  test('does not use partial files that an earlier pull left of another version', async () => {
    const incoming = join(folder, '.incoming', SMALL_MODEL.replaceAll('/', '__'));
    await mkdir(incoming, { recursive: true });
    await writeFile(join(incoming, 'image.onnx.part'), Buffer.alloc(50_000, 1));
    await writeFile(join(incoming, 'text.onnx.part'), Buffer.alloc(5_000_000, 1));
    await pullModel({ ...small(), source: source() });
    await expectWhole();
  });

  test('refuses wrong bytes and does not keep them', async () => {
    serve = (incoming, response, body) => {
      const wrong = incoming.url === '/text.onnx' ? Buffer.alloc(body.length, 7) : body;
      answerRange(incoming, response, wrong);
    };
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(pullModel({ ...small(), source: source() })).rejects.toMatchObject({ failure: 'damaged' });
    }
    expect(await listModels(folder)).toEqual([]);
    serve = answerRange;
    await pullModel({ ...small(), source: source() });
    await expectWhole();
  });

  test('fails if the server sends more bytes than announced', async () => {
    serve = (incoming, response, body) => {
      const isLong = incoming.url === '/text.onnx';
      response.writeHead(200).end(isLong ? Buffer.concat([body, body]) : body);
    };
    await expect(pullModel({ ...small(), source: source() })).rejects.toMatchObject({ failure: 'damaged' });
  });

  test('follows redirects, but not in a loop', async () => {
    const moved = createServer((incoming, response) => {
      response.writeHead(302, { location: `${url}${incoming.url}` }).end();
    }).listen(0, '127.0.0.1');
    await new Promise((ready) => moved.once('listening', ready));
    const address = `http://127.0.0.1:${(moved.address() as AddressInfo).port}`;
    await pullModel({ ...small(), source: urlSource(address, httpGet) });
    await expectWhole();
    serve = (incoming, response) => response.writeHead(302, { location: incoming.url ?? '' }).end();
    const circle = pullModel({ ...small(), folder: join(base, 'other'), source: source() });
    await expect(circle).rejects.toMatchObject({ failure: 'failed' });
    moved.closeAllConnections();
    moved.close();
  });

  test('reports an unreachable server, and one that lacks the model', async () => {
    const nowhere = urlSource('http://127.0.0.1:1', httpGet);
    await expect(pullModel({ ...small(), source: nowhere })).rejects.toMatchObject({
      failure: 'failed',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    const empty = urlSource(`${url}/nothing`, httpGet);
    await expect(pullModel({ ...small(), source: empty })).rejects.toMatchObject({ failure: 'missing' });
  });
});

async function flipByte(file: string): Promise<void> {
  const bytes = await readFile(file);
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  await writeFile(file, bytes);
}

describe('the model folder', () => {
  test('lists its models with their problems, and removes intact and damaged ones', async () => {
    await writeSmallModel(folder);
    const { id } = await writeSmallModel(folder, 'test/cut/model');
    await truncate(join(folderOfModel(folder, id), 'text.onnx'), 10);
    const { id: rotten } = await writeSmallModel(folder, 'test/rotten/model');
    await flipByte(join(folderOfModel(folder, rotten), 'image.onnx'));
    const { id: robbed } = await writeSmallModel(folder, 'test/robbed/model');
    await rm(join(folderOfModel(folder, robbed), 'image.onnx'));
    const misplaced = folderOfModel(folder, 'test/misplaced/model');
    await mkdir(join(misplaced, '..'), { recursive: true });
    await cp(origin, misplaced, { recursive: true });
    expect(await listModels(folder)).toMatchObject([
      { id: SMALL_MODEL, problem: null },
      { id, problem: 'text.onnx is damaged' },
      { id: 'test/misplaced/model', problem: expect.stringContaining(SMALL_MODEL) },
      { id: robbed, problem: 'image.onnx is missing' },
      { id: rotten, problem: 'image.onnx is damaged' },
    ]);
    for (const damaged of [id, rotten, robbed]) await removeModel(folder, damaged);
    await removeModel(folder, SMALL_MODEL);
    await expect(removeModel(folder, SMALL_MODEL)).rejects.toMatchObject({ failure: 'missing' });
    expect((await listModels(folder)).map((model) => model.id)).toEqual(['test/misplaced/model']);
  });

  test('lists nothing if it does not exist, and a pull from a missing folder fails', async () => {
    expect(await listModels(join(base, 'nowhere'))).toEqual([]);
    await rename(origin, join(base, 'gone'));
    const pull = pullModel({ ...small(), source: folderSource(origin) });
    await expect(pull).rejects.toMatchObject({ failure: 'missing' });
  });
});
