import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { someSteps } from '../../../../test/faults.ts';
import { pullLibrary } from '../../src/pull/pull.ts';
import { folderWith, temporaryFolder, writeFiles } from '../folder.ts';
import { run } from '../processes.ts';
import { ARMS, type Contents, startFakeService } from './fake-service.ts';

const PULL = fileURLToPath(new URL('./pull-once.ts', import.meta.url));
const RETRY = { attempts: 1, pause: 1, maxPause: 1_000 };
const CONTENTS = { 'arm/arm.xml': '<mujoco/>', 'arm/arm.obj': 'mesh', 'hand/hand.glb': 'hand' };
const TIME = /\.bindery\/replaced\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;

/** Ann, with a folder into which she pulls. */
async function pullingAnn(contents: Contents = CONTENTS) {
  const { service, client } = await startFakeService(contents);
  const folder = temporaryFolder();
  const home = { cacheFolder: temporaryFolder(), stateFolder: temporaryFolder(), retry: RETRY };
  return {
    service,
    folder,
    home,
    pull: (more = {}) => pullLibrary(client, ARMS, folder, { ...home, ...more }),
    write: (files: Record<string, string>) => writeFiles(folder, files),
    read: (path: string) => readFileSync(join(folder, path), 'utf8'),
  };
}

/** Every file of a folder and its content, without the folder of what was set aside. */
function filesIn(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(folder.length + 1), readFileSync(file, 'utf8')] as const)
      .filter(([path]) => !path.startsWith('.bindery/')),
  );
}

describe('a pull sets aside what it replaces and nobody else has', () => {
  test('a file that was never in step with the library', async () => {
    const { pull, write, folder } = await pullingAnn();
    write({ 'arm/arm.xml': '<mujoco model="mine"/>' });
    const { setAside, edited } = await pull();
    expect(setAside).toEqual({ folder: expect.stringMatching(TIME), files: ['arm/arm.xml'] });
    expect(edited).toEqual([]);
    expect(filesIn(folder)).toEqual(CONTENTS);
    expect(filesIn(setAside?.folder ?? '')).toEqual({ 'arm/arm.xml': '<mujoco model="mine"/>' });
  });

  test('a file that was edited since it was pulled', async () => {
    const { pull, write, folder } = await pullingAnn();
    await pull();
    write({ 'arm/arm.obj': 'finer mesh' });
    const { setAside, edited } = await pull();
    expect(edited).toEqual(['arm/arm.obj']);
    expect(filesIn(setAside?.folder ?? '')).toEqual({ 'arm/arm.obj': 'finer mesh' });
    expect(filesIn(folder)).toEqual(CONTENTS);
  });

  test('a link, as such', async () => {
    const outside = folderWith({ precious: 'precious' });
    const { pull, folder } = await pullingAnn();
    mkdirSync(join(folder, 'hand'));
    symlinkSync(join(outside, 'precious'), join(folder, 'hand/hand.glb'));
    const { setAside } = await pull();
    expect(lstatSync(join(setAside?.folder ?? '', 'hand/hand.glb')).isSymbolicLink()).toBe(true);
    expect(filesIn(folder)).toEqual(CONTENTS);
  });

  test('a file that is edited while others arrive', async () => {
    const { pull, write, service } = await pullingAnn();
    await pull();
    service.publish({ ...CONTENTS, 'arm/arm.obj': 'new mesh', 'hand/hand.glb': 'new hand' });
    service.misbehave = ({ send }) => {
      write({ 'arm/arm.obj': 'my mesh', 'hand/hand.glb': 'my hand' });
      service.misbehave = null;
      send();
    };
    const { setAside } = await pull();
    expect(filesIn(setAside?.folder ?? '')).toMatchObject({ 'hand/hand.glb': 'my hand' });
  });

  test('a file that appears while others arrive, also in a pull of many files', async () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, nth) => [`part/${nth}.bin`, `${nth}`]));
    const { pull, write, service, folder } = await pullingAnn(many);
    service.objectsPath = '/storage/objects';
    service.misbehaveInBundles = ({ send }) => {
      write({ 'part/599.bin': 'mine' });
      service.misbehaveInBundles = null;
      send();
    };
    const { setAside } = await pull();
    expect(filesIn(setAside?.folder ?? '')).toEqual({ 'part/599.bin': 'mine' });
    expect(filesIn(folder)).toEqual(many);
  });

  test('but nothing that the library, an earlier pull or the cache has', async () => {
    const { pull, write, service, folder } = await pullingAnn({ ...CONTENTS, 'leg/leg.obj': 'leg' });
    await pull();
    service.publish({ ...CONTENTS, 'arm/arm.obj': 'new mesh' });
    write({ 'arm/arm.xml': 'hand', 'hand/hand.glb': 'leg' });
    expect(await pull()).toMatchObject({
      replaced: ['arm/arm.xml', 'arm/arm.obj', 'hand/hand.glb'],
      setAside: null,
    });
    expect(existsSync(join(folder, '.bindery'))).toBe(false);
  });

  test('and not what another pull places meanwhile', async () => {
    const { pull, write, service, folder } = await pullingAnn();
    service.misbehave = ({ send }) => {
      write(CONTENTS);
      send();
    };
    expect(await pull()).toMatchObject({ setAside: null });
    expect(filesIn(folder)).toEqual(CONTENTS);
    expect(existsSync(join(folder, '.bindery'))).toBe(false);
  });

  test('and nothing if it is forced', async () => {
    const { pull, write, folder } = await pullingAnn();
    write({ 'arm/arm.xml': 'mine' });
    expect(await pull({ force: true })).toMatchObject({ replaced: ['arm/arm.xml'], setAside: null });
    expect(existsSync(join(folder, '.bindery'))).toBe(false);
  });

  test('for 30 days, after which a pull deletes it', async () => {
    const { pull, write, folder } = await pullingAnn();
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    const recent = `${daysAgo(28)}T12-00-00Z`;
    const wrongClock = '1970-01-01T00-00-12Z';
    for (const name of [recent, `${daysAgo(32)}T12-00-00Z`, wrongClock, 'notes'])
      write({ [`.bindery/replaced/${name}/arm.obj`]: 'mine' });
    await pull();
    expect(readdirSync(join(folder, '.bindery/replaced')).sort()).toEqual([wrongClock, recent, 'notes']);
  });

  test('and does not lose it to an interruption, after which the next pull names it', async () => {
    const { pull, write, service, folder } = await pullingAnn();
    await pull();
    write({ 'arm/arm.obj': 'finer mesh', 'arm/arm.xml': 'mine' });
    service.publish({ ...CONTENTS, 'hand/hand.glb': 'new hand' });
    service.misbehave = ({ response }) => response.destroy();
    await expect(pull()).rejects.toThrow();
    service.misbehave = null;
    const { setAside } = await pull();
    expect(filesIn(setAside?.folder ?? '')).toEqual({ 'arm/arm.obj': 'finer mesh', 'arm/arm.xml': 'mine' });
    expect(filesIn(folder)).toEqual({ ...CONTENTS, 'hand/hand.glb': 'new hand' });
    expect(await pull()).toMatchObject({ setAside: null });
  });

  test('and does not lose it to a crash at any step', async () => {
    const { service } = await pullingAnn();
    const attempt = async (killAt = 0) => {
      const [folder, home] = [folderWith({ 'arm/arm.obj': 'mine' }), temporaryFolder()];
      const ended = await run(PULL, [service.url, folder, home], { killAt });
      const copies = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.name.startsWith('arm.obj') && entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
      expect(copies, `killed at step ${killAt}`).toContain('mine');
      return ended.steps;
    };
    const steps = await attempt();
    expect(steps).toBeGreaterThan(10);
    for (const killAt of someSteps(steps, { short: 6, long: steps })) await attempt(killAt);
  });
});

