import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { killEncoders } from '../../../test/encoder-processes.ts';
import {
  createEncoder,
  type Encoder,
  EncoderBusy,
  type EncoderOptions,
  folderOfModel,
} from '../src/index.ts';
import { writeBrokenModel } from './broken-models.ts';
import { SMALL_MODEL, writeSmallModel } from './small-model.ts';
import { SMALL_TEXT_MODEL, writeSmallTextModel } from './small-text-model.ts';

let folder: string;
const open: Encoder[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-models-'));
  await writeSmallModel(folder);
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((encoder) => encoder.close()));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function encoderOf(options: Partial<EncoderOptions> = {}): Promise<Encoder> {
  const encoder = await createEncoder({ folder, model: SMALL_MODEL, threads: 1, ...options });
  open.push(encoder);
  return encoder;
}

function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (!a || !b) throw new Error('a vector is missing');
  return a.reduce((sum, number, at) => sum + number * (b[at] ?? Number.NaN), 0);
}

/** A square of one colour in the middle of nothing. */
async function squareOf(color: string): Promise<Buffer> {
  const square = { create: { width: 200, height: 200, channels: 4, background: color } } as const;
  const nothing = { width: 320, height: 320, channels: 4, background: '#00000000' } as const;
  return sharp({ create: nothing })
    .composite([{ input: square }])
    .webp({ lossless: true })
    .toBuffer();
}

