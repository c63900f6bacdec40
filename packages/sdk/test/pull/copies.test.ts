import { hash } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cacheInfo, ObjectCache, pruneCache } from '../../src/cache/index.ts';
import { recordPulledFiles } from '../../src/obtain/copies.ts';
import type { TargetFile } from '../../src/place/written-files.ts';
import { pullLibrary } from '../../src/pull/pull.ts';
import { temporaryFolder } from '../folder.ts';
import { ARMS, type Contents, startFakeService } from './fake-service.ts';

const CONTENTS: Contents = {
  'arm/arm.xml': '<mujoco/>',
  'arm/meshes/middle.obj': Buffer.alloc(300_000, 'middle '),
  'hand/hand.glb': Buffer.alloc(5 * 1024 * 1024, 'a large mesh '),
};
const LARGE = { 'scan/cloud.ply': Buffer.alloc(65 * 1024 * 1024, 'points '), 'scan/scan.yml': 'points: 9' };
const NOTHING = { files: 0, bytes: 0 };

async function machine(contents: Contents = CONTENTS) {
  const { service, client } = await startFakeService(contents);
  const options = {
    cacheFolder: temporaryFolder(),
    stateFolder: temporaryFolder(),
    retry: { attempts: 3, pause: 1, maxPause: 1_000 },
  };
  const cache = new ObjectCache(options.cacheFolder);
  const pull = () => pullLibrary(client, ARMS, temporaryFolder(), options);
  const remember = (folder: string) => recordPulledFiles(options.cacheFolder, folder, filesOf(contents));
  return {
    service,
    cache,
    pull,
    remember,
    /** Does with little what a pull does with much: lets it be found where it lies, and nowhere else. */
    async pullAsLarge() {
      const { folder } = await pull();
      remember(folder);
      pruneCache(cache, 0);
      return folder;
    },
  };
}

function filesOf(contents: Contents): TargetFile[] {
  return Object.entries(contents).map(([path, content]) => ({
    path,
    remotePath: path,
    size: Buffer.from(content).length,
    sha256: hash('sha256', content),
  }));
}

function all(contents: Contents) {
  const sizes = Object.values(contents).map((content) => Buffer.from(content).length);
  return { files: sizes.length, bytes: sizes.reduce((a, b) => a + b) };
}

function expectContents(folder: string, contents: Contents): void {
  for (const [path, content] of Object.entries(contents)) {
    expect(readFileSync(join(folder, path)).equals(Buffer.from(content))).toBe(true);
  }
}

describe('a pull of content in another pulled folder', () => {
  test('transfers no file, and an edit in the other folder does not reach it', async () => {
    const { pullAsLarge, pull, service } = await machine();
    const first = await pullAsLarge();
    service.resetCounts();
    const { folder, ...second } = await pull();
    expect(second).toMatchObject({ fetched: NOTHING, cached: all(CONTENTS) });
    expect(service.counts).toEqual({ arms: 1 });
    writeFileSync(join(first, 'arm/arm.xml'), 'edited in the first');
    expectContents(folder, CONTENTS);
  });

  test('fetches files that were edited, removed or replaced by a link there since', async () => {
    const { pullAsLarge, pull } = await machine();
    const first = await pullAsLarge();
    appendFileSync(join(first, 'arm/arm.xml'), '<!-- mine -->');
    rmSync(join(first, 'hand'), { recursive: true });
    const moved = join(temporaryFolder(), 'middle.obj');
    writeFileSync(moved, CONTENTS['arm/meshes/middle.obj'] as Buffer);
    rmSync(join(first, 'arm/meshes/middle.obj'));
    symlinkSync(moved, join(first, 'arm/meshes/middle.obj'));
    const { folder, ...second } = await pull();
    expect(second).toMatchObject({ fetched: all(CONTENTS), cached: NOTHING });
    expectContents(folder, CONTENTS);
  });

  test('does not trust the list of files: those with other bytes there are fetched', async () => {
    const { pull, remember } = await machine();
    const liar = temporaryFolder();
    for (const [path, content] of Object.entries(CONTENTS)) {
      const file = join(liar, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, Buffer.alloc(Buffer.from(content).length, 'wrong '));
    }
    remember(liar);
    const { folder, ...pulled } = await pull();
    expect(pulled).toMatchObject({ fetched: all(CONTENTS), cached: NOTHING });
    expectContents(folder, CONTENTS);
  });

  test('ignores damaged lists of pulled files', async () => {
    const { pullAsLarge, pull, cache } = await machine();
    await pullAsLarge();
    const lists = join(dirname(cache.folder), 'pulled');
    const [list = ''] = readdirSync(lists);
    for (const content of ['', '{"root":1}', '{"root":"/","files":[["arm/arm.xml"],[7]]}']) {
      writeFileSync(join(lists, list), content);
      expect(await pull()).toMatchObject({ fetched: all(CONTENTS), cached: NOTHING });
      pruneCache(cache, 0);
    }
  });
});

describe('a large pull', () => {
  test('is not copied to the cache, and the next pull copies from its folder', async () => {
    const { pull, cache } = await machine(LARGE);
    expect(await pull()).toMatchObject({ fetched: all(LARGE) });
    expect(cacheInfo(cache)).toMatchObject({ entries: 0 });
    const { folder, ...again } = await pull();
    expect(again).toMatchObject({ fetched: NOTHING, cached: all(LARGE) });
    expect(cacheInfo(cache)).toMatchObject({ entries: 0 });
    expectContents(folder, LARGE);
  });
});
