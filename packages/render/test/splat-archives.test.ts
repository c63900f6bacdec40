import { describe, expect, test } from 'vitest';
import type { RenderLimits } from '../../formats/src/reading/limits.ts';
import { loadSplats } from '../../formats/src/splats/read.ts';
import { createRendererContext } from '../src/host/renderer-context.ts';
import { memoryFiles } from '../src/index.ts';
import { renderThumbnail } from '../src/thumbnail.ts';
import { pylonSplats, type Splat, sog, streamedSog } from './models/splats.ts';
import { zip } from './models/zip.ts';

async function load(
  entry: string,
  bytes: ReadonlyMap<string, Uint8Array>,
  limits: Partial<RenderLimits> = {},
) {
  return loadSplats(entry, createRendererContext(memoryFiles(bytes), limits));
}

function splats(count: number): Splat[] {
  const [splat] = pylonSplats();
  return Array<Splat>(count).fill(splat!);
}

describe('a streamed SOG', () => {
  const countOf = async (levels: Splat[][], limits: Partial<RenderLimits> = {}) =>
    (await load('scene/lod-meta.json', await streamedSog(levels), limits))?.count;

  test('is drawn from its finest level if no level has one splat per pixel', async () => {
    expect(await countOf([splats(9), splats(5), splats(2)])).toBe(9);
  });

  test('is drawn from the coarsest level that has one splat per pixel', async () => {
    const files = await streamedSog([splats(8), splats(640 * 640), splats(5)]);
    const index = Buffer.from(files.get('scene/lod-meta.json')!)
      .toString()
      .replace('"count":4', '"count":999999');
    files.set('scene/lod-meta.json', Buffer.from(index));
    expect((await load('scene/lod-meta.json', files))?.count).toBe(640 * 640);
  });

  test('is drawn from the finest level within the splat limit, and refused if there is none', async () => {
    expect(await countOf([splats(9), splats(5), splats(2)], { splats: 6 })).toBe(5);
    await expect(countOf([splats(9), splats(5)], { splats: 4 })).rejects.toThrow(
      'too large: more than 4 splats',
    );
  });

  test('is drawn without the files of other levels', async () => {
    const files = await streamedSog([splats(9), splats(5)]);
    for (const path of [...files.keys()].filter((name) => name.includes('1_0'))) files.delete(path);
    expect((await load('scene/lod-meta.json', files))?.count).toBe(9);
  });

  test('reads each splat in the ranges of its regions once', async () => {
    const cloud = await load('scene/lod-meta.json', await streamedSog([pylonSplats()]));
    expect(cloud).toEqual(await load('meta.json', await sog(2)));
  });

  test.each([
    [{ filenames: [], tree: {} }, 'lod-meta.json names no level of detail'],
    [{ tree: { lods: { 0: { file: 0, offset: 0, count: 1 } } } }, 'a file of the level of detail is missing'],
    [
      { tree: { lods: { 0: { file: 0, offset: -1, count: 1 } } } },
      'lod-meta.json holds a number that counts nothing',
    ],
    [{ tree: { lods: { 0: null } } }, 'lod-meta.json holds a number that counts nothing'],
    [{ tree: { children: [null, 7, 'x', { children: 'y' }] } }, 'lod-meta.json names no level of detail'],
    [{ tree: { children: Array(300_000).fill({}) } }, 'too large: more than 200000 nodes'],
    [7, 'lod-meta.json is not an object'],
  ])('with damaged index %# is refused: $1', async (index, warning) => {
    const files = new Map([['lod-meta.json', Buffer.from(JSON.stringify(index))]]);
    await expect(load('lod-meta.json', files)).rejects.toThrow(warning);
  });

  test('is refused if its index takes more splats from a file than it has', async () => {
    const files = await streamedSog([splats(9)]);
    const index = Buffer.from(files.get('scene/lod-meta.json')!).toString().replace('"count":5', '"count":6');
    files.set('scene/lod-meta.json', Buffer.from(index));
    await expect(load('scene/lod-meta.json', files)).rejects.toThrow(
      'a SOG file has fewer splats than are taken from it',
    );
  });
});

describe('a SOG archive', async () => {
  const archive = zip(await sog(2), 'deflated');
  const warningOf = async (bytes: Uint8Array, limits: Partial<RenderLimits> = {}) => {
    const files = memoryFiles(new Map([['a.sog', bytes]]));
    const thumbnail = await renderThumbnail({ kind: 'splat', entry: 'a.sog', files, limits });
    return 'warning' in thumbnail ? thumbnail.warning : 'drawn';
  };

  test('can have its files in a folder, and end in a comment', async () => {
    const inFolder = new Map([...(await sog(2))].map(([name, bytes]) => [`scene/${name}`, bytes]));
    expect(await warningOf(Buffer.concat([zip(inFolder, 'stored'), Buffer.from('a comment')]))).toBe('drawn');
  });

  test('is never unpacked beyond the input limit, whatever size it declares', async () => {
    const zeros = zip(new Map([['meta.json', new Uint8Array(2 ** 22)]]), 'deflated');
    expect(await warningOf(zeros, { inputBytes: 2 ** 20 })).toBe(
      'too large: more than 1048576 bytes of input',
    );
    const lying = Buffer.from(zeros);
    lying.writeUInt32LE(100, lying.indexOf('PK\x01\x02') + 24);
    expect(await warningOf(lying, { inputBytes: 2 ** 20 })).toBe('the SOG meta.json is not valid JSON');
  });

  test('that is damaged or has no meta.json is refused with a message', async () => {
    const changed = (at: number, value: number) => {
      const bytes = Buffer.from(archive);
      bytes[bytes.indexOf('PK\x01\x02') + at] = value;
      return warningOf(bytes);
    };
    const damaged = 'not a ZIP archive, or cut off or damaged';
    expect(await changed(10, 99)).toBe(damaged);
    expect(await warningOf(archive.subarray(0, archive.length - 30))).toBe(damaged);
    for (const [at, value] of [
      [20, 1],
      [42, 5],
    ] as const) {
      expect(await changed(at, value)).toMatch(/ZIP|SOG/);
    }
    expect(await warningOf(zip(new Map([['a', new Uint8Array(1)]]), 'stored'))).toBe(
      'the SOG archive has no meta.json',
    );
  });
});
