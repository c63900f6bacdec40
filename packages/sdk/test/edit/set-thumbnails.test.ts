import { type Manifest, routes } from '@bindery/contract';
import { expect, test } from 'vitest';
import { setThumbnails } from '../../src/edit/set-thumbnails.ts';
import { libraryParams } from '../../src/index.ts';
import { folderWith } from '../folder.ts';
import { ADDRESS, type Publisher, publishers } from '../push/publisher.ts';

const WEBP = new TextEncoder().encode('a picture');
const FILES = { 'arm/arm.glb': 'arm', 'hand/hand.glb': 'hand' };

async function manifestOf({ client }: Publisher): Promise<Manifest> {
  const { bytes } = await client.raw(routes.libraries.getManifest, { params: libraryParams(ADDRESS) });
  return JSON.parse(new TextDecoder().decode(bytes));
}

async function thumbnailsOf(ann: Publisher): Promise<Record<string, string | undefined>> {
  const { assets } = await manifestOf(ann);
  return Object.fromEntries(assets.map(({ id, thumbnail }) => [id, thumbnail]));
}

test('a rendered image becomes the thumbnail of its asset, and a push of the same files keeps it', async () => {
  const [ann] = (await publishers(1)) as [Publisher];
  const folder = folderWith(FILES);
  await ann.push(folder);
  const { assets } = await manifestOf(ann);
  const drawn = assets.map(({ id, files }) => ({ asset: id, files, webp: WEBP }));
  const { library } = await setThumbnails(ann.client, ADDRESS, drawn, {});
  expect(library.revision).toBe(2);
  const both = { arm: '.bindery/thumbs/arm.webp', hand: '.bindery/thumbs/hand.webp' };
  expect(await thumbnailsOf(ann)).toEqual(both);
  expect(await ann.push(folder)).toMatchObject({ status: 'unchanged', revision: 2 });
});

test('what was measured is set with the image or alone, unless the asset has statistics, and a push of the same files keeps it', async () => {
  const [ann] = (await publishers(1)) as [Publisher];
  const folder = folderWith(FILES);
  await ann.push(folder);
  const { assets } = await manifestOf(ann);
  const set = (webp: Uint8Array | null, triangles: number) =>
    setThumbnails(
      ann.client,
      ADDRESS,
      assets.map(({ id, files }) => ({ asset: id, files, webp, statistics: { triangles } })),
      {},
    );
  await set(null, 5);
  expect(await thumbnailsOf(ann)).toEqual({ arm: undefined, hand: undefined });
  await set(WEBP, 7);
  expect(await thumbnailsOf(ann)).toMatchObject({ arm: '.bindery/thumbs/arm.webp' });
  expect(await ann.push(folder)).toMatchObject({ status: 'unchanged', revision: 3 });
  const { assets: after } = await manifestOf(ann);
  expect(after.map(({ meta }) => meta)).toEqual([
    { statistics: { triangles: 5 } },
    { statistics: { triangles: 5 } },
  ]);
  await expect(set(null, 9)).rejects.toThrow('already have thumbnails');
});

test('a rendered image is not set if its asset has changed since or already has a thumbnail', async () => {
  const [ann] = (await publishers(1)) as [Publisher];
  await ann.push(folderWith(FILES));
  const { assets } = await manifestOf(ann);
  const drawn = assets.map(({ id, files }) => ({ asset: id, files, webp: WEBP }));
  await ann.push(folderWith({ 'arm/arm.glb': 'another arm', 'hand/hand.glb': 'hand' }), { force: true });
  await setThumbnails(ann.client, ADDRESS, drawn, {});
  expect(await thumbnailsOf(ann)).toEqual({ arm: undefined, hand: '.bindery/thumbs/hand.webp' });
  await expect(setThumbnails(ann.client, ADDRESS, drawn, {})).rejects.toThrow('already have thumbnails');
});
