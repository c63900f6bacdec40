import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SMALL_MODEL, writeSmallModel } from '../packages/encoder/test/small-model.ts';
import { Author, createAuthor, cube } from './author.ts';
import { bindery, type RunningService, serve, spawnBindery, temporaryFolder } from './bindery.ts';

const DIM = 768;
const OTHER_MODEL = 'bindery/small/other';
const EMBED = ['--embed', '--model', SMALL_MODEL];

let service: RunningService;
let token: string;
let models: string;

beforeAll(async () => {
  models = await temporaryFolder();
  await writeSmallModel(models);
  await writeSmallModel(models, OTHER_MODEL);
  service = await serve();
  token = await createAuthor(service);
});

afterAll(async () => {
  await service?.dispose();
  await rm(models, { recursive: true, force: true });
});

async function author(files: Record<string, string | Uint8Array>): Promise<Author> {
  const ada = await Author.create(service, token, files);
  ada.env.BINDERY_MODEL_DIR = models;
  return ada;
}

function picture(background: string, format: 'png' | 'jpeg' | 'webp' = 'png'): Promise<Buffer> {
  const plain = sharp({ create: { width: 64, height: 64, channels: 3, background } });
  return plain.toFormat(format).toBuffer();
}

const MUGS = 'assets:\n  mug:\n    title: Red mug\n    tags: [kitchen]\n  jug:\n    title: Blue jug\n';

/** A mug and a jug with images in different formats, and an unnamed box without one. */
async function crockery(): Promise<Record<string, string | Uint8Array>> {
  return {
    'bindery.yml': MUGS,
    'mug/mug.obj': cube(1),
    'mug/thumbnail.png': await picture('red'),
    'jug/jug.obj': cube(2),
    'jug/preview.jpg': await picture('blue', 'jpeg'),
    'box/box.obj': cube(3),
  };
}

/** A library's sidecar, with each vector as text for comparison. */
async function vectorsOf(ada: Author, library: string) {
  const document = JSON.parse((await ada.artifact(library, 'vectors.json')).toString());
  const matrix = await ada.artifact(library, 'vectors.f32');
  const row = (index: number | null) =>
    index === null ? null : matrix.subarray(index * DIM * 4, (index + 1) * DIM * 4).toString('base64');
  const items: { id: string; image: number | null; text: number | null }[] = document.items;
  return {
    document,
    rows: matrix.length / (DIM * 4),
    matrix,
    of: Object.fromEntries(items.map(({ id, image, text }) => [id, { image: row(image), text: row(text) }])),
  };
}

