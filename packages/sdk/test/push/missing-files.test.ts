import { join } from 'node:path';
import type { Manifest } from '@bindery/contract';
import { LIMITS, routes, utf8Length } from '@bindery/contract/wire';
import { expect, test } from 'vitest';
import { publish } from '../../../server/test/libraries/publish.ts';
import { diffManifests } from '../../src/diff/diff-manifests.ts';
import { addAsset } from '../../src/edit/assets.ts';
import { libraryParams } from '../../src/index.ts';
import { folderWith, writeFiles } from '../folder.ts';
import { ADDRESS, type Publisher, publishers, publishersAt, serviceForOneTest } from './publisher.ts';

/** A robot that names these files. */
const robot = (...names: readonly string[]) => {
  const links = names.map(
    (name, at) =>
      `<link name="l${at}"><visual><geometry><mesh filename="${name}"/></geometry></visual></link>`,
  );
  return `<robot name="arm">${links.join('')}</robot>`;
};
const HAND = { missing: { total: 1, names: ['hand.obj'] } };

async function manifestOf({ client }: Publisher): Promise<Manifest> {
  const { bytes } = await client.raw(routes.libraries.getManifest, { params: libraryParams(ADDRESS) });
  return JSON.parse(bytes.toString('utf8'));
}

async function metaOf(somebody: Publisher): Promise<unknown> {
  return (await manifestOf(somebody)).assets.find(({ id }) => id === 'arm')?.meta;
}

test('a push writes what a robot lacks into its asset, and a repaired one removes it and nothing of anybody', async () => {
  const [ann, bob] = (await publishers(2)) as [Publisher, Publisher];
  const folder = folderWith({ 'arm/arm.urdf': robot('hand.obj') });
  await ann.push(folder);
  expect(await metaOf(ann)).toEqual(HAND);
  expect(await bob.push(folder)).toMatchObject({ status: 'unchanged' });
  const incomplete = await manifestOf(ann);
  writeFiles(folder, { 'arm/hand.obj': 'a hand' });
  expect(await ann.push(folder)).toMatchObject({ revision: 2, removedMetadata: [] });
  expect(await metaOf(ann)).toBeUndefined();
  expect(diffManifests(incomplete, await manifestOf(ann)).changes[0]?.facts.map(({ fact }) => fact)).toEqual([
    'meta.missing.names',
    'meta.missing.total',
  ]);
});

test('what a robot lacks stands beside what another client wrote about it', async () => {
  const service = await serviceForOneTest();
  const [ann] = (await publishersAt(service, 1)) as [Publisher];
  const files = { 'arm/arm.urdf': robot('hand.obj') };
  const asset = { id: 'arm', meta: { payload_kg: 2 }, files };
  await publish(await service.member('ann'), 'ann/robots', { assets: [asset] });
  await ann.push(folderWith(files));
  expect(await metaOf(ann)).toEqual({ payload_kg: 2, ...HAND });
});

test('what a robot lacks stands beside what its author wrote, whose own words about it win', async () => {
  const [ann] = (await publishers(1)) as [Publisher];
  const folder = folderWith({
    'bindery.yml': 'assets: { arm: { meta: { payload_kg: 2 } } }',
    'arm/arm.urdf': robot('hand.obj'),
  });
  await ann.push(folder);
  expect(await metaOf(ann)).toEqual({ payload_kg: 2, ...HAND });
  writeFiles(folder, { 'bindery.yml': 'assets: { arm: { meta: { missing: the left hand } } }' });
  await ann.push(folder, { confirmRemovals: async () => {} });
  expect(await metaOf(ann)).toEqual({ missing: 'the left hand' });
});

test('at most ten names are kept, and a number alone where they do not fit beside what an author wrote', async () => {
  const [ann] = (await publishers(1)) as [Publisher];
  const names = Array.from({ length: 12 }, (_, at) => `${'x'.repeat(300)}${at}.obj`);
  const folder = folderWith({ 'arm/arm.urdf': robot(...names) });
  await ann.push(folder);
  const kept = names.slice(0, 10).map((name) => name.slice(0, 200));
  expect(await metaOf(ann)).toEqual({ missing: { total: 12, names: kept } });
  const notes = 'x'.repeat(8_000);
  writeFiles(folder, { 'bindery.yml': `assets: { arm: { meta: { notes: ${notes} } } }` });
  await ann.push(folder);
  const meta = await metaOf(ann);
  expect(meta).toEqual({ notes, missing: { total: 12, names: [] } });
  expect(utf8Length(JSON.stringify(meta))).toBeLessThanOrEqual(LIMITS.manifest.metaBytes);
});

test('an asset that is added alone says what it lacks, too', async () => {
  const [ann] = (await publishers(1)) as [Publisher];
  const folder = folderWith({ 'cup/cup.obj': 'a cup' });
  await ann.push(folder);
  const robots = folderWith({ 'arm/arm.urdf': robot('hand.obj') });
  const add = () => addAsset(ann.client, ADDRESS, join(robots, 'arm'), { ...ann.options, replace: true });
  await add();
  expect(await metaOf(ann)).toEqual(HAND);
  writeFiles(robots, { 'arm/hand.obj': 'a hand' });
  await add();
  expect(await metaOf(ann)).toBeUndefined();
});
