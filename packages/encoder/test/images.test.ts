import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { ImageDescription } from '../src/description.ts';
import { decodeImage, type Picture, prepareImage, resample } from '../src/images.ts';
import { RECIPES } from '../src/recipes.ts';

const SIGLIP2: ImageDescription = { model: 'x', ...RECIPES.get('open_clip/ViT-B-16-SigLIP2/webli')!.image! };
const CLIP: ImageDescription = { model: 'x', ...RECIPES.get('open_clip/ViT-L-14/openai')!.image! };

/** A picture with slopes, steps and hard edges, the same in every language. */
function pattern(width: number, height: number): Picture {
  const pixels = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const edge = (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 1 ? 255 : 0;
      pixels.set([(x * 37 + y * 11) % 256, (x * x * 5 + y * 90) % 256, edge], (y * width + x) * 3);
    }
  }
  return { width, height, pixels };
}

function whole(width: number, height: number) {
  return [width, height, { left: 0, top: 0, width, height }] as const;
}

/** The bytes behind prepared numbers, a pixel after the other. */
function bytesOf(numbers: Float32Array, { size, mean, std }: ImageDescription): Uint8Array {
  const plane = size * size;
  return Uint8Array.from({ length: 3 * plane }, (_, at) => {
    const channel = (at % 3) as 0 | 1 | 2;
    const number = numbers[channel * plane + Math.floor(at / 3)] ?? Number.NaN;
    return Math.round((number * std[channel] + mean[channel]) * 255);
  });
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('resampling matches Pillow 9.4 Image.resize with BICUBIC', () => {
  test('when it shrinks', () => {
    expect([...resample(pattern(13, 7), ...whole(4, 3)).pixels]).toEqual([
      54, 86, 77, 167, 117, 163, 83, 147, 96, 145, 137, 166, 80, 109, 156, 178, 118, 107, 94, 121, 145, 171,
      116, 106, 109, 125, 101, 171, 124, 146, 87, 106, 111, 200, 122, 147,
    ]);
  });

  test('when it shrinks one side twenty times', () => {
    expect([...resample(pattern(40, 9), ...whole(2, 2)).pixels]).toEqual([
      123, 119, 127, 127, 129, 127, 128, 122, 128, 131, 120, 128,
    ]);
  });

  test('when it enlarges', () => {
    expect([...resample(pattern(3, 2), ...whole(5, 4)).pixels]).toEqual([
      0, 0, 0, 10, 0, 0, 36, 0, 0, 62, 7, 0, 76, 13, 0, 2, 19, 0, 13, 20, 0, 39, 24, 0, 65, 34, 0, 79, 40, 0,
      6, 71, 0, 20, 72, 0, 46, 76, 0, 72, 86, 0, 86, 92, 0, 9, 98, 0, 23, 99, 0, 49, 103, 0, 75, 113, 0, 89,
      119, 0,
    ]);
  });

  test('and a window of the result equals that part of the whole', () => {
    const source = pattern(30, 20);
    const all = resample(source, ...whole(12, 8));
    const part = resample(source, 12, 8, { left: 3, top: 2, width: 5, height: 4 });
    const cut = Array.from({ length: 4 }, (_, row) => {
      const start = ((row + 2) * 12 + 3) * 3;
      return [...all.pixels.subarray(start, start + 15)];
    });
    expect([...part.pixels]).toEqual(cut.flat());
  });
});

describe('a prepared image', () => {
  test('for SigLIP 2 is the whole picture squashed to 224 × 224, as Pillow does it', () => {
    const numbers = prepareImage(pattern(640, 480), SIGLIP2);
    expect(sha256(bytesOf(numbers, SIGLIP2))).toBe(
      '3cb141c3ac8cb152261bce3cb78d31c9b4b66303974b547aba631ee6d34304a4',
    );
  });

  test('for CLIP has its shorter side scaled to 224 and its middle cropped, as torchvision and Pillow do it', () => {
    const numbers = prepareImage(pattern(301, 200), CLIP);
    expect(sha256(bytesOf(numbers, CLIP))).toBe(
      'fd18a6891c94f5767bea027f198b8cc8bc14f8deb4f8f2688febfad7840df4c5',
    );
  });

  test('consists of red, green and blue planes, normalized by mean and standard deviation', () => {
    const pixels = Uint8Array.from({ length: 4 * 4 * 3 }, (_, at) => [255, 0, 51][at % 3] as number);
    const numbers = prepareImage({ width: 4, height: 4, pixels }, { ...SIGLIP2, size: 2 });
    expect([...numbers].map((number) => Number(number.toFixed(4)))).toEqual([
      1, 1, 1, 1, -1, -1, -1, -1, -0.6, -0.6, -0.6, -0.6,
    ]);
  });

  test('of a 16,000 × 1 picture has the usual size and the colour of the picture', () => {
    const numbers = prepareImage(
      { width: 16_000, height: 1, pixels: new Uint8Array(48_000).fill(255) },
      CLIP,
    );
    expect(numbers).toHaveLength(3 * 224 * 224);
    expect(new Set([...numbers].map((number) => number.toFixed(3)))).toEqual(
      new Set(['1.930', '2.075', '2.146']),
    );
  });
});

describe('decoding an image', () => {
  const size = { width: 2, height: 1 };

  test('puts transparent pixels on white', async () => {
    const raw = Buffer.from([255, 0, 0, 255, 0, 0, 0, 0]);
    const png = await sharp(raw, { raw: { ...size, channels: 4 } })
      .png()
      .toBuffer();
    expect([...(await decodeImage(png)).pixels]).toEqual([255, 0, 0, 255, 255, 255]);
  });

  test('expands grey to three channels and reduces 16-bit values to bytes', async () => {
    const grey = await sharp(Buffer.from([7, 200]), { raw: { ...size, channels: 1 } })
      .png()
      .toBuffer();
    expect([...(await decodeImage(grey)).pixels]).toEqual([7, 7, 7, 200, 200, 200]);
    const deep = await sharp(Buffer.from([255, 0, 0, 0, 255, 0]), { raw: { ...size, channels: 3 } })
      .toColourspace('rgb16')
      .png()
      .toBuffer();
    expect([...(await decodeImage(deep)).pixels]).toEqual([255, 0, 0, 0, 255, 0]);
  });

  test('rotates it upright by its EXIF orientation', async () => {
    const raw = Buffer.from([255, 0, 0, 0, 0, 255]);
    const turned = await sharp(raw, { raw: { ...size, channels: 3 } })
      .withMetadata({ orientation: 6 })
      .png()
      .toBuffer();
    expect(await decodeImage(turned)).toMatchObject({ width: 1, height: 2 });
  });
});
