import type { Client, StoreRequest } from '@bindery/sdk';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { drawThumbnails } from '../../src/output/pictures/draw-thumbnails.ts';
import { fetchThumbnails } from '../../src/output/pictures/fetch-thumbnails.ts';
import { readIterm, readKitty, readSixel } from './parse.ts';

// The decoder puts it there, and other tests share the process.
afterAll(() => void Reflect.deleteProperty(globalThis, 'ImageData'));

const signal = new AbortController().signal;
const srcset = (name: string) =>
  [160, 320, 640].map((width) => `https://a.example/${name}/${width}.webp?s=1 ${width}w`).join(', ');

type Download = Client['download'];

/** Answers each picture by the name in its URL; what it does not know fails. */
function store(pictures: Record<string, Buffer>): { download: Download; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async download({ url }: StoreRequest) {
      asked.push(url);
      const bytes = pictures[new URL(url).pathname.split('/')[1] ?? ''];
      if (bytes === undefined) throw new Error('not found');
      return bytes;
    },
  };
}

async function drawn(bytes: Buffer, protocol: 'kitty' | 'iterm' | 'sixel' = 'kitty') {
  const [picture] = await drawThumbnails(
    store({ a: bytes }),
    [{ thumbnailSrcset: srcset('a') }],
    protocol,
    signal,
  );
  return picture ?? null;
}

function noise(width: number, height: number) {
  const pixels = Uint8Array.from({ length: width * height * 4 }, (_, at) =>
    at % 4 === 3 ? 255 - (at % 200) : (at * 7919) % 251,
  );
  const image = sharp(pixels, { raw: { width, height, channels: 4 } });
  return { width, height, pixels, image };
}

describe('a thumbnail', () => {
  test('in lossless WebP reaches kitty and iTerm2 pixel for pixel, and sixel terminals in full size', async () => {
    const { image, ...picture } = noise(160, 90);
    const webp = await image.webp({ lossless: true, exact: true }).toBuffer();
    const { control, chunks, ...kitty } = readKitty((await drawn(webp)) ?? '');
    expect(chunks.length).toBeGreaterThan(1);
    expect(control.size).toBeGreaterThan(0);
    expect(kitty).toEqual(picture);
    expect(await readIterm((await drawn(webp, 'iterm')) ?? '')).toMatchObject(picture);
    expect(readSixel((await drawn(webp, 'sixel')) ?? '')).toMatchObject({ width: 160, height: 90 });
  });

  test.each([1, 3, 4] as const)('in lossy WebP is decoded correctly with %i channels', async (channels) => {
    const create = { width: 160, height: 120, channels: 3, background: '#406080' } as const;
    const base = sharp({ create });
    const image = channels === 4 ? base.ensureAlpha(0.5) : channels === 1 ? base.toColourspace('b-w') : base;
    const webp = await image.webp().toBuffer();
    const { data, info } = await sharp(webp)
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const read = readKitty((await drawn(webp)) ?? '');
    expect([read.width, read.height]).toEqual([info.width, info.height]);
    expect(read.pixels).toEqual(new Uint8Array(data));
  });
});

describe('a thumbnail that is invalid or too large is not drawn', async () => {
  const good = await noise(160, 160).image.webp({ lossless: true }).toBuffer();
  const lossy = await noise(160, 160).image.removeAlpha().webp().toBuffer();
  const extended = await noise(160, 160).image.webp().toBuffer();
  const large = await noise(161, 8).image.webp().toBuffer();
  const patched = (bytes: Buffer, patch: (copy: Buffer) => void) => {
    const copy = Buffer.from(bytes);
    patch(copy);
    return copy;
  };
  const escapes = Buffer.from(`\u001b]0;owned\u0007\u001b[2J${'A'.repeat(100)}`);

  test.each<[string, Buffer]>([
    ['no bytes', Buffer.alloc(0)],
    ['terminal escape sequences', escapes],
    ['terminal escape sequences after a WebP header', Buffer.concat([lossy.subarray(0, 30), escapes])],
    ['a PNG', await noise(160, 160).image.png().toBuffer()],
    ['a wrong magic number', patched(good, (copy) => copy.write('RIFX'))],
    ['a declared length of 1 GiB', patched(good, (copy) => copy.writeUInt32LE(2 ** 30, 4))],
    ['a declared chunk length of 1 GiB', patched(good, (copy) => copy.writeUInt32LE(2 ** 30, 16))],
    ['lossless, 16,384 pixels a side', patched(good, (copy) => copy.writeUInt32LE(0x0fffffff, 21))],
    ['lossy, 16,383 pixels a side', patched(lossy, (copy) => copy.writeUInt32LE(0x3fff3fff, 26))],
    ['16,777,216 pixels a side', patched(extended, (copy) => copy.fill(0xff, 24, 30))],
    ['a canvas that differs in size from its frame', patched(extended, (copy) => copy.writeUIntLE(9, 24, 3))],
    ['a truncated WebP', good.subarray(0, good.length / 2)],
    ['more pixels than requested', large],
  ])('%s', async (_, bytes) => {
    for (const protocol of ['kitty', 'iterm', 'sixel'] as const) {
      expect(await drawn(bytes, protocol)).toBeNull();
    }
    expect(await drawn(good)).not.toBeNull();
  });
});

describe('fetching thumbnails', () => {
  test('requests the smallest size of each, keeps their order, and returns null for failures', async () => {
    const { download, asked } = store({ a: Buffer.from('1'), c: Buffer.from('3') });
    const srcsets = [srcset('a'), null, srcset('b'), undefined, srcset('c'), 'https://a.example/c 640w'];
    const fetched = await fetchThumbnails({ download }, srcsets, { signal });
    expect(fetched.map(String)).toEqual(['1', 'null', 'null', 'null', '3', 'null']);
    expect(asked).toEqual(['a', 'b', 'c'].map((name) => `https://a.example/${name}/160.webp?s=1`));
  });

  test('runs at most four downloads at a time, each limited to 256 KiB', async () => {
    let [running, most] = [0, 0];
    const limits = new Set<number>();
    const download: Download = async (_, limit) => {
      limits.add(limit);
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return Buffer.from('x');
    };
    const fetched = await fetchThumbnails({ download }, Array(30).fill(srcset('a')), { signal });
    expect(fetched.every((bytes) => bytes?.length === 1)).toBe(true);
    expect(most).toBe(4);
    expect([...limits]).toEqual([256 * 1024]);
  });

  test('returns null for downloads that exceed the timeout', async () => {
    const download: Download = ({ signal: given }) =>
      new Promise((_, reject) => given?.addEventListener('abort', () => reject(given.reason)));
    // The deadline alone keeps no process alive.
    const alive = setInterval(() => undefined, 1_000);
    const fetched = await fetchThumbnails({ download }, Array(9).fill(srcset('a')), { signal, timeout: 20 });
    clearInterval(alive);
    expect(fetched).toEqual(Array(9).fill(null));
  });

  test('stops with an error when the user interrupts', async () => {
    const person = new AbortController();
    const download: Download = async () => {
      person.abort(new Error('Interrupted.'));
      throw new Error('ended');
    };
    const fetching = fetchThumbnails({ download }, [srcset('a')], { signal: person.signal });
    await expect(fetching).rejects.toThrow('Interrupted.');
  });
});
