import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER } from '@bindery/server/testing';
import { writeSmallFiles } from '../test/generated-files.ts';
import { cpuSeconds } from './processes.ts';
import { type BenchmarkRow, limitRow, median, ratioRow, scaled } from './results.ts';
import { withCommand } from './world.ts';

const ROUNDS = 3;

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
    ];
  });
}
