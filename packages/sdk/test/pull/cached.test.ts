import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ObjectCache, pruneCache } from '../../src/cache/index.ts';
import { pullLibrary } from '../../src/pull/pull.ts';
import { NO_PROGRESS } from '../../src/tree/progress.ts';
import { temporaryFolder } from '../folder.ts';
import { ARMS, type Contents, startFakeService } from './fake-service.ts';

const RETRY = { attempts: 3, pause: 1, maxPause: 1_000 };
const LARGE = Buffer.alloc(5 * 1024 * 1024, 'a large mesh ');
const CONTENTS: Contents = {
  'arm/arm.xml': '<mujoco/>',
  'arm/meshes/middle.obj': Buffer.alloc(300_000, 'middle '),
  'hand/hand.glb': LARGE,
};
const ALL = { files: 3, bytes: 9 + 300_000 + LARGE.length };
const NOTHING = { files: 0, bytes: 0 };

/** A machine that pulls into a new folder each time. */
async function machine() {
  const { service, client } = await startFakeService(CONTENTS);
  const options = { cacheFolder: temporaryFolder(), stateFolder: temporaryFolder(), retry: RETRY };
  return {
    service,
    cache: new ObjectCache(options.cacheFolder),
    async pull(more = {}) {
      const folder = temporaryFolder();
      return pullLibrary(client, ARMS, folder, { ...options, ...more });
    },
  };
}

function entriesOf({ folder }: ObjectCache): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'mark')
    .map(({ parentPath, name }) => join(parentPath, name));
}

function expectContents(folder: string): void {
  for (const [path, content] of Object.entries(CONTENTS)) {
    expect(readFileSync(join(folder, path)).equals(Buffer.from(content))).toBe(true);
  }
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  expect(names.filter((entry) => entry.isFile())).toHaveLength(3);
}

describe('a pull of content in the cache', () => {
  test('transfers no file, and creates files that can be edited', async () => {
    const { pull, service } = await machine();
    expect(await pull()).toMatchObject({ fetched: ALL, cached: NOTHING });
    service.resetCounts();
    const again = await pull();
    expect(again).toMatchObject({ fetched: NOTHING, cached: ALL });
    expect(service.counts).toEqual({ arms: 1 });
    expectContents(again.folder);
    expect(statSync(join(again.folder, 'hand/hand.glb')).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  test('fetches damaged entries again, and leaves no partial file', async () => {
    const { pull, cache } = await machine();
    await pull();
    for (const entry of entriesOf(cache)) truncateSync(entry, 5);
    const again = await pull();
    expect(again).toMatchObject({ fetched: ALL, cached: NOTHING });
    expectContents(again.folder);
    expect(await pull()).toMatchObject({ fetched: NOTHING, cached: ALL });
  });

  test('fetches content that is pruned before it can be copied', async () => {
    const { pull, cache } = await machine();
    await pull();
    const progress = {
      start(label: string) {
        if (label === 'Copying from the cache') pruneCache(cache, 0);
        return NO_PROGRESS.start(label, { bytes: 0, items: 0, unit: 'files' });
      },
    };
    const again = await pull({ progress });
    expect(again).toMatchObject({ fetched: ALL, cached: NOTHING });
    expectContents(again.folder);
  });

  test('with cache: false neither fills the cache nor reads from it', async () => {
    const { pull, cache } = await machine();
    expect(await pull({ cache: false })).toMatchObject({ fetched: ALL });
    expect(await pull()).toMatchObject({ fetched: ALL });
    expect(entriesOf(cache)).toHaveLength(3);
    expect(await pull({ cache: false })).toMatchObject({ fetched: ALL, cached: NOTHING });
  });
});
