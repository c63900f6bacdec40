import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pullLibrary, pushFolder } from '@bindery/sdk/libraries';
import { expect } from 'vitest';
import type { Cluster } from './cluster.ts';

/** Each file contains its revision number, so that a mixture of revisions is detected. */
const FILES = 12;

/** Runs work until it succeeds, or only once. */
export type Attempt = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Retries as a user would after a broken connection. */
export const persist: Attempt = async (work) => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 20) throw error;
      await wait(200);
    }
  }
};

interface Publishing {
  isOver(revision: number): boolean;
  attempt: Attempt;
}

/** Publishes one revision of a library after another; returns the last one. */
export async function publishUntil(
  { home, client }: Cluster,
  library: string,
  { isOver, attempt }: Publishing,
): Promise<number> {
  const folder = join(home, library);
  await mkdir(join(folder, 'arm'), { recursive: true });
  const state = { cacheFolder: join(home, 'cache'), stateFolder: join(home, 'state'), force: true };
  for (let revision = 1; ; revision++) {
    for (let file = 0; file < FILES; file++) await writeFile(fileIn(folder, file), textOf(revision, file));
    await attempt(() => pushFolder(client, addressOf(library), folder, state));
    if (isOver(revision)) return revision;
  }
}

/** Pulls a library repeatedly; each pull must be of one revision. Returns the number of pulls. */
export async function pullUntil(
  cluster: Cluster,
  library: string,
  { isOver, attempt }: { isOver(): boolean; attempt: Attempt },
): Promise<number> {
  for (let pulls = 0; ; pulls++) {
    if (isOver()) return pulls;
    await attempt(() => pull(cluster, library, 'pulled'));
    await expectOneRevision(cluster, library, 'pulled');
  }
}

/** Pulls a library into an empty folder and expects it to be at the given revision. */
export async function expectRevision(cluster: Cluster, library: string, revision: number): Promise<void> {
  await pull(cluster, library, 'last');
  expect(await expectOneRevision(cluster, library, 'last')).toBe(revision);
}

function pull({ home, client }: Cluster, library: string, name: string) {
  const state = { cacheFolder: join(home, `${name}-cache`), stateFolder: join(home, `${name}-state`) };
  return pullLibrary(client, addressOf(library), pulledFolder(home, library, name), {
    ...state,
    cache: false,
  });
}

/** Expects all files of a pulled folder to be of one revision, and returns it. */
async function expectOneRevision({ home }: Cluster, library: string, name: string): Promise<number> {
  const folder = pulledFolder(home, library, name);
  const revision = Number(/^revision (\d+)/.exec(await readFile(fileIn(folder, 0), 'utf8'))?.[1]);
  for (let file = 0; file < FILES; file++) {
    expect(await readFile(fileIn(folder, file), 'utf8')).toBe(textOf(revision, file));
  }
  return revision;
}

const addressOf = (name: string) => ({ namespace: 'ada', name });
const pulledFolder = (home: string, library: string, name: string) => join(home, `${library}-${name}`);
const fileIn = (folder: string, file: number) => join(folder, 'arm', `part-${file}.obj`);
const textOf = (revision: number, file: number) => `revision ${revision} of part ${file}\n`.repeat(100);
