import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, connect as open, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { OWNER } from '@bindery/server/testing';
import { end } from '../packages/server/test/objects/s3/daemons.ts';
import { freePort } from '../test/free-port.ts';
import { writeRobots, writeSmallFiles } from '../test/generated-files.ts';
import { type BenchmarkRow, limitRow, median, repeated, scaled } from './results.ts';
import { besideRow } from './transfer.ts';
import { type CommandWorld, rclonePeer, withCommand } from './world.ts';

const ROUND_TRIP = 100;
const BITS_PER_SECOND = 500e6;

/** What one connection may have on the way in one direction, as the buffers of both ends allow. */
const MAX_ON_THE_WAY = 4 * 1024 * 1024;

/** Pushes and pulls over a line with a round trip of 100 ms and 500 Mbit/s, compared with rclone over the same line. */
export async function benchDistant(): Promise<BenchmarkRow[]> {
  const port = await freePort();
  const line = await openLine(port);
  // The service writes its address into presigned URLs.
  const url = `http://127.0.0.1:${line.port}`;
  const bench = async (world: CommandWorld) => {
    world.env.BINDERY_API_URL = url;
    return [
      pushFewFiles(world),
      ...(await benchLibrary(world, 'small', 'small files', 10, scaled(10_000), writeSmallFiles)),
      ...(await benchLibrary(world, 'robots', 'files of robots', 1.3, scaled(1_000), writeRobots)),
    ];
  };
  try {
    return await withCommand(bench, { BINDERY_PUBLIC_URL: url }, port);
  } finally {
    await line.close();
  }
}

function pushFewFiles(world: CommandWorld): BenchmarkRow {
  const source = join(world.folder, 'few');
  mkdirSync(join(source, 'mug'), { recursive: true });
  for (const name of ['mug.obj', 'mug.mtl', 'README.md'])
    writeFileSync(join(source, 'mug', name), `# ${name}\n`);
  world.library('push', source, `${OWNER}/warm-up`);
  return limitRow('distant: push 3 files', world.library('push', source, `${OWNER}/few`), 1, 's', 2);
}

async function benchLibrary(
  world: CommandWorld,
  library: string,
  noun: string,
  least: number,
  files: number,
  write: (folder: string, files: number) => unknown,
): Promise<BenchmarkRow[]> {
  const source = join(world.folder, library);
  write(source, files);
  const pushed = world.library('push', source, `${OWNER}/${library}`);
  // While the disk still writes what a push left, a pull waits for it.
  const pulls = await repeated(3, (round) => {
    world.freshCache();
    const target = join(world.folder, `${library}-pulled-${round}`);
    return world.library('pull', `${OWNER}/${library}`, '-o', target);
  });
  const peer = await rclonePeer(source, openLine);
  const copied = peer?.copy(join(world.folder, `${library}-copied`));
  await peer?.close();

  const pulled = median(pulls);
  const what = `${files.toLocaleString('en')} ${noun}`;
  const work = `distant: pull ${what}, every byte verified`;
  const seconds = (value: number) => `${value.toFixed(1)} s`;
  const ratio = (copied ?? Number.NaN) / pulled;
  return [
    besideRow(work, pulled, copied, 'rclone copy, verifying nothing', least, seconds, ratio),
    limitRow(`distant: push ${what}`, pushed, 10, 's', 2),
  ];
}

/**
 * Opens a line on a port of its own that leads to `port`, in a process of its own. Models the round trip of connecting,
 * delay and bandwidth; loss and the slow start of a connection are left out, which favours whoever opens many.
 */
async function openLine(port: number) {
  const line = fork(import.meta.filename, [String(port)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [linePort] = (await once(line, 'message')) as [number];
  return { port: linePort, close: () => end(line) };
}

/** One direction of the line: returns when bytes that are handed over at a time have left. All connections share it. */
function direction(): (bytes: number) => number {
  let free = 0;
  return (bytes) => {
    free = Math.max(free, performance.now()) + (bytes * 8_000) / BITS_PER_SECOND;
    return free;
  };
}

async function carry(from: Socket, to: Socket, departure: (bytes: number) => number, notBefore: number) {
  let onTheWay = 0;
  let last = Promise.resolve();
  const deliver = async (previous: Promise<void>, bytes: Buffer) => {
    const arrival = Math.max(departure(bytes.length), notBefore) + ROUND_TRIP / 2;
    await previous;
    const wait = arrival - performance.now();
    if (wait > 0.5) await delay(wait);
    to.write(bytes);
    onTheWay -= bytes.length;
  };
  const waiting: Promise<void>[] = [];
  try {
    for await (const bytes of from.iterator({ destroyOnReturn: false })) {
      onTheWay += bytes.length;
      last = deliver(last, bytes);
      waiting.push(last);
      while (onTheWay >= MAX_ON_THE_WAY) await waiting.shift();
    }
    await last;
    to.end();
  } catch {
    to.destroy();
  }
}

if (import.meta.main) {
  const [up, down] = [direction(), direction()];
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = open({
      host: '127.0.0.1',
      port: Number(process.argv[2]),
      allowHalfOpen: true,
      noDelay: true,
    });
    // The first bytes wait for the handshake.
    void carry(near, far, up, performance.now() + ROUND_TRIP);
    void carry(far, near, down, 0);
  }).listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.(typeof address === 'object' ? address?.port : 0);
  });
}