describe('the small model', () => {
  test('is written with the same bytes every time, less than 2 MB in all', async () => {
    const other = join(folder, 'again');
    const first = await writeSmallModel(folder);
    expect(await writeSmallModel(other)).toEqual(first);
    for (const { name } of first.files) {
      const [a, b] = await Promise.all(
        [folder, other].map((root) => readFile(join(folderOfModel(root, first.id), name))),
      );
      expect(a?.equals(b as Buffer)).toBe(true);
    }
    expect(first.files.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(2_000_000);
  });

  test('ranks the picture of the colour that a text names first', async () => {
    const encoder = await encoderOf();
    const colors = ['red', 'green', 'blue', 'yellow', 'purple'];
    const pictures = await encoder.embedImages(await Promise.all(colors.map(squareOf)));
    for (const [place, color] of colors.entries()) {
      const [text] = await encoder.embedText([`a ${color} thing`]);
      const scores = pictures.map((picture) => cosine(text, picture));
      expect(scores.indexOf(Math.max(...scores))).toBe(place);
    }
  });

  test('returns unit vectors of 768 numbers for any text and picture', async () => {
    const encoder = await encoderOf();
    const texts = [
      '',
      ' ',
      '赤いマグカップ',
      'кружка',
      '🫖'.repeat(3_000),
      'x'.repeat(100_000),
      '<eos><pad>',
      '\ud800',
    ];
    const images = await Promise.all(['#ffffff', '#000000', '#808080', '#00000000'].map(squareOf));
    const vectors = [...(await encoder.embedText(texts)), ...(await encoder.embedImages(images))];
    expect(encoder).toMatchObject({ id: SMALL_MODEL, dim: 768 });
    expect(vectors).toHaveLength(texts.length + images.length);
    for (const vector of vectors) {
      expect(vector).toHaveLength(768);
      expect(cosine(vector, vector)).toBeCloseTo(1, 5);
    }
  });

  test('returns the same vector for a text alone, in a batch, and from another encoder', async () => {
    const texts = Array.from({ length: 70 }, (_, number) => `thing number ${number}`);
    const [first, second] = [await encoderOf(), await encoderOf()];
    const together = await first.embedText(texts);
    expect(await second.embedText(texts)).toEqual(together);
    for (const at of [0, 31, 32, 69]) {
      expect(cosine((await first.embedText([texts[at] as string]))[0], together[at])).toBeCloseTo(1, 5);
    }
    expect(await first.embedText([])).toEqual([]);
  });
});

describe('an image', () => {
  test('that cannot be decoded is rejected with its index, and the encoder continues to work', async () => {
    const encoder = await encoderOf();
    const good = await squareOf('red');
    const images = [...new Array<Buffer>(9).fill(good), Buffer.from('no picture'), good];
    await expect(encoder.embedImages(images)).rejects.toMatchObject({ failure: 'image', index: 9 });
    expect(await encoder.embedImages([good])).toHaveLength(1);
  });

  test('with a side of 20,000 pixels is rejected with its index', async () => {
    const encoder = await encoderOf();
    const long = await sharp({ create: { width: 20_000, height: 2, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    await expect(encoder.embedImages([long])).rejects.toMatchObject({ failure: 'image', index: 0 });
  });
});

describe('a misbehaving model', () => {
  test.each([
    ['not a number', 'output'],
    ['zero', 'output'],
    ['too narrow', 'output'],
    ['throws', 'failed'],
    ['no model at all', 'damaged'],
  ] as const)('returns an error and never a vector, and still encodes images: %s', async (kind, failure) => {
    const model = await writeBrokenModel(folder, kind, `test/broken/${kind.replaceAll(' ', '-')}`);
    const encoder = await encoderOf({ model });
    await expect(encoder.embedText(['a mug'])).rejects.toMatchObject({ failure });
    expect(await encoder.embedImages([await squareOf('red')])).toHaveLength(1);
  });

  test('that hangs fails at the time limit, and the next call gets a new process', async () => {
    const model = await writeBrokenModel(folder, 'hangs', 'test/broken/hangs');
    const encoder = await encoderOf({ model, timeLimit: 1_000 });
    const [hung, waited] = await Promise.allSettled([
      encoder.embedText(new Array<string>(16).fill('a mug')),
      squareOf('red').then((picture) => encoder.embedImages([picture])),
    ]);
    expect(hung).toMatchObject({ status: 'rejected', reason: { failure: 'time' } });
    const vectors =
      waited.status === 'fulfilled' ? waited.value : await encoder.embedImages([await squareOf('red')]);
    expect(vectors).toHaveLength(1);
  });
});

describe('an encoder process that is killed', () => {
  test('fails its running call, and the next call gets a new process', async () => {
    const model = await writeBrokenModel(folder, 'hangs', 'test/broken/lost');
    const encoder = await encoderOf({ model });
    const picture = await squareOf('red');
    await encoder.embedImages([picture]);
    const lost = expect(encoder.embedText(['a mug'])).rejects.toMatchObject({
      failure: 'failed',
      message: expect.stringContaining('SIGKILL'),
    });
    await killEncoders();
    await lost;
    expect(await encoder.embedImages([picture])).toHaveLength(1);
  });
});

describe('a model whose files are replaced', () => {
  test('before they are loaded is rejected as damaged until it is reopened', async () => {
    const { id } = await writeSmallModel(folder, 'test/exchanged/early');
    const encoder = await encoderOf({ model: id });
    await writeBrokenModel(folder, 'says one thing', id);
    await expect(encoder.embedText(['a mug'])).rejects.toMatchObject({ failure: 'damaged' });
    const anew = await encoderOf({ model: id });
    expect(await anew.embedText(['a mug'])).toHaveLength(1);
    expect(anew.version).not.toBe(encoder.version);
  });

  test('after they are loaded gives the old vectors, and a new process rejects it as damaged', async () => {
    const { id } = await writeSmallModel(folder, 'test/exchanged/late');
    const encoder = await encoderOf({ model: id });
    const before = await encoder.embedText(['a mug']);
    await writeBrokenModel(folder, 'says one thing', id);
    expect(await encoder.embedText(['a mug'])).toEqual(before);
    await killEncoders();
    const failure = () => encoder.embedText(['a mug']).catch((error) => error.failure);
    await expect.poll(failure, { timeout: 10_000 }).toBe('damaged');
  });
});

describe('concurrent calls', () => {
  test('are queued up to the limit and rejected as busy beyond it', async () => {
    const encoder = await encoderOf({ queueLength: 2 });
    const calls = Array.from({ length: 5 }, () => encoder.embedText(['a']));
    const ends = await Promise.allSettled(calls);
    expect(ends.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect(ends[4]).toMatchObject({ reason: expect.any(EncoderBusy) });
  });

  test('leave the queue when their caller aborts', async () => {
    const encoder = await encoderOf({ queueLength: 1 });
    const running = encoder.embedText(['a']);
    const givenUp = new AbortController();
    const waiting = encoder.embedText(['b'], { signal: givenUp.signal });
    givenUp.abort();
    await expect(waiting).rejects.toMatchObject({ failure: 'closed' });
    const next = encoder.embedText(['c']);
    expect(await Promise.all([running, next])).toHaveLength(2);
  });

  test('fail when the encoder is closed, and so do later calls', async () => {
    const encoder = await encoderOf();
    const calls = [encoder.embedText(['a']), encoder.embedText(['b'])];
    const ends = Promise.allSettled(calls);
    await encoder.close();
    for (const end of await ends) expect(end).toMatchObject({ reason: { failure: 'closed' } });
    await expect(encoder.embedText(['c'])).rejects.toMatchObject({ failure: 'closed' });
  });
});

describe('a model of texts with a vector for each token', () => {
  const textModel = async (traits: { script?: 'Latin'; meaning?: 'title' } = {}) => {
    await writeSmallTextModel(folder, traits);
    return encoderOf({ model: SMALL_TEXT_MODEL });
  };

  test('encodes a text as the mean of its tokens, whatever texts are beside it', async () => {
    const encoder = await textModel();
    expect(encoder).toMatchObject({ dim: 5, encodesImages: false });
    const [arm, cup, machine, both] = await encoder.embedText(['arm', 'a red cup', 'machine', 'robot arm']);
    expect(cosine(both, arm)).toBeCloseTo(Math.SQRT1_2, 2);
    expect(cosine(both, machine)).toBeCloseTo(Math.SQRT1_2, 2);
    expect(cosine(cup, arm)).toBeLessThan(0.1);
    expect(await encoder.embedText(['a red cup'])).toEqual([cup]);
  });

  test('adds to the text of an asset what the nouns of its title mean, and nothing to a query', async () => {
    const encoder = await textModel({ meaning: 'title' });
    const [iiwa] = await encoder.embedText(['iiwa. blue']);
    const [robotArm, asked] = await encoder.embedText(['robot arm', 'iiwa. blue'], { isQuery: true });
    expect(cosine(iiwa, robotArm)).toBeGreaterThan(cosine(asked, robotArm));
  });

  test('refuses pictures', async () => {
    const encoder = await textModel();
    await expect(encoder.embedImages([await squareOf('red')])).rejects.toMatchObject({
      message: `The model ${SMALL_TEXT_MODEL} only encodes texts.`,
    });
  });

  test('states from which cosine an asset is related, and that nothing is to words that it never learned', async () => {
    const encoder = await textModel({ script: 'Latin' });
    expect(await encoder.relatedFrom('robot arm')).toBe(0.5);
    for (const unknown of ['xyzzy', 'рука', '手臂', '🤖', '']) {
      expect(await encoder.relatedFrom(unknown), unknown).toBe(Number.POSITIVE_INFINITY);
    }
  });

  test('relates words of every script if it has learned them', async () => {
    const encoder = await textModel();
    for (const known of ['arm', 'рука', '手臂']) expect(await encoder.relatedFrom(known)).toBe(0.5);
    const [arm, russian, chinese] = await encoder.embedText(['arm', 'рука', '手臂']);
    expect(cosine(arm, russian)).toBeCloseTo(1, 2);
    expect(cosine(arm, chinese)).toBeCloseTo(1, 2);
  });
});

describe('a model that cannot be opened', () => {
  test('is reported as missing if it is not installed', async () => {
    await expect(createEncoder({ folder, model: 'siglip2' })).rejects.toMatchObject({
      failure: 'missing',
      message: expect.stringContaining('open_clip/ViT-B-16-SigLIP2/webli'),
    });
  });

  test.each(['SigLIP2', 'a/b', 'a/b/c/d', '../x/y', 'a//c', ''])('has an invalid name %j', async (model) => {
    await expect(createEncoder({ folder, model })).rejects.toThrow(RangeError);
  });

  test.each([
    ['not JSON', '{'],
    ['of another schema', JSON.stringify({ schema: 'bindery.encoder/v2' })],
  ])('is reported as damaged if its description is %s', async (_, text) => {
    const { id } = await writeSmallModel(folder, 'test/damaged/model');
    await writeFile(join(folderOfModel(folder, id), 'model.json'), text);
    await expect(createEncoder({ folder, model: id })).rejects.toMatchObject({ failure: 'damaged' });
  });

  test.each([
    ['names a file outside its folder', { files: [{ name: '../x', size: 1, sha256: '0'.repeat(64) }] }],
    ['does not list its files', { files: [{ name: 'x', size: 1, sha256: '0'.repeat(64) }] }],
    ['has more dimensions than a vector can have', { dim: 769 }],
    ['is of another model', { id: 'test/other/model' }],
  ])('is reported as damaged if its description %s', async (_, change) => {
    const description = await writeSmallModel(folder, 'test/damaged/model');
    const file = join(folderOfModel(folder, description.id), 'model.json');
    await writeFile(file, JSON.stringify({ ...description, ...change }));
    const model = description.id;
    await expect(createEncoder({ folder, model })).rejects.toMatchObject({ failure: 'damaged' });
  });
});
