import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  EncoderBusy,
  EncoderError,
  folderOfModel,
  type Encoder as Model,
  removeModel,
} from '@bindery/encoder';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { writeBrokenModel } from '../../../encoder/test/broken-models.ts';
import { SMALL_MODEL, writeSmallModel } from '../../../encoder/test/small-model.ts';
import { openActiveEncoder } from '../../src/adapters/encoder/active-encoder.ts';
import { LoadedModel, QUERY_LIMITS, type QueryLimits } from '../../src/adapters/encoder/loaded-model.ts';
import { ConfigurationError, readConfiguration } from '../../src/configuration/configuration.ts';
import type { Encoder } from '../../src/search/encoder.ts';

/** Milliseconds that a model may take to appear on a busy machine. */
const TIMEOUT = 60_000;

const LIMITS: QueryLimits = { ...QUERY_LIMITS, waitLimit: 50, cacheSize: 3, pauseDuration: 200 };

/** A model in this process whose every answer the test decides. */
function scripted(answer: (text: string) => Promise<Float32Array>, id = 'test/scripted/model') {
  const asked: string[] = [];
  const closed = vi.fn(async () => {});
  const model: Model = {
    id,
    version: '1',
    dim: 768,
    embedText: async (texts) => {
      asked.push(...texts);
      return Promise.all(texts.map(answer));
    },
    encodesImages: true,
    embedImages: async () => [],
    relatedFrom: async () => 0,
    compareWords: async () => (text) => text.length,
    close: closed,
  };
  return { model, asked, closed };
}

const vector = () => new Float32Array(768).fill(1 / Math.sqrt(768));
const never = () => new Promise<Float32Array>(() => {});

describe('a loaded model', () => {
  const failed = vi.fn();
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => {
    vi.useRealTimers();
    failed.mockReset();
  });

  /** What a query is answered once the model's time for it is over. */
  async function encodedLate(loaded: LoadedModel, text: string) {
    const answer = loaded.encode(text);
    await vi.advanceTimersByTimeAsync(LIMITS.waitLimit);
    return answer;
  }

  test('encodes a query only once, even for concurrent requests', async () => {
    const { model, asked } = scripted(async () => vector());
    const loaded = new LoadedModel(model, failed, LIMITS);
    const answers = await Promise.all(['mug', 'mug', 'arm'].map((text) => loaded.encode(text)));
    expect(await loaded.encode('mug')).toEqual({
      ok: true,
      model: 'test/scripted/model',
      vector: vector(),
      relatedFrom: 0,
      cached: true,
    });
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(asked).toEqual(['mug', 'arm']);
  });

  test('remembers the most recently used queries, up to its limit', async () => {
    const { model, asked } = scripted(async () => vector());
    const loaded = new LoadedModel(model, failed, LIMITS);
    for (const text of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await loaded.encode(text);
    expect(asked).toEqual(['a', 'b', 'c', 'd', 'b']);
  });

  test('fails queries in time if the model hangs, and at once after three failures, until its rest ends', async () => {
    let answer: () => Promise<Float32Array> = async () => vector();
    const { model, asked } = scripted(() => answer());
    const loaded = new LoadedModel(model, failed, LIMITS);
    await loaded.encode('warm');
    answer = never;
    for (const text of ['a', 'b', 'c']) {
      expect(await encodedLate(loaded, text)).toEqual({
        ok: false,
        failure: 'late',
        reason: expect.stringContaining('50 ms'),
      });
    }
    expect(loaded.available).toBe(false);
    expect(await loaded.encode('d')).toMatchObject({ ok: false, failure: 'resting' });
    expect(asked).toEqual(['warm', 'a', 'b', 'c']);
    expect(failed).toHaveBeenCalledOnce();
    expect(await loaded.encode('warm')).toMatchObject({ ok: true });
    answer = async () => vector();
    await vi.advanceTimersByTimeAsync(LIMITS.pauseDuration - 1);
    expect(loaded.available).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await loaded.encode('e')).toMatchObject({ ok: true });
  });

  test('serves the next search with a vector that was too late for the first one', async () => {
    const { promise, resolve } = Promise.withResolvers<Float32Array>();
    const { model, asked } = scripted(() => promise);
    const loaded = new LoadedModel(model, failed, LIMITS);
    expect(await encodedLate(loaded, 'mug')).toEqual({
      ok: false,
      failure: 'loading',
      reason: 'The encoder is being loaded.',
    });
    resolve(vector());
    expect(await loaded.encode('mug')).toMatchObject({ ok: true });
    expect(asked).toEqual(['mug']);
  });

  test('loads only once when prepared, before the first query', async () => {
    const { model, asked } = scripted(async () => vector());
    const loaded = new LoadedModel(model, failed, LIMITS);
    loaded.prepare();
    loaded.prepare();
    expect(asked).toHaveLength(1);
    await loaded.encode('mug');
    loaded.prepare();
    expect(asked).toHaveLength(2);
  });

  test('returns a failure if the model throws, and is unavailable after three of them', async () => {
    const { model } = scripted(async () => {
      throw new EncoderError('output', 'The model returns a vector of length zero.');
    });
    const loaded = new LoadedModel(model, failed, LIMITS);
    for (const text of ['a', 'b']) {
      expect(await loaded.encode(text)).toEqual({
        ok: false,
        failure: 'output',
        reason: 'The model returns a vector of length zero.',
      });
    }
    expect(loaded.available).toBe(true);
    await loaded.encode('c');
    expect(loaded.available).toBe(false);
  });

  test('does not count a busy model as a failing one', async () => {
    const { model } = scripted(async () => {
      throw new EncoderBusy();
    });
    const loaded = new LoadedModel(model, failed, LIMITS);
    for (let call = 0; call < 10; call++)
      expect(await loaded.encode(`${call}`)).toMatchObject({ failure: 'busy' });
    expect(loaded.available).toBe(true);
  });

  test('finishes queries in progress before it is closed', async () => {
    const { promise, resolve } = Promise.withResolvers<Float32Array>();
    const { model, closed } = scripted(() => promise);
    const loaded = new LoadedModel(model, failed, { ...LIMITS, waitLimit: 5_000 });
    const answer = loaded.encode('mug');
    const retired = loaded.retire();
    expect(closed).not.toHaveBeenCalled();
    resolve(vector());
    expect(await answer).toMatchObject({ ok: true });
    await retired;
    expect(closed).toHaveBeenCalledOnce();
  });
});

