import { hash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { rounds, someSteps } from '../../../../test/faults.ts';
import { ObjectCache, pruneCache, verifyCache } from '../../src/cache/index.ts';
import { setThumbnails } from '../../src/edit/set-thumbnails.ts';
import { outdatedLibraries } from '../../src/project-assets/index.ts';
import { temporaryFolder } from '../folder.ts';
import { run } from '../processes.ts';
import { createWorld, type Files } from './world.ts';

const SYNC = fileURLToPath(new URL('./sync-once.ts', import.meta.url));

const KITCHEN: Files = {
  'bindery.yml': 'library: { license: MIT }\nassets: { jug: { license: GPL-3.0-only } }\n',
  'mug/mug.xml': '<mujoco model="mug"/>',
  'mug/mug.obj': 'o mug',
  'jug/jug.xml': '<mujoco model="jug"/>',
};
const ROBOTS: Files = { 'arm/arm.xml': '<mujoco model="arm"/>', 'hand/hand.glb': 'hand' };

async function kitchenAndRobots() {
  const service = await createWorld();
  await service.publish('kitchen', KITCHEN);
  await service.publish('robots', ROBOTS);
  const ann = service.machine();
  return { ...service, ann };
}

const OBJ = { sha256: hash('sha256', 'o mug'), size: 5 };
const NO_WORK = { advance() {}, finish() {}, stop() {} };
const MUG = { 'ann/kitchen/mug/mug.obj': 'o mug', 'ann/kitchen/mug/mug.xml': '<mujoco model="mug"/>' };
const ARM = { 'ann/robots/arm/arm.xml': '<mujoco model="arm"/>' };

describe('a sync', () => {
  test('writes the assets that the project uses, by library, and locks them', async () => {
    const { ann } = await kitchenAndRobots();
    ann.uses('ann/kitchen/mug', '{ use: ann/robots/arm, as: gripper }');
    const { lock, lockChanged, fetched } = await ann.sync();
    expect(lockChanged).toBe(true);
    expect(fetched.files).toBe(3);
    expect(ann.assets).toEqual({ ...MUG, ...ARM });
    expect(lock.uses).toEqual(['ann/kitchen/mug', 'ann/robots/arm as gripper']);
    expect(lock.assets.map(({ name, entry }) => [name, entry])).toEqual([
      ['gripper', 'arm/arm.xml'],
      ['mug', 'mug/mug.xml'],
    ]);
    expect(statSync(join(ann.project, 'assets.lock')).mode & 0o044).toBe(0o044 & ~process.umask());
  });

  test('with nothing to do makes no request and does not rewrite the lock', async () => {
    const { ann } = await kitchenAndRobots();
    ann.uses('ann/kitchen/mug');
    await ann.sync();
    ann.requests = 0;
    const before = statSync(join(ann.project, 'assets.lock')).mtimeMs;
    expect(await ann.sync()).toMatchObject({ lockChanged: false, unchanged: { files: 2 } });
    expect(ann.requests).toBe(0);
    expect(statSync(join(ann.project, 'assets.lock')).mtimeMs).toBe(before);
  });

  test('leaves a library at its locked revision until it is told to upgrade', async () => {
    const { ann, publish } = await kitchenAndRobots();
    ann.uses('ann/kitchen/mug', 'ann/robots/arm');
    await ann.sync();
    await publish('robots', { ...ROBOTS, 'arm/arm.xml': '<mujoco model="new"/>' });
    await publish('kitchen', { ...KITCHEN, 'mug/mug.obj': 'o new' });
    ann.uses('ann/kitchen/mug', 'ann/kitchen/jug', 'ann/robots/arm');
    await ann.sync();
    expect(ann.assets).toMatchObject({ ...MUG, ...ARM, 'ann/kitchen/jug/jug.xml': KITCHEN['jug/jug.xml'] });
    await ann.sync({ upgrade: ['ann/robots'] });
    expect(ann.assets).toMatchObject({ ...MUG, 'ann/robots/arm/arm.xml': '<mujoco model="new"/>' });
    await ann.sync({ upgrade: 'all' });
    expect(ann.assets).toMatchObject({ 'ann/kitchen/mug/mug.obj': 'o new' });
  });

  test('removes files that are no longer used, except edited ones', async () => {
    const { ann } = await kitchenAndRobots();
    ann.uses('ann/kitchen/*', 'ann/robots/arm');
    await ann.sync();
    ann.write({ 'assets/ann/kitchen/jug/jug.xml': 'my jug', 'assets/ann/kitchen/notes.txt': 'mine' });
    ann.uses('ann/robots/arm');
    expect(await ann.sync()).toMatchObject({
      removed: ['ann/kitchen/mug/mug.obj', 'ann/kitchen/mug/mug.xml'],
      left: ['ann/kitchen/jug/jug.xml'],
    });
    expect(ann.assets).toEqual({
      ...ARM,
      'ann/kitchen/jug/jug.xml': 'my jug',
      'ann/kitchen/notes.txt': 'mine',
    });
    expect(existsSync(join(ann.project, 'assets/ann/kitchen/mug'))).toBe(false);
  });

  test('stops at an edited file and names it, and replaces it only with force', async () => {
    const { ann } = await kitchenAndRobots();
    ann.uses('ann/kitchen/mug');
    await ann.sync();
    ann.write({ 'assets/ann/kitchen/mug/mug.obj': 'mine' });
    await expect(ann.sync()).rejects.toMatchObject({ items: ['ann/kitchen/mug/mug.obj'] });
    expect(ann.assets).toMatchObject({ 'ann/kitchen/mug/mug.obj': 'mine' });
    expect(await ann.sync({ force: true })).toMatchObject({ replaced: ['ann/kitchen/mug/mug.obj'] });
    expect(ann.assets).toEqual(MUG);
  });

  test.each([
    ['assets', 'assets'],
    ['data', 'data/assets'],
  ])('does not follow a committed link %s, also if it is frozen', async (link, folder) => {
    const { ann } = await kitchenAndRobots();
    ann.uses('ann/kitchen/mug');
    await ann.sync();
    rmSync(join(ann.project, 'assets'), { recursive: true });
    const outside = temporaryFolder();
    symlinkSync(outside, join(ann.project, link));
    ann.write({ 'assets.yml': `folder: ${folder}\nassets: [ann/kitchen/mug]\n` });
    for (const frozen of [true, false]) {
      const synced = ann.sync({ frozen, credits: { version: '1' } });
      await expect(synced).rejects.toThrow(
        `${link} is a link or a file, and assets are placed only in a real`,
      );
    }
    expect(readdirSync(outside)).toEqual([]);
  });

  test.each(['.git/hooks', 'sub/.GIT', '.vscode', 'a/.ssh./b', '.g\u200bit', '.local/lib/python'])(
    'does not place assets in %s, where other programs find what they run',
    async (folder) => {
      const { ann } = await kitchenAndRobots();
      ann.write({ 'assets.yml': `folder: ${JSON.stringify(folder)}\nassets: [ann/kitchen/mug]\n` });
      await expect(ann.sync()).rejects.toThrow(/assets\.yml:1:9: folder: .* where other programs find/);
      expect(readdirSync(ann.project)).toEqual(['assets.yml']);
    },
  );

  test('with verify hashes every file of the cache, even if its size and stamp are right', async () => {
    const { ann } = await kitchenAndRobots();
    ann.uses('ann/kitchen/mug');
    await ann.sync();
    rmSync(join(ann.project, 'assets'), { recursive: true });
    const entry = new ObjectCache(join(ann.home, 'cache')).find(OBJ) ?? '';
    const { atime, mtime } = statSync(entry);
    chmodSync(entry, 0o644);
    writeFileSync(entry, 'o jug');
    chmodSync(entry, 0o444);
    utimesSync(entry, atime, mtime);
    expect(await ann.sync({ frozen: true, verify: true })).toMatchObject({ fetched: { files: 1 } });
    expect(ann.assets).toEqual(MUG);
  });

  test('goes on without a cache that cannot be read, and says so once', async () => {
    const { ann } = await kitchenAndRobots();
    ann.uses('ann/kitchen/mug', 'ann/robots/arm');
    mkdirSync(join(ann.home, 'cache'));
    symlinkSync('objects', join(ann.home, 'cache/objects'));
    const problems: string[] = [];
    await ann.sync({ onCacheProblem: (message) => problems.push(message) });
    expect(ann.assets).toEqual({ ...MUG, ...ARM });
    expect(problems).toEqual([expect.stringMatching(/^the cache in .* cannot be used \(ELOOP\)$/)]);
  });

  test('sets aside a file that appears while it runs', async () => {
    const { ann } = await kitchenAndRobots();
    ann.uses('ann/kitchen/mug');
    const start = () => {
      ann.write({ 'assets/ann/kitchen/mug/mug.obj': 'mine' });
      return NO_WORK;
    };
    const { setAside } = await ann.sync({ progress: { start } });
    expect(setAside?.files).toEqual(['ann/kitchen/mug/mug.obj']);
    expect(ann.assets).toMatchObject(MUG);
    expect(readFileSync(join(setAside?.folder ?? '', 'ann/kitchen/mug/mug.obj'), 'utf8')).toBe('mine');
  });

  test('stops before it writes anything if an asset has a denied licence', async () => {
    const { ann } = await kitchenAndRobots();
    ann.write({ 'assets.yml': 'deny_licenses: [GPL-3.0-only]\nassets: [ann/kitchen/*]\n' });
    await expect(ann.sync()).rejects.toThrow(
      /refuses the licences of these assets.*\n {2}ann\/kitchen\/jug \(GPL/,
    );
    expect(readdirSync(ann.project)).toEqual(['assets.yml']);
  });

  test('that is frozen stops at a licence denied since the last sync', async () => {
    const { ann } = await kitchenAndRobots();
    ann.uses('ann/kitchen/*');
    await ann.sync();
    ann.write({ 'assets.yml': 'deny_licenses: [GPL-3.0-only]\nassets: [ann/kitchen/*]\n' });
    await expect(ann.sync({ frozen: true })).rejects.toMatchObject({
      items: ['ann/kitchen/jug (GPL-3.0-only)'],
    });
  });

  test('links files from the cache on request, and never takes such links for edits', async () => {
    const { ann } = await kitchenAndRobots();
    ann.uses('ann/kitchen/mug');
    await ann.sync();
    ann.write({ 'assets/ann/kitchen/mug/mug.obj': 'mine' });
    await ann.sync({ force: true, link: true });
    expect(statSync(join(ann.project, 'assets/ann/kitchen/mug/mug.obj')).nlink).toBe(2);
    expect(await ann.sync()).toMatchObject({ unchanged: { files: 2 } });
    ann.uses('ann/kitchen/jug');
    expect(await ann.sync()).toMatchObject({ left: [] });
  });
});

describe('a frozen sync', () => {
  test('on another machine gives the released bytes after the library moved on, even offline if cached', async () => {
    const { ann, publish, release, machine } = await kitchenAndRobots();
    await release('kitchen', 'v1');
    ann.uses('ann/kitchen@v1/mug');
    await ann.sync();
    await publish('kitchen', { 'fork/fork.obj': 'o fork' });
    const bob = machine();
    bob.write({ 'assets.yml': ann.read('assets.yml'), 'assets.lock': ann.read('assets.lock') });
    expect(await bob.sync({ frozen: true })).toMatchObject({ fetched: { files: 2 }, lockChanged: false });
    expect(bob.assets).toEqual(MUG);
    const offline = machine();
    cpSync(join(bob.home, 'cache'), join(offline.home, 'cache'), {
      recursive: true,
      preserveTimestamps: true,
    });
    offline.write({ 'assets.lock': ann.read('assets.lock') });
    expect(await offline.sync({ frozen: true })).toMatchObject({
      cached: { files: 2 },
      fetched: { files: 0 },
    });
    expect(offline.requests).toBe(0);
    expect(offline.assets).toEqual(MUG);
  });

  test('fails if assets.lock is missing or does not match assets.yml, and says how they differ', async () => {
    const { ann } = await kitchenAndRobots();
    ann.uses('ann/kitchen/mug');
    const missing = { name: 'TreeError', code: 'no_lock', message: 'There is no assets.lock.' };
    await expect(ann.sync({ frozen: true })).rejects.toMatchObject(missing);
    const outdated = outdatedLibraries(ann.project, {
      cacheFolder: join(ann.home, 'cache'),
      clientFor: () => Promise.reject(new Error('nothing is asked')),
    });
    await expect(outdated).rejects.toMatchObject(missing);
    await ann.sync();
    ann.uses('ann/kitchen/jug');
    await expect(ann.sync({ frozen: true })).rejects.toMatchObject({
      code: 'lock_outdated',
      message: 'assets.lock does not match assets.yml: \n  + ann/kitchen/jug\n  - ann/kitchen/mug',
    });
    expect(ann.assets).toEqual(MUG);
  });

  test('of a revision that no longer exists fails, and names the revision', async () => {
    const { ann, publish, machine } = await kitchenAndRobots();
    ann.uses('ann/kitchen/mug');
    await ann.sync();
    await publish('kitchen', { ...KITCHEN, 'mug/mug.obj': 'o new' });
    const bob = machine();
    bob.write({ 'assets.lock': ann.read('assets.lock') });
    await expect(bob.sync({ frozen: true })).rejects.toMatchObject({
      code: 'revision_gone',
      message: expect.stringMatching(/^Revision 1 of ann\/kitchen no longer exists: /),
      details: { library: 'ann/kitchen', release: null, revision: 1 },
    });
    expect(existsSync(join(bob.project, 'assets'))).toBe(false);
  });

  test('of a replaced revision fetches content that the library still has under another path', async () => {
    const { ann, publish } = await kitchenAndRobots();
    ann.uses('ann/kitchen/mug');
    await ann.sync();
    await publish('kitchen', { 'cup/cup.obj': 'o mug', 'cup/cup.xml': '<mujoco model="mug"/>' });
    ann.write({ 'assets/ann/kitchen/mug/mug.obj': 'mine' });
    rmSync(new ObjectCache(join(ann.home, 'cache')).find(OBJ) ?? '');
    expect(await ann.sync({ frozen: true, force: true })).toMatchObject({ fetched: { files: 1 } });
    expect(ann.assets).toEqual(MUG);
  });

  test('replaces what is damaged in the cache, and names the asset of a damaged lock entry', async () => {
    const { ann, machine } = await kitchenAndRobots();
    ann.uses('ann/kitchen/mug');
    await ann.sync();
    const cache = join(ann.home, 'cache');
    for (const entry of readdirSync(join(cache, 'objects'), { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) chmodSync(join(entry.parentPath, entry.name), 0o644);
      if (entry.isFile()) writeFileSync(join(entry.parentPath, entry.name), 'damaged');
    }
    const bob = machine();
    bob.write({ 'assets.lock': ann.read('assets.lock') });
    await bob.sync({ frozen: true, cacheFolder: cache });
    expect(bob.assets).toEqual(MUG);
    bob.write({ 'assets.lock': ann.read('assets.lock').replace('"mug/mug.xml"', '"mug/other.xml"') });
    await expect(bob.sync({ frozen: true })).rejects.toThrow(
      /the manifest of ann\/kitchen does not match the lock for mug/,
    );
  });
});

test('outdated lists libraries that moved on, and which of their assets would change or be gone', async () => {
  const { ann, publish, release, client } = await kitchenAndRobots();
  await release('kitchen', 'v1');
  ann.uses('ann/kitchen@v1/*', 'ann/robots/*');
  await ann.sync();
  const outdated = () =>
    outdatedLibraries(ann.project, { cacheFolder: join(ann.home, 'cache'), clientFor: async () => client });
  expect(await outdated()).toEqual([]);
  await publish('kitchen', { ...KITCHEN, 'mug/mug.obj': 'o new' });
  await publish('robots', { 'arm/arm.xml': '<mujoco model="arm"/>' });
  expect(await outdated()).toMatchObject([{ library: 'ann/robots', changed: [], gone: ['hand'] }]);
  await release('kitchen', 'v2');
  expect(await outdated()).toMatchObject([
    { library: 'ann/kitchen', locked: { release: 'v1' }, now: { release: 'v2' }, changed: ['mug'] },
    { library: 'ann/robots' },
  ]);
});

test('outdated does not list a library in which only pictures or other assets changed, but one with new matches', async () => {
  const { ann, publish, client } = await kitchenAndRobots();
  ann.uses('ann/kitchen/mug', 'ann/robots/*');
  await ann.sync();
  const outdated = () =>
    outdatedLibraries(ann.project, { cacheFolder: join(ann.home, 'cache'), clientFor: async () => client });
  await setThumbnails(
    client,
    { namespace: 'ann', name: 'kitchen' },
    [
      {
        asset: 'mug',
        files: Object.entries(KITCHEN).flatMap(([path, text]) =>
          path.startsWith('mug/') ? [{ path, sha256: hash('sha256', text) }] : [],
        ),
        webp: new Uint8Array([1]),
      },
    ],
    {},
  );
  expect(await outdated()).toEqual([]);
  await publish('robots', { ...ROBOTS, 'leg/leg.glb': 'leg' });
  expect(await outdated()).toMatchObject([{ library: 'ann/robots', changed: [], gone: [], added: ['leg'] }]);
});

test('a sync killed at any step leaves no lock without its files, and the next one completes', async () => {
  const { ann, machine, url, token } = await kitchenAndRobots();
  ann.uses('ann/kitchen/*', 'ann/robots/arm');
  await ann.sync();
  const synced = async (killAt: number) => {
    const bob = machine();
    bob.write({ 'assets.yml': ann.read('assets.yml') });
    const once = (at: number) => run(SYNC, [bob.project, bob.home, url, token], { killAt: at });
    return { bob, once, first: await once(killAt) };
  };
  const { first } = await synced(0);
  expect(first).toMatchObject({ code: 0 });
  let kills = 0;
  for (const killAt of someSteps(first.steps, { short: 6, long: 4 * first.steps })) {
    const { bob, once, first: killed } = await synced(killAt);
    // How often a sync notes what it has by now goes by the clock, so that one may end a few steps before its last.
    if (killed.signal === 'SIGKILL') kills++;
    else expect(killed).toMatchObject({ code: 0, steps: expect.toSatisfy((steps) => steps < killAt) });
    const isLocked = existsSync(join(bob.project, 'assets.lock'));
    if (isLocked) expect(bob.assets).toEqual(ann.assets);
    expect(await verifyCache(new ObjectCache(join(bob.home, 'cache')))).toMatchObject({ damaged: [] });
    expect(await once(0)).toMatchObject({ code: 0 });
    expect(bob.assets).toEqual(ann.assets);
    expect(bob.read('assets.lock')).toBe(ann.read('assets.lock'));
  }
  expect(kills).toBeGreaterThan(3);
});

test('several processes can sync one project with one cache while it is pruned', async () => {
  const { ann, machine, url, token } = await kitchenAndRobots();
  ann.uses('ann/kitchen/*', 'ann/robots/arm');
  await ann.sync();
  const bob = machine();
  bob.write({ 'assets.yml': ann.read('assets.yml'), 'assets.lock': ann.read('assets.lock') });
  const cache = new ObjectCache(join(bob.home, 'cache'));
  const processes = rounds({ short: 4, long: 20 });
  const pruning = setInterval(() => pruneCache(cache, 0), 50);
  try {
    const runs = await Promise.all(
      Array.from({ length: processes }, (_, nth) =>
        run(SYNC, [bob.project, bob.home, url, token, ...(nth % 2 === 0 ? ['frozen'] : [])]),
      ),
    );
    expect(runs.map(({ code, stderr }) => (code === 0 ? 'done' : stderr))).toEqual(runs.map(() => 'done'));
  } finally {
    clearInterval(pruning);
  }
  expect(bob.assets).toEqual(ann.assets);
  expect(await verifyCache(cache)).toMatchObject({ damaged: [] });
});
