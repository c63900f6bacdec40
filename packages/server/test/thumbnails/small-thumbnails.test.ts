import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AssetDetail, LibrarySummary, SearchHit } from '@bindery/contract';
import { withTurntable } from '@bindery/formats/images/turntable';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DiskThumbnails } from '../../src/adapters/thumbnails/disk-cache.ts';
import { createThumbnailResizer } from '../../src/adapters/thumbnails/resizer.ts';
import {
  type SmallThumbnail,
  SmallThumbnails,
  type ThumbnailResizer,
} from '../../src/thumbnails/small-thumbnails.ts';
import type { Actor } from '../actor.ts';
import { publish } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
let ada: Actor;

beforeAll(async () => {
  service = await startService({ stillClock: true });
  ada = await service.member('ada');
});
afterAll(() => service.close());

/** A picture with some detail, so that its bytes grow with its size. */
function picture(width: number, height: number): Sharp {
  const noise = Uint8Array.from({ length: (width * height * 3) / 16 }, (_, at) => (at * 7919) % 251);
  return sharp(noise, { raw: { width: width / 4, height: height / 4, channels: 3 } }).resize(width, height);
}

/** Publishes a library of one asset with this thumbnail, and answers the URLs of its small forms by their widths. */
async function publishWith(name: string, fileName: string, bytes: Uint8Array): Promise<Map<number, string>> {
  const thumbnail = `.bindery/thumbs/${fileName}`;
  await publish(ada, `ada/${name}`, {
    assets: [{ id: 'arm', thumbnail, files: { 'arm/arm.obj': 'v 0 0 0' } }],
    generated: { [thumbnail]: bytes },
  });
  const path = `/namespaces/ada/libraries/${name}/search?srcset=true`;
  const { body } = await ada.get<{ hits: SearchHit[] }>(path);
  return urlsOf(body.hits[0]?.thumbnailSrcset);
}

function urlsOf(srcset: string | null | undefined): Map<number, string> {
  return new Map(
    srcset?.split(', ').map((one) => {
      const [url = '', width = ''] = one.split(' ');
      return [Number.parseInt(width, 10), url];
    }),
  );
}

async function read(url: string | undefined): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
  const answer = await fetch(url ?? '');
  return {
    status: answer.status,
    headers: answer.headers,
    bytes: Buffer.from(await answer.arrayBuffer()),
  };
}

test('lists contain no srcset unless it is requested', async () => {
  await publishWith('quiet', 'arm.png', await picture(64, 64).png().toBuffer());
  const { body } = await ada.get<{ hits: SearchHit[] }>('/namespaces/ada/libraries/quiet/search');
  expect(body.hits[0]).not.toHaveProperty('thumbnailSrcset');
  const { body: list } = await ada.get<{ libraries: LibrarySummary[] }>('/namespaces/ada/libraries');
  expect(list.libraries[0]).not.toHaveProperty('coverThumbSrcset');
});

test('every list and the asset itself return the same srcset of small thumbnails', async () => {
  const urls = await publishWith('arms', 'arm.png', await picture(1280, 960).png().toBuffer());
  expect([...urls.keys()]).toEqual([160, 320, 640]);
  const asset = await ada.get<AssetDetail>('/namespaces/ada/libraries/arms/assets/arm?srcset=true');
  expect(urlsOf(asset.body.thumbnailSrcset)).toEqual(urls);
  const list = await ada.get<{ libraries: LibrarySummary[] }>('/namespaces/ada/libraries?srcset=true');
  expect(urlsOf(list.body.libraries.find(({ name }) => name === 'arms')?.coverThumbSrcset)).toEqual(urls);
  const all = await ada.get<{ libraries: LibrarySummary[] }>('/libraries?srcset=true');
  expect(urlsOf(all.body.libraries.find(({ name }) => name === 'arms')?.coverThumbSrcset)).toEqual(urls);
  for (const path of [
    '/search?srcset=true&library=ada/arms',
    '/library-search?srcset=true&libraries=ada/arms',
  ]) {
    const { body } = await ada.get<{ hits: SearchHit[] }>(path);
    expect(urlsOf(body.hits[0]?.thumbnailSrcset)).toEqual(urls);
  }
});

