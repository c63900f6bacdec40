import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type AssetToConvert, type ConversionPool, createConversionPool } from '../src/index.ts';
import { MJCF, towerStl } from './models/robots.ts';

let pool: ConversionPool;
beforeAll(() => {
  pool = createConversionPool({ workers: 1, timeoutMs: 20_000, memoryMiB: 700 });
});
afterAll(() => pool[Symbol.asyncDispose]());

const PYLON = { 'a/pylon.xml': MJCF, 'a/meshes/tower.stl': towerStl() };

function assetOf(contents: Record<string, string | Uint8Array>, entry = Object.keys(contents)[0] ?? '') {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-conversion-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [root, into] = [join(folder, 'asset'), join(folder, 'converted')];
  mkdirSync(into);
  for (const [path, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const each = <T>(of: (bytes: Buffer) => T) =>
    new Map(Object.entries(contents).map(([path, content]) => [path, of(Buffer.from(content))]));
  const asset = {
    kind: 'mjcf',
    format: undefined,
    entry,
    sizes: each((bytes) => bytes.length),
    hashes: each((bytes) => createHash('sha256').update(bytes).digest('hex')),
    into,
  };
  const convert = (as: AssetToConvert['as'], more: Partial<AssetToConvert> = {}) =>
    pool.convert({ ...asset, as, ...more }, async (path) => join(root, path));
  return { root, into, convert };
}

test('a robot in MJCF is packed as an archive that MuJoCo opens, with its folder as the root', async () => {
  const { into, convert } = assetOf(PYLON);
  expect(await convert('mjz')).toEqual({ entry: 'pylon.mjz', files: ['pylon.mjz'], losses: [], proof: [] });
  const packed = unzipSync(readFileSync(join(into, 'pylon.mjz')));
  expect(Object.keys(packed).sort()).toEqual(['meshes/tower.stl', 'model.xml', 'pylon.xml']);
  expect(Buffer.from(packed['model.xml']!).toString()).toBe(MJCF);
});

test('an asset that has the format already is written as it is, or packed into one file', async () => {
  const { into, convert } = assetOf(PYLON);
  expect(await convert('mjcf')).toMatchObject({ entry: 'a/pylon.xml', files: Object.keys(PYLON) });
  expect(readFileSync(join(into, 'a/pylon.xml'), 'utf8')).toBe(MJCF);
  const packed = assetOf(PYLON);
  expect(await packed.convert('mjcf', { isPacked: true })).toMatchObject({ entry: 'pylon.zip' });
  expect(readdirSync(packed.into)).toEqual(['pylon.zip']);
});

test('what cannot be converted is refused for good, and nothing is written', async () => {
  const { into, convert } = assetOf({ 'notes.txt': 'no model' });
  expect(await convert('usd', { kind: 'file' })).toMatchObject({ isTransient: false });
  expect(readdirSync(into)).toEqual([]);
});

test('a file that changed since it was described is not converted', async () => {
  const { root, convert } = assetOf(PYLON);
  writeFileSync(join(root, 'a/meshes/tower.stl'), 'other bytes');
  expect(await convert('mjz')).toEqual({ refused: 'a/meshes/tower.stl is damaged', isTransient: true });
});

test('a file that is gone is named', async () => {
  const { root, convert } = assetOf(PYLON);
  rmSync(join(root, 'a/meshes/tower.stl'));
  expect(await convert('mjz')).toEqual({ refused: 'a/meshes/tower.stl cannot be read', isTransient: true });
});

test('more assets than may wait are refused at once', async () => {
  await using small = createConversionPool({ workers: 1, timeoutMs: 20_000, memoryMiB: 700, maxWaiting: 0 });
  const asset = { kind: 'file', format: undefined, entry: '', as: 'usd', into: '' } as const;
  const described = { ...asset, sizes: new Map<string, number>(), hashes: new Map<string, string>() };
  const first = small.convert(described, async () => '');
  await expect(small.convert(described, async () => '')).rejects.toThrow(RangeError);
  expect(await first).toHaveProperty('refused');
});
