import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Row } from './row.ts';
import { table } from './row.ts';
import { writeLargeFile, writeRobots, writeSmallFiles } from './transfer-corpus.ts';

const BINDERY = fileURLToPath(new URL('../packages/cli/bin/bindery.js', import.meta.url));
const GIB = 1024 ** 3;
const ROUNDS = 3;
const ROBOT_PULLS = 10;

/** Pushes, pulls and stats of many small files with the real service and command line, beside rclone. */
export async function benchSmallFiles(parent?: string): Promise<Row[]> {
  return inWorld(parent, smallFiles);
}

/** Ten pulls of a library with the sizes of real robots, beside rclone. */
export async function benchRobots(parent?: string): Promise<Row[]> {
  return inWorld(parent, robots);
}

/** Pulls of one large file, beside curl. */
export async function benchLargeFile(parent?: string, bytes = 2 * GIB): Promise<Row[]> {
  return inWorld(parent, async (world) => [await largeFile(world, bytes)]);
}

/** `parent` is where everything is written; by default the folder for temporary files. */
async function inWorld(parent = tmpdir(), bench: (world: World) => Promise<Row[]>): Promise<Row[]> {
  const folder = await mkdtemp(join(parent, 'bindery-bench-transfer-'));
  const world = await openWorld(folder);
  try {
    return await bench(world);
  } finally {
    await world.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface World {
  folder: string;
  url: string;
  token: string;
  /** Seconds that `bindery library …` takes. */
  library(...words: string[]): number;
  close(): Promise<void>;
}

async function smallFiles(world: World): Promise<Row[]> {
  const source = join(world.folder, 'small');
  // A new folder each time: a file system slows down where many files were deleted a moment ago.
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
    pulls.push(world.library('pull', 'bench/small-0', '-o', target(round)));
    if (peer) copies.push(peer.copy(join(world.folder, `copied-${round}`)));
  }
  await peer?.close();
  const pullAgain = world.library('pull', 'bench/small-0', '-o', target(0));
  const stat = world.library('stat', 'bench/small-0', '-o', target(0));

  const pullRate = files / median(pulls);
  const rows = [
    beside(
      'pull 10,000 small files, every byte verified',
      pullRate,
      peer && { name: 'rclone copy, verifying nothing', rate: files / median(copies) },
      1.3,
      perSecond,
    ),
    beside(
      'push them, durable at register',
      files / median(pushes),
      { name: 'the pull', rate: pullRate },
      0.5,
      perSecond,
    ),
  ];
  const unchanged = { push: pushAgain, pull: pullAgain, stat };
  for (const [work, seconds] of Object.entries(unchanged))
    rows.push(within(`${work} with nothing changed`, seconds, 1));
  return rows;
}

async function robots(world: World): Promise<Row[]> {
  const source = join(world.folder, 'robots');
  const { files, bytes } = writeRobots(source);
  world.library('push', source, 'bench/robots');
  const peer = await rclonePeer(source);
  const pulls: number[] = [];
  const copies: number[] = [];
  for (let round = 0; round < ROBOT_PULLS; round++) {
    const [pulled, copied] = [join(world.folder, `pulled-${round}`), join(world.folder, `copied-${round}`)];
    pulls.push(world.library('pull', 'bench/robots', '-o', pulled));
    if (peer) copies.push(peer.copy(copied));
    for (const folder of [pulled, copied]) await rm(folder, { recursive: true, force: true });
  }
  await peer?.close();
  const [slowest, usual] = [Math.max(...pulls), median(pulls)];
  const work = `pull ${files.toLocaleString('en')} files of robots (${Math.round(bytes / 1024 ** 2)} MiB)`;
  return [
    beside(
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

async function largeFile(world: World, bytes: number): Promise<Row> {
  const source = join(world.folder, 'large');
  const target = join(world.folder, 'large-pulled');
  writeLargeFile(join(source, 'scan/cloud.ply'), bytes);
  world.library('push', source, 'bench/large');
  await rm(source, { recursive: true });
  const pulls: number[] = [];
  const peers: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await rm(target, { recursive: true, force: true });
    pulls.push(world.library('pull', 'bench/large', '-o', target));
    peers.push(curlSeconds(await presigned(world, 'large', 'scan/cloud.ply')));
  }
  await rm(target, { recursive: true, force: true });
  const rate = (seconds: number) => bytes / seconds;
  const peer = { name: 'curl | sha256sum', rate: rate(median(peers)) };
  return beside(
    `pull one file of ${(bytes / GIB).toFixed(1)} GiB`,
    rate(median(pulls)),
    peer,
    0.9,
    mebibytesPerSecond,
  );
}

async function openWorld(folder: string): Promise<World> {
  const dataDir = join(folder, 'data');
  const admin = (...words: string[]) =>
    execFileSync(BINDERY, ['admin', ...words, '--data-dir', dataDir], {
      encoding: 'utf8',
      input: 'correct horse battery\n',
      stdio: ['pipe', 'pipe', 'ignore'],
    });
  admin('create-user', 'bench', '--email', 'bench@example.org', '--password-stdin');
  const token = admin('create-token', 'bench', '--scope', 'write').trim();
  const service = spawn(BINDERY, ['serve', '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(service.stdout, 'data');
  const url = String(line).trim().replace('listening on ', '');
  const env = {
    ...process.env,
    BINDERY_API_URL: url,
    BINDERY_TOKEN: token,
    BINDERY_CONFIG_DIR: join(folder, 'config'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    XDG_STATE_HOME: join(folder, 'state'),
  };
  return {
    folder,
    url,
    token,
    library(...words) {
      const start = performance.now();
      const { status, stderr } = spawnSync(BINDERY, ['library', ...words], { env, encoding: 'utf8' });
      if (status !== 0) throw new Error(`bindery library ${words.join(' ')} ended with ${status}: ${stderr}`);
      return (performance.now() - start) / 1_000;
    },
    close: () => end(service),
  };
}

/** `rclone copy --transfers 16` from `rclone serve http`, which hashes nothing; null where there is no rclone. */
async function rclonePeer(source: string) {
  if (spawnSync('rclone', ['version']).status !== 0) return null;
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const server = spawn('rclone', ['serve', 'http', source, '--addr', address], { stdio: 'ignore' });
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetch(`http://${address}/`).catch(() => null);
    if (answer?.ok) break;
    await sleep(50);
  }
  return {
    /** Seconds that a copy into a new folder takes. */
    copy(target: string) {
      const start = performance.now();
      const words = ['copy', ':http:', target, '--http-url', `http://${address}`, '--transfers', '16'];
      execFileSync('rclone', words, { stdio: 'ignore' });
      return (performance.now() - start) / 1_000;
    },
    close: () => end(server),
  };
}

function curlSeconds(url: string): number {
  const start = performance.now();
  execFileSync('sh', ['-c', 'curl -sf "$0" | sha256sum', url], { stdio: 'ignore' });
  return (performance.now() - start) / 1_000;
}

async function presigned({ url, token }: World, library: string, path: string): Promise<string> {
  const response = await fetch(`${url}/namespaces/bench/libraries/${library}/files-presign`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ paths: [path] }),
  });
  const { files } = (await response.json()) as { files: { url: string }[] };
  return files[0]?.url ?? '';
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

function beside(
  work: string,
  rate: number,
  peer: { name: string; rate: number } | null,
  target: number,
  format: (rate: number) => string,
): Row {
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

function within(work: string, seconds: number, target: number): Row {
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