test('a large picture is served in small sizes, as WebP that browsers can cache', async () => {
  const original = await picture(1280, 960).png().toBuffer();
  const urls = await publishWith('large', 'arm.png', original);
  for (const [width, url] of urls) {
    const { status, headers, bytes } = await read(url);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('image/webp');
    expect(headers.get('cache-control')).toContain('immutable');
    expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const { format, ...size } = await sharp(bytes).metadata();
    expect(format).toBe('webp');
    expect(size).toMatchObject({ width, height: (width * 3) / 4 });
    expect(bytes.length).toBeLessThan(original.length / 2);
  }
});

test('a small thumbnail is upright, stays transparent, and is never larger than the original', async () => {
  const transparent = sharp({
    create: { width: 100, height: 50, channels: 4, background: { r: 200, g: 0, b: 0, alpha: 0.5 } },
  });
  const turned = await transparent.clone().webp().withMetadata({ orientation: 6 }).toBuffer();
  const urls = await publishWith('turned', 'arm.webp', turned);
  const { bytes } = await read(urls.get(320));
  expect(await sharp(bytes).metadata()).toMatchObject({ width: 50, height: 100, hasAlpha: true });
});

/** A still picture that is transparent in part, and one of two frames. */
async function turningPictures() {
  const frame = (red: number) =>
    sharp({ create: { width: 64, height: 64, channels: 4, background: { r: red, g: 0, b: 0, alpha: 0.5 } } });
  const still = await frame(10).webp().toBuffer();
  const frames = Buffer.concat(await Promise.all([20, 200].map((red) => frame(red).raw().toBuffer())));
  const raw = { width: 64, height: 128, channels: 4, pageHeight: 64 } as const;
  const turning = await sharp(frames, { raw }).webp({ loop: 0 }).toBuffer();
  return { still, turning };
}

test('the turntable within a thumbnail is served apart, and the rest of it as if it had none', async () => {
  const { still, turning } = await turningPictures();
  const urls = await publishWith('turning', 'arm.webp', withTurntable(still, turning));
  const small = await read(urls.get(160));
  expect(await sharp(small.bytes).metadata()).toMatchObject({ width: 64, height: 64 });
  const url = (urls.get(160) ?? '').replace('160.webp', 'turntable.webp');
  const { status, headers, bytes } = await read(url);
  expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'image/webp' });
  expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
  expect(bytes).toEqual(turning);
  expect(await sharp(bytes).metadata()).toMatchObject({ pages: 2 });
  expect((await read(url.replace(/signature=.*/, 'signature=forged'))).status).toBe(403);
  const door = `${service.url}/raw/ada/turning/.bindery/thumbs/arm.webp?turntable`;
  expect((await fetch(door)).status).toBe(401);
  await ada.post('/namespaces/ada/libraries/turning', { visibility: 'public' });
  expect(Buffer.from(await (await fetch(door)).arrayBuffer())).toEqual(turning);
});

test('a picture without a turntable, or with a damaged one, has none', async () => {
  const { still, turning } = await turningPictures();
  const whole = withTurntable(still, turning);
  const damaged = [still, whole.subarray(0, -20), withTurntable(still, Buffer.from('no picture'))];
  for (const [at, bytes] of damaged.entries()) {
    const urls = await publishWith(`still-${at}`, 'arm.webp', bytes);
    const url = (urls.get(160) ?? '').replace('160.webp', 'turntable.webp');
    expect((await read(url)).status).toBe(404);
  }
});

test('a small thumbnail is served from the cache after the first request', async () => {
  const urls = await publishWith('once', 'arm.png', await picture(640, 640).png().toBuffer());
  await read(urls.get(160));
  const folder = join(service.context.configuration.dataDir, 'thumbnails');
  const kept = (await readdir(folder, { recursive: true })).find((path) =>
    path.includes(new URL(urls.get(160) ?? '').pathname.split('/')[3] ?? '?'),
  );
  await writeFile(join(folder, kept ?? ''), 'as it was kept');
  expect((await read(urls.get(160))).bytes.toString()).toBe('as it was kept');
});

