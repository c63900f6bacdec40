import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuSeconds } from './cpu-seconds.ts';
import type { BenchmarkRow } from './results-table.ts';
import { writeSmallFiles } from './transfer-corpus.ts';
import { type World, withWorld } from './transfer-world.ts';

const ROUNDS = 3;
const [RATE_TARGET, UNCHANGED_TARGET] = [0.5, 0.4];
/** The share of the second library that is also in the first. */
const SHARED = 0.9;

/** Syncs a project of 10,000 cached files, compared with `cp -r --reflink=auto`, by CPU time. */
export async function benchSync(parent?: string): Promise<BenchmarkRow[]> {
  return withWorld(parent, async (world) => {
    const source = join(world.folder, 'small');
    const { files } = writeSmallFiles(source);
    world.library('push', source, 'bench/small');
    const project = join(world.folder, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'assets.yml'), 'assets: [bench/small/*]\n');
    sync(world, project);
    const [syncs, copies, unchanged]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < ROUNDS; round++) {
      const fresh = join(world.folder, `fresh-${round}`);
      mkdirSync(fresh);
      writeFileSync(join(fresh, 'assets.lock'), readFileSync(join(project, 'assets.lock')));
      syncs.push(sync(world, fresh, '--frozen'));
      unchanged.push(sync(world, fresh, '--frozen'));
      copies.push(cpu(['cp', '-r', '--reflink=auto', source, join(world.folder, `copied-${round}`)]));
    }
    const [rate, peer] = [files / median(syncs), files / median(copies)];
    return [
      {
        work: 'sync --frozen of 10,000 files, warm cache',
        bindery: `${Math.round(rate)} files a second of processor`,
        peer: `cp -r --reflink=auto ${Math.round(peer)}`,
        ratio: `${(rate / peer).toFixed(2)} ×`,
        target: `${RATE_TARGET} ×`,
        met: rate >= RATE_TARGET * peer,
      },
      {
        work: 'sync --frozen with nothing changed',
        bindery: `${median(unchanged).toFixed(2)} s of processor`,
        peer: '',
        ratio: '',
        target: `${UNCHANGED_TARGET} s`,
        met: median(unchanged) <= UNCHANGED_TARGET,
      },
      sharedBytes(world, source),
    ];
  });
}

/** Two libraries that share most of their bytes: how much the pull of the second transfers. */
function sharedBytes(world: World, source: string): BenchmarkRow {
  const assets = readdirSync(source).sort();
  const [first, second] = [join(world.folder, 'first'), join(world.folder, 'second')];
  const shared = Math.round(assets.length * SHARED);
  cpuSeconds(['cp', '-r', source, first]);
  world.freshCache();
  world.library('push', first, 'bench/first');
  for (const asset of assets.slice(shared)) {
    for (const file of readdirSync(join(first, asset, 'meshes'))) {
      const place = join(first, asset, 'meshes', file);
      const content = readFileSync(place);
      content.writeUInt8((content[0] ?? 0) ^ 1);
      writeFileSync(place, content);
    }
  }
  renameSync(first, second);
  world.library('push', second, 'bench/second');
  const pulled = (name: string) =>
    world.json('pull', `bench/${name}`, '-o', join(world.folder, `pulled-${name}`)) as Pulled;
  pulled('first');
  const { fetched, cached } = pulled('second');
  const share = fetched.bytes / (fetched.bytes + cached.bytes);
  const other = assets.slice(shared).reduce((sum, asset) => sum + bytesOf(join(second, asset, 'meshes')), 0);
  return {
    work: 'pull of a library of which another has 90 %',
    bindery: `${Math.round(fetched.bytes / 1e6)} MB transferred (${(100 * share).toFixed(1)} %)`,
    peer: '',
    ratio: '',
    target: `${Math.round(other / 1e6)} MB, the other files alone`,
    met: fetched.bytes === other,
  };
}

interface Pulled {
  fetched: { bytes: number };
  cached: { bytes: number };
}

function bytesOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0);
}

/** CPU seconds of a sync of the project in the folder. */
function sync(world: World, project: string, ...words: string[]): number {
  return cpu(['env', '-C', project, world.command, 'sync', '-q', ...words], world.env);
}

function cpu(command: string[], env?: NodeJS.ProcessEnv): number {
  return cpuSeconds(command, env).seconds;
}

function median(times: number[]): number {
  return times.sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}
