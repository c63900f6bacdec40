import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER, pathOf } from '@bindery/server/testing';
import { writeLargeFile, writeRobots, writeSmallFiles } from '../test/generated-files.ts';
import { type BenchmarkRow, limitRow, median, ratioRow, repeated, scaled, secondsOf } from './results.ts';
import { type CommandWorld, rclonePeer, withCommand } from './world.ts';

const ROUNDS = 3;
const RCLONE = 'rclone copy, verifying nothing';

/** Pushes, pulls and stats of many small files with the real service and command line, compared with rclone. */
export function benchSmallFiles(): Promise<BenchmarkRow[]> {
  return withCommand(async (world) => {
    const source = join(world.folder, 'small');
    // A new folder each time: a file system is slow after many files have been deleted.
    const target = (round: number) => join(world.folder, `pulled-${round}`);
    const { files } = writeSmallFiles(source, scaled(10_000));
    const pushes = await repeated(ROUNDS, (round) => {
      rmSync(join(world.folder, 'cache/bindery/hashes'), { recursive: true, force: true });
      return world.library('push', source, `${OWNER}/small-${round}`);
    });
    const library = `${OWNER}/small-0`;
    const pushAgain = world.library('push', source, library);
    const { pulls, copies } = await pullsBeside(world, library, source, ROUNDS);
    const pullAgain = world.library('pull', library, '-o', target(ROUNDS - 1));
    const stat = world.library('stat', library, '-o', target(ROUNDS - 1));

    const rate = (seconds: readonly number[]) => files / median(seconds);
    const perSecond = (value: number) => `${Math.round(value).toLocaleString('en')} files/s`;
    const many = files.toLocaleString('en');
    const pullWork = `pull ${many} small files, every byte verified`;
    const unchanged = { push: pushAgain, pull: pullAgain, stat };
    return [
      besideRow(pullWork, rate(pulls), copies && rate(copies), RCLONE, 1.3, perSecond),
      besideRow('push them, durable at register', rate(pushes), rate(pulls), 'the pull', 0.8, perSecond),
      ...Object.entries(unchanged).map(([work, seconds]) =>
        limitRow(`${work} with nothing changed`, seconds, 1, 's', 2),
      ),
    ];
  });
}

/** Pulls of a library with file sizes of real robots, compared with rclone. */
export function benchRobots(): Promise<BenchmarkRow[]> {
  return withCommand(async (world) => {
    const source = join(world.folder, 'robots');
    const { files, bytes } = writeRobots(source, scaled(1_000));
    world.library('push', source, `${OWNER}/robots`);
    const { pulls, copies } = await pullsBeside(world, `${OWNER}/robots`, source, ROUNDS);
    const size = `${files.toLocaleString('en')} files of robots (${Math.round(bytes / 1024 ** 2)} MiB)`;
    const work = `pull ${size}, every byte verified`;
    return [
      besideRow(
        work,
        bytes / median(pulls),
        copies && bytes / median(copies),
        RCLONE,
        1.3,
        mebibytesPerSecond,
      ),
    ];
  });
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
      const answer = await world.client.send('POST', `${pathOf('large')}/files-presign`, { body });
      const { files } = JSON.parse(answer.toString()) as { files: [{ url: string }] };
      const words = ['-c', 'curl -sf "$0" | sha256sum', files[0].url];
      peers.push(secondsOf(() => execFileSync('sh', words, { stdio: 'ignore' })));
    }
    const work = `pull one file of ${(bytes / 1024 ** 3).toFixed(1)} GiB`;
    const [own, peer] = [bytes / median(pulls), bytes / median(peers)];
    return [besideRow(work, own, peer, 'curl | sha256sum', 0.9, mebibytesPerSecond)];
  });
}

/** Seconds of pulls into `pulled-<round>`, and of as many copies with rclone, if it is installed. */
async function pullsBeside(
  world: CommandWorld,
  library: string,
  source: string,
  rounds: number,
): Promise<{ pulls: number[]; copies: number[] | null }> {
  const peer = await rclonePeer(source);
  const [pulls, copies]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const [pulled, copied] = [join(world.folder, `pulled-${round}`), join(world.folder, `copied-${round}`)];
    world.freshCache();
    pulls.push(world.library('pull', library, '-o', pulled));
    if (peer) copies.push(peer.copy(copied));
  }
  await peer?.close();
  return { pulls, copies: peer && copies };
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

export function mebibytesPerSecond(rate: number): string {
  return `${Math.round(rate / 1024 ** 2).toLocaleString('en')} MiB/s`;
}
