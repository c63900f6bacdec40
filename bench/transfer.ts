import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchmarkRow } from './results-table.ts';
import { table } from './results-table.ts';
import { writeLargeFile, writeRobots, writeSmallFiles } from './transfer-corpus.ts';
import {
  curlSeconds,
  presigned,
  rclonePeer,
  truncateFiles,
  type World,
  withWorld,
} from './transfer-world.ts';

const GIB = 1024 ** 3;
const ROUNDS = 3;
const ROBOT_PULLS = 10;

/** Pushes, pulls and stats of many small files with the real service and command line, compared with rclone. */
export async function benchSmallFiles(parent?: string): Promise<BenchmarkRow[]> {
  return withWorld(parent, smallFiles);
}

/** Ten pulls of a library with file sizes of real robots, compared with rclone. */
export async function benchRobots(parent?: string): Promise<BenchmarkRow[]> {
  return withWorld(parent, robots);
}

/** Pulls of one large file, compared with curl. */
export async function benchLargeFile(parent?: string, bytes = 2 * GIB): Promise<BenchmarkRow[]> {
  return withWorld(parent, async (world) => [await largeFile(world, bytes)]);
}

async function smallFiles(world: World): Promise<BenchmarkRow[]> {
  const source = join(world.folder, 'small');
  // A new folder each time: a file system is slow after many files have been deleted.
  const target = (round: number) => join(world.folder, `pulled-${round}`);
  const { files } = writeSmallFiles(source);
  const pushes: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await rm(join(world.folder, 'cache/bindery/hashes'), { recursive: true, force: true });
    pushes.push(world.library('push', source, `bench/small-${round}`));
  }
  const pushAgain = world.library('push', source, 'bench/small-0');
  const peer = await rclonePeer(source);
  const pulls: number[] = [];
  const copies: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    world.freshCache();
    pulls.push(world.library('pull', 'bench/small-0', '-o', target(round)));
    if (peer) copies.push(peer.copy(join(world.folder, `copied-${round}`)));
  }
  await peer?.close();
  const pullAgain = world.library('pull', 'bench/small-0', '-o', target(ROUNDS - 1));
  const stat = world.library('stat', 'bench/small-0', '-o', target(ROUNDS - 1));

  const pullRate = files / median(pulls);
  const rows = [
    comparisonRow(
      'pull 10,000 small files, every byte verified',
      pullRate,
      peer && { name: 'rclone copy, verifying nothing', rate: files / median(copies) },
      1.3,
      perSecond,
    ),
    comparisonRow(
      'push them, durable at register',
      files / median(pushes),
      { name: 'the pull', rate: pullRate },
      0.8,
      perSecond,
    ),
  ];
  const unchanged = { push: pushAgain, pull: pullAgain, stat };
  for (const [work, seconds] of Object.entries(unchanged))
    rows.push(timeLimitRow(`${work} with nothing changed`, seconds, 1));
  return rows;
}

async function robots(world: World): Promise<BenchmarkRow[]> {
  const source = join(world.folder, 'robots');
  const { files, bytes } = writeRobots(source);
  world.library('push', source, 'bench/robots');
  const peer = await rclonePeer(source);
  const pulls: number[] = [];
  const copies: number[] = [];
  for (let round = 0; round < ROBOT_PULLS; round++) {
    const [pulled, copied] = [join(world.folder, `pulled-${round}`), join(world.folder, `copied-${round}`)];
    world.freshCache();
    pulls.push(world.library('pull', 'bench/robots', '-o', pulled));
    if (peer) copies.push(peer.copy(copied));
    for (const folder of [pulled, copied]) truncateFiles(folder);
  }
  await peer?.close();
  const [slowest, usual] = [Math.max(...pulls), median(pulls)];
  const work = `pull ${files.toLocaleString('en')} files of robots (${Math.round(bytes / 1024 ** 2)} MiB)`;
  return [
    comparisonRow(
      `${work}, every byte verified`,
      bytes / usual,
      peer && { name: 'rclone copy, verifying nothing', rate: bytes / median(copies) },
      1.3,
      mebibytesPerSecond,
    ),
    {
      work: `the slowest of ${pulls.length} such pulls`,
      bindery: `${slowest.toFixed(2)} s`,
      peer: `their median ${usual.toFixed(2)} s`,
      ratio: `${(slowest / usual).toFixed(2)} ×`,
      target: 'at most 2 ×',
      met: slowest <= 2 * usual,
    },
  ];
}

async function largeFile(world: World, bytes: number): Promise<BenchmarkRow> {
  const source = join(world.folder, 'large');
  const target = join(world.folder, 'large-pulled');
  writeLargeFile(join(source, 'scan/cloud.ply'), bytes);
  world.library('push', source, 'bench/large');
  await rm(source, { recursive: true });
  const pulls: number[] = [];
  const peers: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await rm(target, { recursive: true, force: true });
    world.freshCache();
    pulls.push(world.library('pull', 'bench/large', '-o', target));
    peers.push(curlSeconds(await presigned(world, 'large', 'scan/cloud.ply')));
  }
  await rm(target, { recursive: true, force: true });
  const rate = (seconds: number) => bytes / seconds;
  const peer = { name: 'curl | sha256sum', rate: rate(median(peers)) };
  return comparisonRow(
    `pull one file of ${(bytes / GIB).toFixed(1)} GiB`,
    rate(median(pulls)),
    peer,
    0.9,
    mebibytesPerSecond,
  );
}

function comparisonRow(
  work: string,
  rate: number,
  peer: { name: string; rate: number } | null,
  target: number,
  format: (rate: number) => string,
): BenchmarkRow {
  const ratio = peer === null ? null : rate / peer.rate;
  return {
    work,
    bindery: format(rate),
    peer: peer === null ? '' : `${peer.name} ${format(peer.rate)}`,
    ratio: ratio === null ? '' : `${ratio.toFixed(2)} ×`,
    target: `${target} ×`,
    met: ratio === null ? null : ratio >= target,
  };
}

function timeLimitRow(work: string, seconds: number, target: number): BenchmarkRow {
  return {
    work,
    bindery: `${seconds.toFixed(2)} s`,
    peer: '',
    ratio: '',
    target: `${target} s`,
    met: seconds <= target,
  };
}

function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString('en')} files/s`;
}

function mebibytesPerSecond(rate: number): string {
  return `${Math.round(rate / 1024 ** 2).toLocaleString('en')} MiB/s`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

if (import.meta.main) {
  const [folder, largeMebibytes] = process.argv.slice(2);
  const rows = [
    ...(await benchSmallFiles(folder)),
    ...(await benchRobots(folder)),
    ...(await benchLargeFile(
      folder,
      largeMebibytes === undefined ? undefined : Number(largeMebibytes) * 1024 ** 2,
    )),
  ];
  process.stdout.write(`${table(rows)}\n`);
}
