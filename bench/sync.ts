import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER } from '@bindery/server/testing';
import { writeSmallFiles } from '../test/generated-files.ts';
import { cpuSeconds } from './processes.ts';
import { type BenchmarkRow, limitRow, median, ratioRow, scaled } from './results.ts';
import { type CommandWorld, withCommand } from './world.ts';

const ROUNDS = 3;
/** The share of the second library that is also in the first. */
const SHARED = 0.9;

/** Syncs a project of 10,000 cached files, compared with `cp -r --reflink=auto`, by CPU time. */
export function benchSync(): Promise<BenchmarkRow[]> {
  return withCommand(async (world) => {
    const source = join(world.folder, 'small');
    const { files } = writeSmallFiles(source, scaled(10_000));
    world.library('push', source, `${OWNER}/small`);
    const sync = (folder: string, ...words: string[]) =>
      cpuSeconds(['env', '-C', folder, world.command, 'sync', '-q', ...words], world.env).seconds;
    const project = join(world.folder, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'assets.yml'), `assets: [${OWNER}/small/*]\n`);
    sync(project);
    const [syncs, copies, unchanged]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < ROUNDS; round++) {
      const fresh = join(world.folder, `fresh-${round}`);
      mkdirSync(fresh);
      writeFileSync(join(fresh, 'assets.lock'), readFileSync(join(project, 'assets.lock')));
      syncs.push(sync(fresh, '--frozen'));
      unchanged.push(sync(fresh, '--frozen'));
      const copy = ['cp', '-r', '--reflink=auto', source, join(world.folder, `copied-${round}`)];
      copies.push(cpuSeconds(copy).seconds);
    }
    const work = `sync --frozen of ${files.toLocaleString('en')} files, warm cache`;
    const [rate, peer] = [files / median(syncs), files / median(copies)];
    const bindery = `${Math.round(rate)} files a second of processor`;
    return [
      ratioRow({ work, bindery, peer: `cp -r --reflink=auto ${Math.round(peer)}` }, rate / peer, {
        least: 0.5,
      }),
      {
        ...limitRow('sync --frozen with nothing changed', median(unchanged), 0.4, 's'),
        bindery: `${median(unchanged).toFixed(2)} s of processor`,
      },
      sharedBytes(world, source),
    ];
  });
}

/** Two libraries that share most of their bytes: how much the pull of the second transfers. */
function sharedBytes(world: CommandWorld, source: string): BenchmarkRow {
  const assets = readdirSync(source).sort();
  const [first, second] = [join(world.folder, 'first'), join(world.folder, 'second')];
  cpuSeconds(['cp', '-r', source, first]);
  world.freshCache();
  world.library('push', first, `${OWNER}/first`);
  let other = 0;
  for (const asset of assets.slice(Math.round(assets.length * SHARED))) {
    for (const file of readdirSync(join(first, asset, 'meshes'))) {
      const place = join(first, asset, 'meshes', file);
      const content = readFileSync(place);
      content.writeUInt8((content[0] ?? 0) ^ 1);
      writeFileSync(place, content);
      other += content.length;
    }
  }
  renameSync(first, second);
  world.library('push', second, `${OWNER}/second`);
  const pulled = (name: string) =>
    world.json('pull', `${OWNER}/${name}`, '-o', join(world.folder, `pulled-${name}`)) as Pulled;
  pulled('first');
  const { fetched, cached } = pulled('second');
  const share = fetched.bytes / (fetched.bytes + cached.bytes);
  return {
    work: 'pull of a library of which another has 90 %',
    bindery: `${Math.round(fetched.bytes / 1e6)} MB transferred (${(100 * share).toFixed(1)} %)`,
    target: `${Math.round(other / 1e6)} MB, the other files alone`,
    met: fetched.bytes === other,
  };
}

type Pulled = Record<'fetched' | 'cached', { bytes: number }>;
