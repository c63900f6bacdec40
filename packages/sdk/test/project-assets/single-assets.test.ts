import { hash } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { outdatedLibraries, placeLockedInCache, refuseMissingUses } from '../../src/project-assets/index.ts';
import { parseUse } from '../../src/project-assets/use.ts';
import { placeInCache } from '../../src/pull/place-in-cache.ts';
import { pullLibrary } from '../../src/pull/pull.ts';
import { ARMS, startFakeService } from '../pull/fake-service.ts';
import { createWorld, type Files, Machine } from './world.ts';

const ARM: Files = { 'arm/arm.xml': '<mujoco/>', 'arm/link.stl': 'mesh' };
const HAND: Files = { 'hand/hand.glb': 'hand' };
const OTHERS = Object.fromEntries(
  Array.from({ length: 300 }, (_, at) => [`other-${at}/other.obj`, `v ${at} 0 0`]),
);
const RELEASE = { ...ARMS, release: 'v1' };

/** A machine with an empty cache, and a library that also has these files. */
async function served(more: Files) {
  const files = { ...ARM, ...HAND, ...more };
  const { service, client } = await startFakeService(files);
  const machine = () => new Machine(service.url, '');
  const optionsOf = ({ home }: Machine) => ({
    cacheFolder: join(home, 'cache'),
    stateFolder: join(home, 'state'),
    clientFor: async () => client,
  });
  return { service, client, files, machine, optionsOf, ann: machine() };
}

type World = Awaited<ReturnType<typeof served>>;

async function withLock(world: World): Promise<Machine> {
  const { ann, machine } = world;
  ann.uses('acme/arms/arm');
  await ann.sync();
  const bob = machine();
  bob.write({ 'assets.yml': ann.read('assets.yml'), 'assets.lock': ann.read('assets.lock') });
  world.service.resetCounts();
  world.service.sent = 0;
  return bob;
}

describe('costs of a large library what it costs of a small one, and reads no manifest:', () => {
  const works: Record<string, (world: World) => Promise<unknown>> = {
    'a first sync': async ({ ann }) => {
      ann.uses('acme/arms/arm');
      await ann.sync();
    },
    'a sync from a lock': async (world) => (await withLock(world)).sync({ frozen: true }),
    'a sync with one use more': async (world) => {
      await withLock(world);
      world.ann.uses('acme/arms/arm', 'acme/arms/hand');
      await world.ann.sync();
    },
    'the path of a name': async (world) => {
      const bob = await withLock(world);
      await placeLockedInCache(bob.project, 'arm', world.optionsOf(bob));
    },
    'the path of a release': ({ client, ann, optionsOf }) =>
      placeInCache(client, RELEASE, 'arm', optionsOf(ann)),
    'a pull of a release': ({ client, ann, optionsOf }) =>
      pullLibrary(client, RELEASE, join(ann.home, 'pulled'), { ...optionsOf(ann), assets: ['arm'] }),
    'what is outdated': async (world) => {
      await withLock(world);
      world.service.publish({ ...world.files, 'arm/arm.xml': '<mujoco model="2"/>' });
      expect(await outdatedLibraries(world.ann.project, world.optionsOf(world.ann))).toMatchObject([
        { changed: ['arm'] },
      ]);
    },
    'the check of a use': ({ client }) =>
      refuseMissingUses('assets: [acme/arms/arm]', [parseUse('acme/arms/arm')], {
        clientFor: async () => client,
        objects: null,
      }),
  };
  test.each(Object.entries(works))('%s', async (_, work) => {
    const sent: number[] = [];
    for (const more of [{}, OTHERS]) {
      const world = await served(more);
      await work(world);
      expect(world.service.counts.manifest).toBeUndefined();
      sent.push(world.service.sent);
    }
    expect(sent[0]).toBe(sent[1]);
  });
});

test('a lock by ids states what one by a pattern does, for which the manifest is read', async () => {
  const { publish, machine } = await createWorld();
  const text =
    'library: { license: MIT }\nassets: { arm: { entry: arm/arm.xml, tags: [left] }, hand: { license: CC0-1.0 } }\n';
  await publish('arms', { 'bindery.yml': text, ...ARM, ...HAND });
  const [byIds, byPattern] = [machine(), machine()];
  byIds.uses('ann/arms/arm', 'ann/arms/hand');
  byPattern.uses('ann/arms/*');
  const credits = { version: '1', created: '2026-01-01T00:00:00Z' };
  const [one, other] = [await byIds.sync({ credits }), await byPattern.sync({ credits })];
  expect({ ...one.lock, uses: [] }).toEqual({ ...other.lock, uses: [] });
  expect(byIds.assets).toEqual(byPattern.assets);
});

test('what a service says of a locked asset counts only with the digest of the lock', async () => {
  const world = await served(OTHERS);
  const bob = await withLock(world);
  const evil = { path: 'arm/arm.xml', size: 4, sha256: hash('sha256', 'evil') };
  world.service.distortAsset = (detail) => ({ ...detail, files: [evil] });
  await bob.sync({ frozen: true });
  expect(bob.assets).toEqual({ 'acme/arms/arm/arm.xml': '<mujoco/>', 'acme/arms/arm/link.stl': 'mesh' });
  expect(world.service.counts.manifest).toBe(1);
});

test('a service that knows only whole manifests is read as before', async () => {
  const world = await served(OTHERS);
  const newer = await withLock(world);
  world.service.isOlder = true;
  const older = world.machine();
  older.uses('acme/arms/arm');
  await older.sync();
  expect(older.read('assets.lock')).toBe(newer.read('assets.lock'));
  expect(world.service.counts.manifest).toBe(1);
});

test('assets of a release and of a lock are found again without asking the service', async () => {
  const world = await served({});
  const { service, client, ann, optionsOf } = world;
  const pull = (folder: string) =>
    pullLibrary(client, RELEASE, join(ann.home, folder), { ...optionsOf(ann), assets: ['arm'] });
  await pull('first');
  const bob = await withLock(world);
  cpSync(join(ann.home, 'cache'), join(bob.home, 'cache'), { recursive: true, preserveTimestamps: true });
  expect(await pull('second')).toMatchObject({ cached: { files: 2 }, fetched: { files: 0 } });
  expect(await bob.sync({ frozen: true })).toMatchObject({ cached: { files: 2 }, fetched: { files: 0 } });
  expect(service.counts).toEqual({});
});
