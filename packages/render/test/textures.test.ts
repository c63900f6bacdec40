import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../test/faults.ts';
import { decodePicture } from '../../formats/src/images/decode.ts';
import { Unrenderable } from '../../formats/src/reading/errors.ts';
import { memoryFiles } from '../src/index.ts';
import { renderThumbnail } from '../src/thumbnail.ts';
import { LEFT, pictures, RIGHT } from './models/textures.ts';
import { decode, isGreen, isRed, measurePixels } from './pictures.ts';

const PIXELS = 10_000;

describe.each(Object.entries(pictures()))('%s', (name, bytes) => {
  test('has its colours where they are', () => {
    const picture = decodePicture(bytes, PIXELS);
    expect([picture?.width, picture?.height]).toEqual([24, 20]);
    const at = (x: number) => [...(picture?.data ?? []).slice(x * 4, x * 4 + 3)];
    for (const [x, color] of [
      [3, LEFT],
      [20, RIGHT],
    ] as const) {
      // Blocks keep fewer bits of a colour, and tone mapping dims bright ones.
      for (const [channel, value] of at(x).entries()) {
        expect(Math.abs(value - (color[channel] ?? 0))).toBeLessThan(12);
      }
    }
  });

  test('is a picture by itself, and the texture of a model', async () => {
    const obj =
      'mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3 4/4\n';
    const model = {
      'a.obj': Buffer.from(obj),
      'a.mtl': Buffer.from(`newmtl m\nmap_Kd ${name}\n`),
      [name]: bytes,
    };
    for (const [kind, entry] of [
      ['image', name],
      ['mesh', 'a.obj'],
    ] as const) {
      const files = memoryFiles(new Map(Object.entries(model)));
      const picture = await decode(await renderThumbnail({ kind, entry, files }));
      const [red, green] = [measurePixels(picture, isRed), measurePixels(picture, isGreen)];
      const least = (picture.width * picture.height) / 8;
      expect(red.count).toBeGreaterThan(kind === 'image' ? least : 10_000);
      expect(green.count).toBeGreaterThan(kind === 'image' ? least : 10_000);
    }
  });

  test('is refused in words if it is larger than allowed', () => {
    expect(() => decodePicture(bytes, 100)).toThrow(new Unrenderable('too many pixels'));
  });

  test('is decoded or refused in words, however it is cut or damaged', async () => {
    const decoded = (damaged: Uint8Array) => {
      try {
        const picture = decodePicture(damaged, PIXELS);
        return picture === undefined || picture.data.length === picture.width * picture.height * 4;
      } catch (error) {
        return error instanceof Unrenderable;
      }
    };
    for (let length = 0; length < bytes.length; length += Math.ceil(bytes.length / 200)) {
      expect(decoded(bytes.slice(0, length))).toBe(true);
    }
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(changes, fc.boolean(), (list, isHead) => {
        const damaged = Uint8Array.from(bytes);
        for (const [at, value] of list) damaged[at % (isHead ? 128 : damaged.length)] = value;
        return decoded(damaged);
      }),
      { numRuns: rounds({ short: 300, long: 10_000 }) },
    );
  });
});