describe('the active encoder', () => {
  let folder: string;
  let encoder: Encoder | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bindery-active-'));
  });
  afterEach(async () => {
    await encoder?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const open = () =>
    openActiveEncoder({ folder, model: SMALL_MODEL, log: pino({ level: 'silent' }), refreshInterval: 20 });

  test('encodes queries with the installed model', async () => {
    await writeSmallModel(folder);
    encoder = await open();
    expect(encoder.model).toBe(SMALL_MODEL);
    const answer = await vi.waitFor(async () => {
      const encoded = await encoder?.encodeQuery('赤いマグ');
      if (!encoded?.ok) throw new Error(encoded?.reason);
      return encoded;
    }, TIMEOUT);
    expect(answer.model).toBe(SMALL_MODEL);
    expect(answer.vector.reduce((sum, number) => sum + number ** 2, 0)).toBeCloseTo(1, 5);
  });

  test('picks up a model that is installed, replaced while queries run, and removed', async () => {
    encoder = await open();
    const active = encoder;
    expect(active.model).toBeNull();
    expect(await active.encodeQuery('mug')).toEqual({
      ok: false,
      failure: 'missing',
      reason: expect.stringContaining(SMALL_MODEL),
    });
    await writeSmallModel(folder);
    await vi.waitFor(() => expect(active.model).toBe(SMALL_MODEL), TIMEOUT);
    await vi.waitFor(async () => {
      expect(await active.encodeQuery('warm')).toMatchObject({ ok: true });
    }, TIMEOUT);
    const running = Array.from({ length: 20 }, (_, number) => active.encodeQuery(`mug ${number}`));
    await writeSmallModel(folder);
    for (const answer of await Promise.all(running)) {
      expect(answer).toMatchObject({ ok: true, model: SMALL_MODEL });
    }
    await removeModel(folder, SMALL_MODEL);
    await vi.waitFor(() => expect(active.model).toBeNull(), TIMEOUT);
    expect(await active.encodeQuery('mug')).toMatchObject({ ok: false });
  });
});

test('a model that is missing at startup is logged once, with the command that downloads it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-absent-'));
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  const encoder = await openActiveEncoder({ folder, model: SMALL_MODEL, log, refreshInterval: 5 });
  try {
    await wait(50);
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      `searches use keywords only: The model ${SMALL_MODEL} is not in ${folder}. "bindery model pull ${SMALL_MODEL}" downloads it.`,
    ]);
  } finally {
    await encoder.close();
    await rm(folder, { recursive: true });
  }
});

describe('replacing a model by another one with the same id', () => {
  let folder: string;
  let encoder: Encoder;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bindery-exchanged-'));
    await writeSmallModel(folder);
    const log = pino({ level: 'silent' });
    encoder = await openActiveEncoder({ folder, model: SMALL_MODEL, log, refreshInterval: 20 });
  });
  afterEach(async () => {
    await encoder.close();
    await rm(folder, { recursive: true, force: true });
  });

  const vectorOf = (text: string) =>
    vi.waitFor(async () => {
      const encoded = await encoder.encodeQuery(text);
      if (!encoded.ok) throw new Error(encoded.reason);
      return encoded.vector;
    }, TIMEOUT);

  test('discards the vectors remembered from the previous model', async () => {
    const before = await vectorOf('a red mug');
    await writeBrokenModel(folder, 'says one thing');
    const uniform = 1 / Math.sqrt(768);
    const after = await vi.waitFor(async () => {
      const vector = await vectorOf('a red mug');
      expect(vector[0]).toBeCloseTo(uniform, 6);
      return vector;
    }, TIMEOUT);
    expect(after).not.toEqual(before);
  });

  test('is noticed even if only one file changes and the description stays the same', async () => {
    await vectorOf('a red mug');
    const file = join(folderOfModel(folder, SMALL_MODEL), 'text.onnx');
    await writeFile(file, (await readFile(file)).fill(7, 1_000, 2_000));
    await vi.waitFor(async () => {
      expect(await encoder.encodeQuery('a red mug')).toMatchObject({
        ok: false,
        reason: expect.stringContaining('text.onnx'),
      });
    }, TIMEOUT);
  });
});

describe('the encoder settings', () => {
  test.each([
    [undefined, 'open_clip/ViT-B-16-SigLIP2/webli'],
    ['clip', 'open_clip/ViT-L-14/openai'],
    [SMALL_MODEL, SMALL_MODEL],
    ['off', null],
  ])('BINDERY_ENCODER=%s resolves to %s', (name, id) => {
    expect(readConfiguration({ BINDERY_ENCODER: name }).encoder).toBe(id);
  });

  test('refuse an unknown model, and set the folder of the models', () => {
    expect(() => readConfiguration({ BINDERY_ENCODER: 'bert' })).toThrow(ConfigurationError);
    expect(readConfiguration({ BINDERY_MODEL_DIR: '/srv/models' }).modelDir).toBe('/srv/models');
  });
});