describe('push --embed', () => {
  test('encodes existing thumbnails and texts, and declares both files of the sidecar', async () => {
    const ada = await author(await crockery());
    const pushed = await ada.push('ada/first', ...EMBED);
    expect(pushed).toMatchObject({
      thumbnails: null,
      embeddings: {
        model: SMALL_MODEL,
        images: { encoded: 2, reused: 0 },
        texts: { encoded: 2, reused: 0 },
        warnings: [],
      },
      warnings: [],
    });
    const { document, rows, matrix } = await vectorsOf(ada, 'ada/first');
    expect(document).toEqual({
      schema: 'bindery.assets.vectors/v1',
      model: SMALL_MODEL,
      dim: DIM,
      items: [
        { id: 'jug', image: 0, text: 1 },
        { id: 'mug', image: 2, text: 3 },
      ],
    });
    expect(rows).toBe(4);
    for (let at = 0; at < rows; at++) expect(lengthOfRow(matrix, at)).toBeCloseTo(1, 5);
    expect((await ada.manifest('ada/first')).generated).toEqual([
      '.bindery/source/bindery.yml',
      '.bindery/vectors.f32',
      '.bindery/vectors.json',
    ]);
    expect(await ada.run('info', 'ada/first')).toMatchObject({ vectorsDim: DIM });
  });

  test('with --thumbnails encodes the thumbnails that it has just drawn', async () => {
    const ada = await author(await crockery());
    const plan = await ada.push('ada/drawn', '--thumbnails', ...EMBED, '--dry-run');
    expect(plan).toMatchObject({
      unchanged: false,
      embeddings: { images: { encoded: 3 }, texts: { encoded: 2 } },
    });
    await ada.push('ada/drawn', '--thumbnails', ...EMBED);
    expect((await vectorsOf(ada, 'ada/drawn')).document.items).toEqual([
      { id: 'box', image: 0, text: null },
      { id: 'jug', image: 1, text: 2 },
      { id: 'mug', image: 3, text: 4 },
    ]);
  });

  test('encodes nothing the second time, and later only what changed', async () => {
    const ada = await author(await crockery());
    await ada.push('ada/again', ...EMBED);
    expect(await ada.push('ada/again', ...EMBED)).toMatchObject({
      status: 'unchanged',
      embeddings: { images: { encoded: 0, reused: 2 }, texts: { encoded: 0, reused: 2 } },
    });
    await ada.write({ 'bindery.yml': MUGS.replace('Red mug', 'Crimson mug') });
    expect(await ada.push('ada/again', ...EMBED)).toMatchObject({
      status: 'published',
      embeddings: { images: { encoded: 0, reused: 2 }, texts: { encoded: 1, reused: 1 } },
    });
  });

  test('on another machine reuses the published vectors, including those of thumbnails drawn elsewhere', async () => {
    const ada = await author(await crockery());
    await ada.push('ada/elsewhere', '--thumbnails', ...EMBED);
    await rm(join(ada.home, 'cache'), { recursive: true });
    expect(await ada.push('ada/elsewhere', ...EMBED)).toMatchObject({
      status: 'unchanged',
      embeddings: { images: { encoded: 0, reused: 3 }, texts: { encoded: 0, reused: 2 } },
    });
    await rm(join(ada.home, 'cache'), { recursive: true });
    const other = await ada.push('ada/elsewhere', '--embed', '--model', OTHER_MODEL);
    expect(other.embeddings).toMatchObject({ images: { encoded: 3 }, texts: { encoded: 2 } });
    expect((await vectorsOf(ada, 'ada/elsewhere')).document.model).toBe(OTHER_MODEL);
  });

  test('warns of an image that cannot be decoded, and encodes the others', async () => {
    const ada = await author({ ...(await crockery()), 'jug/preview.jpg': 'no picture' });
    const pushed = await ada.push('ada/broken', ...EMBED);
    expect(pushed.embeddings.warnings).toEqual([{ asset: 'jug', warning: expect.any(String) }]);
    const { of } = await vectorsOf(ada, 'ada/broken');
    expect(of.jug).toMatchObject({ image: null, text: expect.any(String) });
    expect(of.mug?.image).toEqual(expect.any(String));
  });

  test('says how to download a missing model, and publishes nothing', async () => {
    const ada = await author(await crockery());
    const words = ['library', 'push', ada.folder, 'ada/nomodel', '--embed', '--model', 'siglip2'];
    const ended = await bindery(words, { env: ada.env });
    expect(ended.exitCode).toBe(5);
    expect(ended.stderr).toContain('open_clip/ViT-B-16-SigLIP2/webli');
    expect(ended.stderr).toContain(
      'so nothing new can be encoded. "bindery model pull siglip2" downloads it.\n',
    );
    await expect(ada.run('info', 'ada/nomodel')).rejects.toThrow('not_found');
  });

  test('without --model uses the included model if no default is installed, and prints its name', async () => {
    const ada = await author(await crockery());
    const ended = await bindery(['library', 'push', ada.folder, 'ada/included', '--embed'], { env: ada.env });
    expect(ended).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^Vectors of bindery\/\S+: 0 images and 2 texts encoded/m),
    });
  });

  test('names the command that repairs a damaged model file', async () => {
    const ada = await author(await crockery());
    const own = join(ada.home, 'models');
    const { id } = await writeSmallModel(own);
    const file = join(own, id, 'text.onnx');
    await writeFile(file, (await readFile(file)).fill(7, 1_000, 2_000));
    const ended = await bindery(['library', 'push', ada.folder, 'ada/damaged', ...EMBED], {
      env: { ...ada.env, BINDERY_MODEL_DIR: own },
    });
    expect(ended).toMatchObject({
      exitCode: 7,
      stderr: expect.stringContaining(`"bindery model pull ${id}" repairs it.\n`),
    });
  });

  test('into a namespace that the author cannot publish in says how to find another', async () => {
    const ada = await author(await crockery());
    const ended = await bindery(['library', 'push', ada.folder, 'somebody/crockery'], { env: ada.env });
    expect(ended).toMatchObject({
      exitCode: 5,
      stderr:
        'Error: You cannot publish in somebody, or it does not exist.\n' +
        '"bindery namespace list" shows where you can; "bindery namespace create" creates another.\n',
    });
  });

  test('refuses an unknown model name, and --model without --embed', async () => {
    const ada = await author(await crockery());
    await expect(ada.push('ada/names', '--embed', '--model', 'siglip')).rejects.toThrow('exit 2');
    await expect(ada.push('ada/names', '--model', 'clip')).rejects.toThrow('exit 2');
  });

  test('stops on Ctrl-C without publishing, and reuses what it encoded in the next push', async () => {
    const TITLES = 1_000;
    const titles = Array.from({ length: TITLES }, (_, at) => `  a${at}.txt:\n    title: shape ${at}\n`);
    const files = titles.map((_, at) => [`a${at}.txt`, `${at}`]);
    const ada = await author({ ...Object.fromEntries(files), 'bindery.yml': `assets:\n${titles.join('')}` });
    const words = ['library', 'push', ada.folder, 'ada/interrupted', ...EMBED];
    const child = spawnBindery(words, { env: ada.env });
    const cache = join(ada.home, 'cache/bindery/vectors');
    while ((await filesBelow(cache)) === 0 && child.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    child.kill('SIGINT');
    await once(child, 'close');
    expect(child.exitCode).toBe(130);
    await expect(ada.run('info', 'ada/interrupted')).rejects.toThrow('not_found');
    const { embeddings } = await ada.push('ada/interrupted', ...EMBED);
    expect(embeddings.texts.reused).toBeGreaterThan(0);
    expect(embeddings.texts.encoded + embeddings.texts.reused).toBe(TITLES);
  });
});

