import { join } from 'node:path';
import type { Manifest } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { expect, test } from 'vitest';
import { addAsset } from '../../src/edit/assets.ts';
import { libraryParams } from '../../src/index.ts';
import { FakeRenderer } from '../artifacts/fakes.ts';
import { folderWith, writeFiles } from '../folder.ts';
import { ADDRESS, type Publisher, publishers } from './publisher.ts';

/** Ann's library of an arm and a hand, which she pushed with a renderer that measures. */
async function measured(curation = 'assets: { arm: { title: Arm } }') {
  const [ann, bob] = (await publishers(2)) as [Publisher, Publisher];
  const folder = folderWith({ 'bindery.yml': curation, 'arm/arm.obj': 'an arm', 'hand/hand.glb': 'hand' });
  const renderer = new FakeRenderer();
  renderer.measures = true;
  await ann.push(folder, { renderer });
  return { ann, bob, folder, renderer };
}

/** What the library says in `meta` of each asset. */
async function metaOf({ client }: Publisher): Promise<Record<string, unknown>> {
  const { bytes } = await client.raw(routes.libraries.getManifest, { params: libraryParams(ADDRESS) });
  const { assets }: Manifest = JSON.parse(bytes.toString('utf8'));
  return Object.fromEntries(assets.map(({ id, meta }) => [id, meta]));
}

const BOTH = { arm: { statistics: { triangles: 6 } }, hand: { statistics: { triangles: 4 } } };

test('what a renderer measures is published, and measured once', async () => {
  const { ann, folder, renderer } = await measured();
  expect(await metaOf(ann)).toEqual(BOTH);
  expect(await ann.push(folder, { renderer })).toMatchObject({ status: 'unchanged' });
  expect(renderer.drawn).toHaveLength(2);
});

test('a push without thumbnails measures what is new, and nothing that the library states', async () => {
  const [ann, bob] = (await publishers(2)) as [Publisher, Publisher];
  const folder = folderWith({ 'arm/arm.obj': 'an arm', 'hand/hand.glb': 'hand' });
  const renderer = new FakeRenderer();
  renderer.measures = true;
  const options = { renderer, measuresOnly: true };
  expect(await ann.push(folder, { ...options, dryRun: true })).toMatchObject({
    unmeasured: 2,
    unchanged: false,
  });
  expect(await ann.push(folder, options)).toMatchObject({ revision: 1, thumbnails: null });
  expect(await metaOf(ann)).toEqual(BOTH);
  expect(await bob.push(folder, options)).toMatchObject({ status: 'unchanged' });
  writeFiles(folder, { 'arm/arm.obj': 'a longer arm' });
  await bob.push(folder, { ...options, force: true });
  expect(await metaOf(ann)).toEqual({ ...BOTH, arm: { statistics: { triangles: 12 } } });
  expect(renderer.measured).toEqual(['arm/arm.obj', 'hand/hand.glb', 'arm/arm.obj']);
  expect(renderer.drawn).toEqual([]);
});

test('a push without a renderer keeps the statistics of unchanged assets alone, and removes nothing of anybody', async () => {
  const { ann, bob, folder } = await measured();
  expect(await bob.push(folder)).toMatchObject({ status: 'unchanged' });
  writeFiles(folder, { 'arm/arm.obj': 'a longer arm' });
  expect(await ann.push(folder)).toMatchObject({ revision: 2, removedMetadata: [] });
  expect(await metaOf(ann)).toEqual({ hand: BOTH.hand });
});

test("other people's metadata stays when the statistics beside it are dropped", async () => {
  const { ann, folder, renderer } = await measured('assets: { arm: { meta: { payload_kg: 2 } } }');
  expect(await metaOf(ann)).toMatchObject({ arm: { payload_kg: 2, statistics: { triangles: 6 } } });
  writeFiles(folder, { 'arm/arm.obj': 'a longer arm' });
  await ann.push(folder);
  expect(await metaOf(ann)).toMatchObject({ arm: { payload_kg: 2 } });
  await ann.push(folder, { renderer });
  expect(await metaOf(ann)).toMatchObject({ arm: { payload_kg: 2, statistics: { triangles: 12 } } });
});

test('assets that come with a picture, large or small, are measured once and not drawn', async () => {
  const { ann, folder, renderer } = await measured();
  writeFiles(folder, { 'arm/preview.png': 'small', 'hand/preview.png': 'x'.repeat(100_000) });
  expect(await ann.push(folder, { renderer, dryRun: true })).toMatchObject({ unchanged: false });
  await ann.push(folder, { renderer });
  expect(await metaOf(ann)).toEqual(BOTH);
  expect(renderer.measured.sort()).toEqual(['arm/arm.obj', 'hand/hand.glb']);
  expect(await ann.push(folder, { renderer })).toMatchObject({ status: 'unchanged' });
  expect(renderer.measured).toHaveLength(2);
});

test("an author's own statistics win, and another renderer's numbers replace measured ones", async () => {
  const { ann, folder } = await measured('assets: { arm: { meta: { statistics: { triangles: 1 } } } }');
  expect(await metaOf(ann)).toEqual({ ...BOTH, arm: { statistics: { triangles: 1 } } });
  const other = new FakeRenderer('2');
  other.measures = true;
  other.render = async () => ({ webp: Buffer.from('x'), statistics: { triangles: 9 } });
  await ann.push(folder, { renderer: other });
  expect(await metaOf(ann)).toEqual({
    arm: { statistics: { triangles: 1 } },
    hand: { statistics: { triangles: 9 } },
  });
});

test('statistics that do not fit beside what an author wrote are left out', async () => {
  const meta = JSON.stringify({ notes: 'x'.repeat(8_170) });
  const { ann } = await measured(`assets: { arm: { meta: ${meta} } }`);
  expect(await metaOf(ann)).toEqual({ arm: JSON.parse(meta), hand: BOTH.hand });
});

test('replacing an asset keeps its statistics if the files are the same, and drops them otherwise', async () => {
  const { ann, folder } = await measured();
  const add = () => addAsset(ann.client, ADDRESS, join(folder, 'hand'), { ...ann.options, replace: true });
  await add();
  expect(await metaOf(ann)).toEqual(BOTH);
  writeFiles(folder, { 'hand/hand.glb': 'a glove' });
  expect(await add()).toMatchObject({ removedMetadata: [] });
  expect(await metaOf(ann)).toEqual({ arm: BOTH.arm });
});
