import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createThumbnailPool, type FileSource, memoryFiles, type ThumbnailPool } from '../src/index.ts';
import { renderThumbnail } from '../src/thumbnail.ts';
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

  test('draws several thumbnails in turn, byte-identical to a direct call', async () => {
    const direct = await renderThumbnail(good);
    expect(direct).toHaveProperty('webp');
    expect(await Promise.all([pool.render(good), pool.render(good)])).toEqual([direct, direct]);
  });

  test('draws a robot whose files are in folders', async () => {
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

  test('reads files of this machine in its process, and warns of one that differs from what was listed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bindery-pool-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const place = join(folder, 'stored');
    const bytes = await good.files.read('pylon.glb');
    writeFileSync(place, bytes);
    const located = (sha256?: string) => ({
      ...good,
      files: { sizes: good.files.sizes, locate: () => ({ place, sha256 }) },
    });
    const direct = await renderThumbnail(good);
    expect(await pool.render(located(hash('sha256', bytes)))).toEqual(direct);
    expect(await pool.render(located())).toEqual(direct);
    expect(await pool.render(located(hash('sha256', 'other')))).toEqual({
      warning: 'pylon.glb is damaged',
      transient: true,
    });
    rmSync(place);
    expect(await pool.measure(located())).toEqual({ warning: 'pylon.glb cannot be read', transient: true });
  });

  test('never draws an asset with a file that arrived late for the previous one', async () => {
    const right = twoTriangles();
    const direct = await renderThumbnail({ kind: 'mesh', entry: 'two.gltf', files: memoryFiles(right) });
    const { promise: late, resolve: arrive } = Promise.withResolvers<Uint8Array>();
    const interrupted: FileSource = {
      sizes: memoryFiles(right).sizes,
      read: async (path) => {
        if (path !== 'a.bin') return right.get(path) as Uint8Array;
        await killDrawing();
        return late;
      },
    };
    expect(await pool.render({ kind: 'mesh', entry: 'two.gltf', files: interrupted })).toHaveProperty(
      'warning',
    );
    const next: FileSource = {
      sizes: interrupted.sizes,
      read: async (path) => {
        // While the next one waits for its own file of that name.
        if (path === 'a.bin') arrive(triangle(9));
        await new Promise((heard) => setImmediate(heard));
        return right.get(path) as Uint8Array;
      },
    };
    expect(await pool.render({ kind: 'mesh', entry: 'two.gltf', files: next })).toEqual(direct);
  });

  test('returns a warning for requests that wait when it closes, and for later ones', async () => {
    const answers = [pool.render(good), pool.render(good), pool.render(good)];
    await pool.close();
    expect(await Promise.all(answers)).toEqual(
      Array(3).fill({ warning: 'the pool of processes is closed', transient: true }),
    );
    expect(await pool.render(good)).toEqual({ warning: 'the pool of processes is closed', transient: true });
  });
});

describe('a pool with a time limit', () => {
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

/** Ends the processes that draw for this one, as the system does where memory is short. */
async function killDrawing(): Promise<void> {
  const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
  for (const id of children.split(' ').filter(Boolean)) {
    const command = await readFile(`/proc/${id}/cmdline`, 'utf8');
    if (command.includes('pool-process')) process.kill(Number(id), 'SIGKILL');
  }
}

/** A glTF file with two triangles, each in a file of its own. */
function twoTriangles(): Map<string, Uint8Array> {
  const accessor = { componentType: 5126, count: 3, type: 'VEC3' };
  const document = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }, { attributes: { POSITION: 1 } }] }],
    accessors: [0, 1].map((bufferView) => ({ ...accessor, bufferView })),
    bufferViews: [0, 1].map((buffer) => ({ buffer, byteLength: 36 })),
    buffers: ['a.bin', 'b.bin'].map((uri) => ({ uri, byteLength: 36 })),
  };
  return new Map([
    ['two.gltf', Buffer.from(JSON.stringify(document))],
    ['a.bin', triangle(0)],
    ['b.bin', triangle(1)],
  ]);
}

function triangle(height: number): Uint8Array {
  return new Uint8Array(Float32Array.of(0, height, 0, 1, height, 0, 0, height + 1, 1).buffer);
}
