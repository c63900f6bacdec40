import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLine } from './distant/line.ts';
import type { BenchmarkRow } from './results-table.ts';
import { writeRobots, writeSmallFiles } from './transfer-corpus.ts';
import { freePort, rclonePeer, type World, withWorld } from './transfer-world.ts';

const ROUNDS = 3;
const LINE = { roundTrip: 100, bitsPerSecond: 500e6 };

/** Pushes and pulls over a line with a round trip of 100 ms and 500 Mbit/s, compared with rclone over the same line. */
export async function benchDistant(): Promise<BenchmarkRow[]> {
  const port = await freePort();
  const line = await openLine(port, LINE);
  // The service writes its address into presigned URLs.
  const url = `http://127.0.0.1:${line.port}`;
  const bench = async (world: World) => {
    world.env.BINDERY_API_URL = url;
    return [pushFewFiles(world), ...(await smallFiles(world)), ...(await robots(world))];
  };
  try {
    return await withWorld(undefined, bench, { BINDERY_PUBLIC_URL: url }, port);
  } finally {
    await line.close();
  }
}

function pushFewFiles(world: World): BenchmarkRow {
  const source = join(world.folder, 'few');
  mkdirSync(join(source, 'mug'), { recursive: true });
  for (const name of ['mug.obj', 'mug.mtl', 'README.md'])
    writeFileSync(join(source, 'mug', name), `# ${name}\n`);
  world.library('push', source, 'bench/warm-up');
  return limitRow('push 3 files', world.library('push', source, 'bench/few'), 1);
}

async function smallFiles(world: World): Promise<BenchmarkRow[]> {
  const source = join(world.folder, 'small');
  const { files } = writeSmallFiles(source);
  const pushed = world.library('push', source, 'bench/small');
  const pulled = pull(world, 'small');
  const copied = await copyOver(source, join(world.folder, 'small-copied'));
  const what = `${files.toLocaleString('en')} small files`;
  return [comparisonRow(`pull ${what}`, pulled, copied, 10), limitRow(`push ${what}`, pushed, 10)];
}

async function robots(world: World): Promise<BenchmarkRow[]> {
  const source = join(world.folder, 'robots');
  const { files } = writeRobots(source);
  const pushed = world.library('push', source, 'bench/robots');
  const pulled = pull(world, 'robots');
  const copied = await copyOver(source, join(world.folder, 'robots-copied'));
  const what = `${files.toLocaleString('en')} files of robots`;
  return [comparisonRow(`pull ${what}`, pulled, copied, 1.3), limitRow(`push ${what}`, pushed, 10)];
}

/** Returns the median of some pulls: while the disk still writes what a push left, a pull waits for it. */
function pull(world: World, library: string): number {
  const seconds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    world.freshCache();
    const target = join(world.folder, `${library}-pulled-${round}`);
    seconds.push(world.library('pull', `bench/${library}`, '-o', target));
  }
  return seconds.sort((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN;
}

async function copyOver(source: string, target: string): Promise<number | null> {
  const peer = await rclonePeer(source, (port) => openLine(port, LINE));
  if (peer === null) return null;
  try {
    return peer.copy(target);
  } finally {
    await peer.close();
  }
}

function comparisonRow(work: string, seconds: number, copied: number | null, target: number): BenchmarkRow {
  const ratio = copied === null ? null : copied / seconds;
  return {
    work: `distant: ${work}, every byte verified`,
    bindery: `${seconds.toFixed(1)} s`,
    peer: copied === null ? '' : `rclone copy, verifying nothing ${copied.toFixed(1)} s`,
    ratio: ratio === null ? '' : `${ratio.toFixed(2)} ×`,
    target: `${target} ×`,
    met: ratio === null ? null : ratio >= target,
  };
}

function limitRow(work: string, seconds: number, limit: number): BenchmarkRow {
  return {
    work: `distant: ${work}`,
    bindery: `${seconds.toFixed(2)} s`,
    peer: '',
    ratio: '',
    target: `${limit} s`,
    met: seconds <= limit,
  };
}
