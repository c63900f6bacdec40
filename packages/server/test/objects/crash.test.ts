import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { forEachBounded } from '@bindery/concurrency';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { someSteps } from '../../../../test/faults.ts';
import type { StoredObject } from '../../src/objects/store.ts';
import * as bundles from './crash-bundles.ts';
import * as files from './crash-files.ts';
import { type DiskTestStore, openTestDiskStore } from './stores.ts';

const PRELOAD = new URL('./crash-preload.ts', import.meta.url).href;
const AT_ONCE = 3;

/** What a program does with a store until it is killed, and what is there once it came to its end. */
interface Scenario {
  program: string;
  publish(disk: DiskTestStore, done: (what: string) => void): Promise<void>;
  /** By name; the program says `sent …` of a name, or of what comes before its slash. */
  finalObjects: Readonly<Record<string, StoredObject>>;
}

let compiled: string;
beforeAll(async () => {
  compiled = await mkdtemp(join(tmpdir(), 'bindery-crash-compiled-'));
});
afterAll(() => rm(compiled, { recursive: true }));

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'bindery-crash-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const FILES: Scenario = { program: fileURLToPath(new URL('./crash-files.ts', import.meta.url)), ...files };
const BUNDLES: Scenario = {
  program: fileURLToPath(new URL('./crash-bundles.ts', import.meta.url)),
  ...bundles,
};

/** Runs a scenario until its `killAt`-th step on the disk, to its end without one; answers what it said. */
async function run({ program }: Scenario, folder: string, killAt = 0): Promise<string[]> {
  const env = {
    ...process.env,
    KILL_AT: String(killAt),
    NODE_OPTIONS: `--import ${PRELOAD}`,
    NODE_COMPILE_CACHE: compiled,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, folder], { env }, (_, stdout) =>
      resolve(stdout.split('\n').filter(Boolean)),
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

async function checkNothingLost(
  { store }: DiskTestStore,
  { finalObjects }: Scenario,
  done: readonly string[],
): Promise<void> {
  const sent = Object.keys(finalObjects).filter((name) => done.includes(`sent ${name.split('/')[0]}`));
  const uploads = sent.flatMap((name) => finalObjects[name] ?? []);
  if (done.includes('promoted')) {
    for (const { sha256, size } of uploads) expect(await store.size({ storeId: 'lab', sha256 })).toBe(size);
  }
  expect(await store.promote('lab', uploads)).toEqual([]);
  const { index } = finalObjects;
  if (index && done.includes('indexed')) {
    expect(await store.size({ storeId: 'lab', sha256: index.sha256 })).toBe(index.size);
  }
}

/** Everything outside `objects`, empty folders aside. */
async function leftBehind(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return found.filter((path) => !path.startsWith(join(folder, 'objects')));
}

/** How many steps a scenario has when nothing happens to it. */
async function stepsOf(scenario: Scenario): Promise<number> {
  await using folder = await temporaryFolder();
  const said = await run(scenario, folder.path);
  return Number(/\d+/.exec(said.at(-1) ?? ''));
}

async function crashAt(scenario: Scenario, killAt: number): Promise<void> {
  await using folder = await temporaryFolder();
  const done = await run(scenario, folder.path, killAt);
  const disk = await openTestDiskStore({ folder: folder.path });
  try {
    await checkWhole(disk);
    await checkNothingLost(disk, scenario, done);
    await scenario.publish(disk, () => {});
    await disk.store.deleteAbandoned(Date.now() + 60_000);
    const objects = (await Array.fromAsync(disk.store.list('lab'))).map(({ sha256 }) => sha256);
    const wanted = Object.values(scenario.finalObjects).map(({ sha256 }) => sha256);
    expect(objects).toEqual(expect.arrayContaining(wanted));
    expect(await leftBehind(folder.path)).toEqual([]);
  } finally {
    await disk.close();
  }
}

test('a store killed at any rename, sync or deletion keeps what it acknowledged and works after a restart', async () => {
  const steps = await stepsOf(FILES);
  expect(steps).toBeGreaterThan(30);
  const some = someSteps(steps, { short: 12, long: Number.POSITIVE_INFINITY });
  await forEachBounded(some, { concurrency: AT_ONCE }, (killAt) => crashAt(FILES, killAt));
});

test('a store killed at any step of a bundle keeps what it acknowledged and works after a restart', async () => {
  const steps = await stepsOf(BUNDLES);
  expect(steps).toBeGreaterThan(300);
  const some = someSteps(steps, { short: 8, long: Number.POSITIVE_INFINITY });
  await forEachBounded(some, { concurrency: AT_ONCE }, (killAt) => crashAt(BUNDLES, killAt));
});