describe('concurrent requests for a small thumbnail', () => {
  test('all get the same picture', async () => {
    const urls = await publishWith('crowd', 'arm.png', await picture(1280, 1280).png().toBuffer());
    const answers = await Promise.all(Array.from({ length: 20 }, () => read(urls.get(320))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ bytes }) => bytes.toString('base64'))).size).toBe(1);
  });

  test('share one resize', async () => {
    const urls = await publishWith('shared', 'arm.png', await picture(1280, 1280).png().toBuffer());
    const [, , storeId = '', sha256 = ''] = new URL(urls.get(320) ?? '').pathname.split('/');
    const { objects, configuration, log } = service.context;
    const resizer = createThumbnailResizer(objects);
    const resized: SmallThumbnail[] = [];
    const counting: ThumbnailResizer = {
      ...resizer,
      resize: (thumbnail) => {
        resized.push(thumbnail);
        return resizer.resize(thumbnail);
      },
    };
    const folder = join(configuration.dataDir, 'thumbnails-of-a-crowd');
    const cache = new DiskThumbnails({ folder, maxBytes: 2 ** 20, log });
    const thumbnails = new SmallThumbnails(objects, counting, cache);
    const asked = { storeId, sha256, width: 320 };
    try {
      await Promise.all(Array.from({ length: 20 }, () => thumbnails.read(asked)));
      expect(resized).toEqual([asked]);
    } finally {
      await thumbnails.close();
    }
  });
});

describe('a thumbnail URL', () => {
  test('works only for its own picture in the offered widths, and has expired after 20 minutes', async () => {
    const urls = await publishWith('signed', 'arm.png', await picture(64, 64).png().toBuffer());
    const other = await publishWith('other', 'arm.png', await picture(32, 32).png().toBuffer());
    const url = new URL(urls.get(160) ?? '');
    const foreign = new URL(other.get(160) ?? '');
    expect((await read(`${url.origin}${foreign.pathname}${url.search}`)).status).toBe(403);
    expect((await read(`${url.origin}${url.pathname}`)).status).toBe(403);
    expect((await read(url.href.replace('/160.webp', '/161.webp'))).status).toBe(404);
    expect((await read(url.href.replace('/160.webp', '/..%2F160.webp'))).status).toBe(404);
    expect((await read(url.href)).status).toBe(200);
    service.advance(1_201);
    const { status, bytes } = await read(url.href);
    expect([status, JSON.parse(bytes.toString()).error]).toEqual([403, 'url_expired']);
  });

  test('is the same in the next response, so that browsers can use their cache', async () => {
    const first = await publishWith('steady', 'arm.png', await picture(64, 64).png().toBuffer());
    const { body } = await ada.get<AssetDetail>('/namespaces/ada/libraries/steady/assets/arm?srcset=true');
    expect(urlsOf(body.thumbnailSrcset)).toEqual(first);
  });

  test('is 404 once the library is purged, and its cached thumbnails are deleted', async () => {
    const urls = await publishWith('gone', 'arm.png', await picture(64, 64).png().toBuffer());
    expect((await read(urls.get(160))).status).toBe(200);
    const storeId = new URL(urls.get(160) ?? '').pathname.split('/')[2] ?? '';
    const folder = join(service.context.configuration.dataDir, 'thumbnails');
    expect(await readdir(folder)).toContain(storeId);
    await ada.delete('/namespaces/ada/libraries/gone');
    await ada.delete('/namespaces/ada/libraries/gone/purge');
    expect((await read(urls.get(160))).status).toBe(404);
    expect(await readdir(folder)).not.toContain(storeId);
  });
});

describe('a hostile picture has no small thumbnail and does not break others:', () => {
  const png = async () => picture(64, 64).png().toBuffer();
  const hostile: Record<string, () => Promise<Uint8Array> | Uint8Array> = {
    'an SVG': () =>
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script/></svg>'),
    'a page': () => Buffer.from('<!doctype html><script>alert(1)</script>'),
    'nothing at all': () => new Uint8Array(),
    'a PNG that announces 3.6 thousand million pixels': async () => withSize(await png(), 60_000, 60_000),
    'a PNG that announces other rows than it has': async () => withSize(await png(), 64, 4_000),
    'a JPEG that was cut off': async () => (await picture(640, 640).jpeg().toBuffer()).subarray(0, 2_000),
    'a TIFF': async () => picture(64, 64).tiff().toBuffer(),
  };

  test.each(Object.entries(hostile))('%s', async (name, make) => {
    const urls = await publishWith(`hostile-${name.length}`, 'arm.png', await make());
    expect((await read(urls.get(320))).status).toBe(404);
    const fine = await publishWith(`fine-${name.length}`, 'arm.png', await png());
    expect((await read(fine.get(320))).status).toBe(200);
  });
});

/** A PNG whose header says another size. */
function withSize(png: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(png);
  changed.writeUInt32BE(width, 16);
  changed.writeUInt32BE(height, 20);
  changed.writeInt32BE(crc32(changed.subarray(12, 29)), 29);
  return changed;
}

function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}
