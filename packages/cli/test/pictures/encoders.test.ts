import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeIterm, encodeKitty, type Picture } from '../../src/output/pictures/protocols.ts';
import { encodeSixel } from '../../src/output/pictures/sixel.ts';
import { readIterm, readKitty, readSixel } from './parse.ts';

/** Any picture of up to 64 pixels a side; most hold noise, so that several chunks are needed. */
const pictures = fc
  .record({ width: fc.integer({ min: 1, max: 64 }), height: fc.integer({ min: 1, max: 64 }) })
  .chain(({ width, height }) =>
    fc
      .uint8Array({ minLength: width * height * 4, maxLength: width * height * 4, size: 'max' })
      .map((pixels): Picture => ({ width, height, pixels })),
  );

const FEW = { numRuns: 30 };

test('the kitty encoding holds the picture pixel for pixel, in chunks of at most 4096 bytes', () => {
  fc.assert(
    fc.property(pictures, (picture) => {
      const { control, chunks, ...read } = readKitty(encodeKitty(picture));
      expect(read).toEqual(picture);
      expect(Object.fromEntries(control)).toMatchObject({ a: 'T', f: '32', o: 'z', q: '2' });
      for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(4096);
      for (const chunk of chunks.slice(0, -1)) expect(chunk.length).toBe(4096);
    }),
    FEW,
  );
});

test('the kitty encoding gives only the longer side in cells, so that the picture fits its box', () => {
  const control = (width: number, height: number) =>
    readKitty(encodeKitty({ width, height, pixels: new Uint8Array(width * height * 4) })).control;
  expect(control(160, 40).get('c')).toBe('16');
  expect(control(160, 40).has('r')).toBe(false);
  expect(control(40, 160).get('r')).toBe('8');
  expect(control(40, 160).has('c')).toBe(false);
});

test('the iTerm2 encoding is a PNG of the picture, pixel for pixel', async () => {
  await fc.assert(
    fc.asyncProperty(pictures, async (picture) => {
      const { control, ...read } = await readIterm(encodeIterm(picture));
      expect(read).toEqual(picture);
      expect(Object.fromEntries(control)).toMatchObject({ inline: '1', width: '16', height: '8' });
    }),
    FEW,
  );
});

test('the sixel encoding matches the picture on white, within the precision of 100 steps per colour', () => {
  const colors = [
    [200, 30, 40, 255],
    [240, 240, 240, 255],
    [20, 60, 180, 255],
    [0, 100, 255, 127],
  ];
  const behind = [128, 178, 255, 255];
  const [width, height] = [80, 13];
  const striped = (stripes: number[][]) =>
    Uint8Array.from(
      Array.from({ length: width * height }, (_, at) => stripes[Math.floor((at % width) / 20)] ?? []).flat(),
    );
  const pixels = striped(colors);
  const given = pixels.slice();
  const read = readSixel(encodeSixel({ width, height, pixels }));
  expect(pixels).toEqual(given);
  expect([read.width, read.height]).toEqual([width, height]);
  const expected = striped(colors.with(3, behind));
  const errors = read.pixels.map((part, at) => Math.abs(part - (expected[at] ?? 0)));
  expect(Math.max(...errors)).toBeLessThanOrEqual(3);
});