describe('a pull that keeps', () => {
  test('does not restore a file or folder that was deleted here, and names it', async () => {
    const { pull, folder, service, write } = await pullingAnn();
    await pull();
    rmSync(join(folder, 'hand'), { recursive: true });
    write({ 'arm/arm.xml': 'mine' });
    service.publish({ ...CONTENTS, 'hand/hand.glb': 'new hand', 'leg/leg.obj': 'leg' });
    expect(await pull({ keep: true })).toMatchObject({
      fetched: { files: 1 },
      kept: ['arm/arm.xml'],
      deleted: ['hand/hand.glb'],
      setAside: null,
    });
    expect(Object.keys(filesIn(folder)).sort()).toEqual(['arm/arm.obj', 'arm/arm.xml', 'leg/leg.obj']);
    expect(await pull()).toMatchObject({ deleted: [], fetched: { files: 1 } });
  });

  test('fetches everything into a folder that has none of the files', async () => {
    const { pull, folder } = await pullingAnn();
    await pull();
    for (const name of ['arm', 'hand']) rmSync(join(folder, name), { recursive: true });
    expect(await pull({ keep: true })).toMatchObject({ deleted: [] });
    expect(filesIn(folder)).toEqual(CONTENTS);
  });
});

test('a folder of which this machine has no record has no files that count as edited', async () => {
  const { pull, service, folder, home } = await pullingAnn();
  await pull();
  service.publish({ ...CONTENTS, 'hand/hand.glb': 'new hand' });
  const elsewhere = { ...home, stateFolder: temporaryFolder() };
  expect(await pull({ ...elsewhere, keep: true })).toMatchObject({ kept: [], recorded: false });
  service.publish({ ...CONTENTS, 'hand/hand.glb': 'newer hand' });
  const far = { cacheFolder: temporaryFolder(), stateFolder: temporaryFolder() };
  expect(await pull(far)).toMatchObject({
    edited: [],
    recorded: false,
    setAside: { files: ['hand/hand.glb'] },
  });
  expect(filesIn(folder)).toMatchObject({ 'hand/hand.glb': 'newer hand' });
});

describe('a pull that prunes', () => {
  test('deletes what the library no longer has, except what was edited here', async () => {
    const { pull, folder, service, write } = await pullingAnn();
    await pull();
    service.publish({ 'arm/arm.xml': '<mujoco/>' });
    expect(await pull()).toMatchObject({ leftBehind: ['arm/arm.obj', 'hand/hand.glb'], pruned: [] });
    write({ 'arm/arm.obj': 'my mesh', 'arm/notes.txt': 'mine' });
    expect(await pull({ prune: true })).toMatchObject({
      pruned: ['hand/hand.glb'],
      leftBehind: ['arm/arm.obj'],
    });
    expect(filesIn(folder)).toEqual({
      'arm/arm.xml': '<mujoco/>',
      'arm/arm.obj': 'my mesh',
      'arm/notes.txt': 'mine',
    });
    expect(existsSync(join(folder, 'hand'))).toBe(false);
  });
});
