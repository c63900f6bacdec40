import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createThumbnailPool,
  type FileSource,
  memoryFiles,
  renderThumbnail,
  type ThumbnailPool,
} from '../src/index.ts';
import { glb, gltfPylon } from './models/gltf.ts';
import { MJCF, towerStl } from './models/robots.ts';

const { document, buffer } = await gltfPylon();
const good = {
  kind: 'mesh',
  entry: 'pylon.glb',
  files: memoryFiles(new Map([['pylon.glb', glb(document, buffer)]])),
};

describe('a pool of one process', () => {
  let pool: ThumbnailPool;

  beforeEach(() => {
    pool = createThumbnailPool({ workers: 1, timeoutMs: 20_000, memoryMiB: 700 });
  });

  afterEach(() => pool.close());

  test('draws what a direct call draws, to the byte, several in turn', async () => {
    const direct = await renderThumbnail(good);
    expect(direct).toHaveProperty('webp');
    expect(await Promise.all([pool.render(good), pool.render(good)])).toEqual([direct, direct]);
  });

  test('draws a robot with files in folders', async () => {
    const files = memoryFiles(
      new Map([
        ['a/pylon.xml', Buffer.from(MJCF)],
        ['a/meshes/tower.stl', towerStl()],
      ]),
    );
    expect(await pool.render({ kind: 'mjcf', entry: 'a/pylon.xml', files })).toHaveProperty('webp');
  });

  test('warns of an asset that takes too much memory, and draws the next one', async () => {
    const bomb =
      '<mujoco><asset><texture name="t" type="2d" builtin="flat" width="20000" height="20000"/></asset></mujoco>';
    const files = memoryFiles(new Map([['bomb.xml', Buffer.from(bomb)]]));
    const warned = await pool.render({ kind: 'mjcf', entry: 'bomb.xml', files });
    expect(warned).toEqual({ warning: 'took more than 700 MiB of memory', transient: true });
    expect(await pool.render(good)).toHaveProperty('webp');
  });

  test('warns of a file that cannot be read', async () => {
    const files: FileSource = {
      sizes: new Map([['pylon.glb', 9]]),
      read: () => Promise.reject(new Error('the disk is gone')),
    };
    expect(await pool.render({ ...good, files })).toEqual({ warning: 'cannot be drawn: the disk is gone' });
  });

  test('answers what was still waiting when it closes', async () => {
    const answers = [pool.render(good), pool.render(good), pool.render(good)];
    await pool.close();
    expect(await Promise.all(answers)).toEqual(
      Array(3).fill({ warning: 'the thumbnail pool is closed', transient: true }),
    );
    expect(await pool.render(good)).toEqual({ warning: 'the thumbnail pool is closed', transient: true });
  });
});

describe('a pool with little patience', () => {
  test('warns of an asset that hangs, and draws the next one', { timeout: 90_000 }, async () => {
    await using pool = createThumbnailPool({ workers: 1, timeoutMs: 15_000, memoryMiB: 700 });
    const crowd = '<replicate count="3000" offset="0 0 1"><geom type="sphere" size="1"/></replicate>';
    const nested = `<replicate count="3000" offset="0 1 0"><body>${crowd}</body></replicate>`;
    const slow = `<mujoco><worldbody>${nested}</worldbody></mujoco>`;
    const files = memoryFiles(new Map([['slow.xml', Buffer.from(slow)]]));
    const warned = await pool.render({ kind: 'mjcf', entry: 'slow.xml', files });
    expect(warned).toEqual({
      warning: expect.stringMatching(/^took (longer than 15000 ms|more than 700 MiB of memory)$/),
      transient: true,
    });
    expect(await pool.render(good)).toHaveProperty('webp');
  });

  test('warns of an asset whose files never arrive', async () => {
    await using pool = createThumbnailPool({ workers: 1, timeoutMs: 500, memoryMiB: 700 });
    const files: FileSource = { sizes: new Map([['pylon.glb', 9]]), read: () => new Promise(() => {}) };
    expect(await pool.render({ ...good, files })).toEqual({
      warning: 'took longer than 500 ms',
      transient: true,
    });
  });
});
