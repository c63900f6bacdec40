import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAssetDataBlocks } from '../src/blend/data-blocks.ts';
import { unpackBlend } from '../src/blend/unpack.ts';
import { Unrenderable } from '../src/reading/errors.ts';
import { blendFile, inFrames, type WrittenAsset } from './blend-files.ts';

const catalog = Buffer.from('67452301ab89efcd0123456789abcdef', 'hex');
const ASSETS: WrittenAsset[] = [
  {
    code: 'OB',
    name: 'Chair größe',
    metadata: {
      author: 'Ada',
      description: 'd'.repeat(3_000),
      license: 'CC0-1.0',
      tags: ['wood', 'seat'],
      catalog,
    },
  },
  { code: 'MA', name: 'Plain', metadata: null },
  { code: 'MA', name: 'Oak', metadata: {} },
  { code: 'WM', name: 'Window', metadata: {} },
];
const READ = [
  {
    name: 'Chair größe',
    idType: 'OBJECT',
    catalogId: '01234567-89ab-cdef-0123-456789abcdef',
    author: 'Ada',
    description: 'd'.repeat(3_000),
    license: 'CC0-1.0',
    tags: ['wood', 'seat'],
  },
  { name: 'Oak', idType: 'MATERIAL' },
];

async function read(bytes: Buffer) {
  const file = {
    size: bytes.length,
    read: async (at: number, length: number) => bytes.subarray(at, at + length),
  };
  return readAssetDataBlocks(await unpackBlend(file));
}

describe('the data-blocks of a Blender file that are marked as assets are read', () => {
  test.each<[string, Buffer, string]>([
    ['of Blender 4', blendFile(ASSETS), '4.5'],
    ['of Blender 5', blendFile(ASSETS, 500), '5.0'],
    ['in frames', inFrames(blendFile(ASSETS), 1_000), '4.5'],
    ['in one frame', inFrames(blendFile(ASSETS, 500), 10_000_000), '5.0'],
    ['in gzip', gzipSync(blendFile(ASSETS)), '4.5'],
  ])('%s', async (_title, bytes, blenderVersion) => {
    expect(await read(bytes)).toEqual({ blenderVersion, dataBlocks: READ });
  });

  test('of a file without assets', async () => {
    expect((await read(blendFile([]))).dataBlocks).toEqual([]);
  });
});

test('a damaged file is read as far as it can be, or refused, and takes no long', async () => {
  const files = [blendFile(ASSETS), blendFile(ASSETS, 500), inFrames(blendFile(ASSETS), 1_000)];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      fc.nat(),
      fc.nat(255),
      fc.boolean(),
      async (file, at, byte, isCut) => {
        const bytes = Buffer.from(isCut ? file.subarray(0, at % file.length) : file);
        if (!isCut) bytes[at % bytes.length] = byte;
        const found = await read(bytes).catch((error: unknown) => error);
        if (found instanceof Error) expect(found).toBeInstanceOf(Unrenderable);
      },
    ),
    { numRuns: 500 },
  );
});

test('a list of tags that leads back to itself ends', async () => {
  const file = blendFile([{ code: 'OB', name: 'a', metadata: { tags: ['x', 'y'] } }]);
  const last = file.lastIndexOf(Buffer.from('y\0'));
  const first = file.lastIndexOf(Buffer.from('x\0'));
  const own = file.readBigUInt64LE(first - 16 - 16);
  file.writeBigUInt64LE(own, last - 16);
  const { dataBlocks } = await read(file);
  expect(dataBlocks[0]?.tags?.length).toBeLessThanOrEqual(100);
});

test('of a long text what is beyond 4 KiB is left out, and a file that says too much in all is refused', async () => {
  const told = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      code: 'OB',
      name: `a${at}`,
      metadata: { description: 'é'.repeat(5_000) },
    }));
  const [first] = (await read(blendFile(told(1)))).dataBlocks;
  expect(first?.description).toBe('é'.repeat(2_048));
  await expect(read(blendFile(told(1_100)))).rejects.toThrow('says too much about its assets');
});
