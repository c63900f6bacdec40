import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER, pathOf } from '@bindery/server/testing';
import { writeLargeFile, writeRobots, writeSmallFiles } from '../test/generated-files.ts';
import { cpuSeconds } from './processes.ts';
import { type BenchmarkRow, limitRow, median, ratioRow, repeated, scaled, secondsOf } from './results.ts';
import { type CommandWorld, rclonePeer, withCommand } from './world.ts';

const ROUNDS = 3;
const RCLONE = 'rclone copy, verifying nothing';

/** Pushes, pulls, stats and syncs of many files with the real service and command line, compared with rclone and cp. */
export function benchManyFiles(): Promise<BenchmarkRow[]> {
  return withCommand(async (world) => {
    const [small, robots] = [join(world.folder, 'small'), join(world.folder, 'robots')];
    const { files } = writeSmallFiles(small, scaled(10_000));
    const pushes = await repeated(ROUNDS, (round) => {
      rmSync(join(world.folder, 'cache/bindery/hashes'), { recursive: true, force: true });
      return world.library('push', small, `${OWNER}/small-${round}`);
    });
    const library = `${OWNER}/small-0`;
    const pushAgain = world.library('push', small, library);
    const { pulls, copies, pulled } = await pullsBeside(world, library, small);
    const unchanged = {
      push: pushAgain,
      pull: world.library('pull', library, '-o', pulled),
      stat: world.library('stat', library, '-o', pulled),
    };
    const { files: count, bytes } = writeRobots(robots, scaled(1_000));
    world.library('push', robots, `${OWNER}/robots`);
    const ofRobots = await pullsBeside(world, `${OWNER}/robots`, robots);

    const rate = (seconds: readonly number[]) => files / median(seconds);
    const byteRate = (seconds: readonly number[]) => bytes / median(seconds);
    const perSecond = (value: number) => `${Math.round(value).toLocaleString('en')} files/s`;
    const pullWork = (what: string) => `pull ${what}, every byte verified`;
    const many = `${files.toLocaleString('en')} small files`;
    const large = `${count.toLocaleString('en')} files of robots (${Math.round(bytes / 1024 ** 2)} MiB)`;
    return [
      besideRow(pullWork(many), rate(pulls), copies && rate(copies), RCLONE, 1.3, perSecond),
      besideRow('push them, durable at register', rate(pushes), rate(pulls), 'the pull', 0.8, perSecond),
      ...Object.entries(unchanged).map(([work, seconds]) =>
        limitRow(`${work} with nothing changed`, seconds, 1, 's', 2),
      ),
      ...syncRows(world, small, library, files),
      besideRow(
        pullWork(large),
        byteRate(ofRobots.pulls),
        ofRobots.copies && byteRate(ofRobots.copies),
        RCLONE,
        1.3,
        mebibytesPerSecond,
      ),
    ];
  });
}

/** Syncs of a project of cached files, compared with `cp -r --reflink=auto`, by CPU time. */
function syncRows(world: CommandWorld, source: string, library: string, files: number): BenchmarkRow[] {
  const sync = (folder: string, ...words: string[]) =>
    cpuSeconds(['env', '-C', folder, world.command, 'sync', '-q', ...words], world.env).seconds;
  const project = join(world.folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'assets.yml'), `assets: [${library}/*]\n`);
  sync(project);
  const [syncs, copies, unchanged]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const fresh = join(world.folder, `fresh-${round}`);
    mkdirSync(fresh);
    writeFileSync(join(fresh, 'assets.lock'), readFileSync(join(project, 'assets.lock')));
    syncs.push(sync(fresh, '--frozen'));
    unchanged.push(sync(fresh, '--frozen'));
    const copy = ['cp', '-r', '--reflink=auto', source, join(world.folder, `cp-${round}`)];
    copies.push(cpuSeconds(copy).seconds);
  }
  const work = `sync --frozen of ${files.toLocaleString('en')} files, warm cache`;
  const perSecond = (rate: number) => `${Math.round(rate)} files a second of processor`;
  return [
    besideRow(work, files / median(syncs), files / median(copies), 'cp -r --reflink=auto', 0.5, perSecond),
    limitRow('sync --frozen with nothing changed', median(unchanged), 0.4, 's of processor', 2),
  ];
}

/** Pulls of one large file, compared with curl. */
export function benchLargeFile(): Promise<BenchmarkRow[]> {
  return withCommand(async (world) => {
    const bytes = scaled(2 * 1024 ** 3);
    const [source, target] = [join(world.folder, 'large'), join(world.folder, 'large-pulled')];
    writeLargeFile(join(source, 'scan/cloud.ply'), bytes);
    world.library('push', source, `${OWNER}/large`);
    rmSync(source, { recursive: true });
    const [pulls, peers]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      rmSync(target, { recursive: true, force: true });
      world.freshCache();
      pulls.push(world.library('pull', `${OWNER}/large`, '-o', target));
      const body = { paths: ['scan/cloud.ply'] };
      const answer = await world.client.send('POST', `${pathOf('large')}/files-presign`, body);
      const { files } = JSON.parse(answer.toString()) as { files: [{ url: string }] };
      const words = ['-c', 'curl -sf "$0" | sha256sum', files[0].url];
      peers.push(secondsOf(() => execFileSync('sh', words, { stdio: 'ignore' })));
    }
    const work = `pull one file of ${(bytes / 1024 ** 3).toFixed(1)} GiB`;
    const [own, peer] = [bytes / median(pulls), bytes / median(peers)];
    return [besideRow(work, own, peer, 'curl | sha256sum', 0.9, mebibytesPerSecond)];
  });
}

/**
 * Seconds of pulls of a library with an empty cache, and of as many copies with rclone, if it is installed; `pulled` is
 * the last pull. A new folder each time: a file system is slow after many files have been deleted.
 */
async function pullsBeside(world: CommandWorld, library: string, source: string) {
  const peer = await rclonePeer(source);
  const [pulls, copies]: [number[], number[]] = [[], []];
  let pulled = '';
  for (let round = 0; round < ROUNDS; round++) {
    pulled = `${source}-pulled-${round}`;
    world.freshCache();
    pulls.push(world.library('pull', library, '-o', pulled));
    if (peer) copies.push(peer.copy(`${source}-copied-${round}`));
  }
  await peer?.close();
  return { pulls, copies: peer && copies, pulled };
}

/** Not judged where there is no peer. */
export function besideRow(
  work: string,
  rate: number,
  peer: number | null | undefined,
  peerName: string,
  least: number,
  format: (rate: number) => string,
  ratio = rate / (peer ?? Number.NaN),
): BenchmarkRow {
  const bindery = format(rate);
  if (peer == null) return { work, bindery, target: `${least} ×`, met: null };
  return ratioRow({ work, bindery, peer: `${peerName} ${format(peer)}` }, ratio, { least });
}

function mebibytesPerSecond(rate: number): string {
  return `${Math.round(rate / 1024 ** 2).toLocaleString('en')} MiB/s`;
}