describe('a push without --embed', () => {
  test('keeps the vectors of unchanged images and texts, and drops those of changed and removed ones', async () => {
    const ada = await author({
      ...(await crockery()),
      'cup/cup.obj': cube(4),
      'cup/thumbnail.png': await picture('lime'),
    });
    await ada.push('ada/kept', ...EMBED);
    const before = await vectorsOf(ada, 'ada/kept');
    await ada.write({
      'bindery.yml': MUGS.replace('Red mug', 'Other mug'),
      'jug/preview.jpg': await picture('black', 'jpeg'),
    });
    await rm(join(ada.folder, 'cup'), { recursive: true });
    expect(await ada.push('ada/kept')).toMatchObject({
      status: 'published',
      embeddings: null,
      lost: { thumbnails: 0, vectors: 2 },
      warnings: [],
    });
    const after = await vectorsOf(ada, 'ada/kept');
    expect(after.rows).toBe(2);
    expect(after.of).toEqual({
      jug: { image: null, text: before.of.jug?.text },
      mug: { image: before.of.mug?.image, text: null },
    });
  });

  test('keeps the vectors byte for byte when an asset without vectors is added', async () => {
    const ada = await author(await crockery());
    await ada.push('ada/same', ...EMBED);
    const before = await vectorsOf(ada, 'ada/same');
    await ada.write({ 'new/new.obj': cube(5) });
    await ada.push('ada/same');
    const after = await vectorsOf(ada, 'ada/same');
    expect(after.document).toEqual(before.document);
    expect(after.matrix.equals(before.matrix)).toBe(true);
  });
});

describe('add and rm', () => {
  test('add the vectors of a new asset to the others, and remove those of a removed asset', async () => {
    const ada = await author(await crockery());
    await ada.push('ada/edited', ...EMBED);
    const before = await vectorsOf(ada, 'ada/edited');
    const cup = join(ada.home, 'cup');
    await mkdir(cup);
    await writeFile(join(cup, 'thumbnail.webp'), await picture('lime', 'webp'));
    await writeFile(join(cup, 'cup.obj'), cube(1));
    const added = await ada.run('add', 'ada/edited', cup, ...EMBED);
    expect(added.embeddings).toMatchObject({ images: { encoded: 1 }, texts: { encoded: 0 } });
    const between = await vectorsOf(ada, 'ada/edited');
    expect(between.of).toEqual({ ...before.of, cup: { image: expect.any(String), text: null } });
    await ada.run('rm', 'ada/edited', 'mug', '--yes');
    const after = await vectorsOf(ada, 'ada/edited');
    expect(after.rows).toBe(3);
    expect(after.of).toEqual({ cup: between.of.cup, jug: before.of.jug });
  });

  test('refuse to mix vectors of different models', async () => {
    const ada = await author(await crockery());
    await ada.push('ada/mixed', ...EMBED);
    const cup = join(ada.home, 'cup.obj');
    await writeFile(cup, cube(1));
    await expect(
      ada.run('add', 'ada/mixed', cup, '--thumbnails', '--embed', '--model', OTHER_MODEL),
    ).rejects.toThrow(SMALL_MODEL);
    expect((await vectorsOf(ada, 'ada/mixed')).document.model).toBe(SMALL_MODEL);
  });

  test('remove the sidecar when no vectors are left', async () => {
    const ada = await author(await crockery());
    await ada.push('ada/emptied', ...EMBED);
    await ada.run('rm', 'ada/emptied', 'mug', 'jug', '--yes');
    expect((await ada.manifest('ada/emptied')).generated).toEqual(['.bindery/source/bindery.yml']);
    expect(await ada.run('info', 'ada/emptied')).toMatchObject({ vectorsDim: null });
  });
});

function lengthOfRow(matrix: Buffer, row: number): number {
  let square = 0;
  for (let at = 0; at < DIM; at++) square += matrix.readFloatLE((row * DIM + at) * 4) ** 2;
  return Math.sqrt(square);
}

async function filesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp')).length;
}
