import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { finalObjects, publish } from './crash-scenario.ts';
import { type DiskTestStore, openTestDiskStore } from './stores.ts';

const file = (name: string) => join(import.meta.dirname, name);
const AT_ONCE = 3;

/** Runs the scenario until its `killAt`-th step on the disk; answers what it said was done, and whether it ended. */
async function runUntil(killAt: number, folder: string): Promise<{ done: string[]; ended: boolean }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--import', file('crash-preload.ts'), file('crash-scenario.ts'), folder],
      { env: { ...process.env, KILL_AT: String(killAt), NODE_OPTIONS: '' } },
      (error, stdout) => resolve({ done: stdout.split('\n').filter(Boolean), ended: error === null }),
    );
  });
}

async function checkWhole({ store }: DiskTestStore): Promise<void> {
  for await (const { sha256, size } of store.list('lab')) {
    const bytes = await store.read({ storeId: 'lab', sha256 });
    expect(bytes.length).toBe(size);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  }
}

async function checkNothingLost({ store }: DiskTestStore, done: readonly string[]): Promise<void> {
  const sent = (['small', 'large', 'scan'] as const).filter((name) => done.includes(`sent ${name}`));
  const uploads = sent.map((name) => finalObjects[name]);
  if (done.includes('promoted')) {
    for (const { sha256, size } of uploads) expect(await store.size({ storeId: 'lab', sha256 })).toBe(size);
  }
  expect(await store.promote('lab', uploads)).toEqual([]);
  if (done.includes('indexed')) {
    expect(await store.size({ storeId: 'lab', ...finalObjects.index })).toBe(finalObjects.index.size);
  }
}

/** Everything outside `objects`, empty folders aside. */
async function leftBehind(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((path) => !path.startsWith(join(folder, 'objects')));
}

async function crashAt(killAt: number): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-crash-'));
  try {
    const { done, ended } = await runUntil(killAt, folder);
    if (ended) return true;
    const disk = await openTestDiskStore({ folder });
    try {
      await checkWhole(disk);
      await checkNothingLost(disk, done);
      await publish(disk.store, () => {});
      await disk.store.removeAbandoned(Date.now() + 60_000);
      const objects = (await Array.fromAsync(disk.store.list('lab'))).map(({ sha256 }) => sha256);
      const wanted = Object.values(finalObjects).map(({ sha256 }) => sha256);
      expect(objects).toEqual(expect.arrayContaining(wanted));
      expect(await leftBehind(folder)).toEqual([]);
    } finally {
      await disk.close();
    }
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('killed at any rename, sync or deletion, the store keeps what it acknowledged and goes on', async () => {
  let next = 1;
  let ended = false;
  const lane = async () => {
    while (!ended) if (await crashAt(next++)) ended = true;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  expect(next).toBeGreaterThan(30);
}, 120_000);
