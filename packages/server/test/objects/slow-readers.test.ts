import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { BUNDLE } from '@bindery/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type DiskTestStore, openTestDiskStore, READ_AHEAD_BYTES } from './stores.ts';

const KIB = 1024;
/** Milliseconds without a byte after which an answer counts as stuck. */
const STUCK = 15_000;

/** Files of the sizes that robots have, 20 to 250 KB. */
const FILES = Array.from({ length: 24 }, (_, at) => randomBytes((20 + at * 10) * 1_000));

let disk: DiskTestStore;
beforeAll(async () => {
  disk = await openTestDiskStore();
  for (const bytes of FILES) await disk.store.write('lab', bytes);
});
afterAll(() => disk.close());

/** How a reader takes an answer: in pieces of so many bytes, with a pause of so many milliseconds after each. */
interface Pace {
  piece: number;
  pause: number;
}

const pace = fc.record({
  piece: fc.integer({ min: 16 * KIB, max: 256 * KIB }),
  pause: fc.integer({ min: 0, max: 4 }),
});

test.each([
  { least: 20, most: 250 },
  { least: 20, most: 60 },
])(
  'bundles of 64 files of $least to $most KB arrive complete at any reading speed, in turn on one connection',
  async ({ least, most }) => {
    const sizes = FILES.filter(({ length }) => length >= least * 1_000 && length <= most * 1_000);
    const files = fc.array(fc.constantFrom(...sizes), { minLength: 64, maxLength: 64 }).map(fitting);
    const bundles = fc.array(files, { minLength: 1, maxLength: 2 });
    const readers = fc.array(fc.tuple(pace, bundles), { minLength: 6, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(readers, async (some) => {
        await Promise.all(some.map(([its, asked]) => readOneAfterAnother(its, asked)));
      }),
      { numRuns: 3, endOnFailure: true },
    );
  },
);

test('clients that read nothing cause little read-ahead and do not block other clients', async () => {
  const unread: IncomingMessage[] = [];
  const agent = new Agent({ keepAlive: true });
  let bytesRead = 0;
  const { read } = fs;
  const counting = vi.spyOn(fs, 'read').mockImplementation(((
    fd: number,
    buffer: Buffer,
    ...rest: unknown[]
  ) => {
    bytesRead += buffer.length;
    return (read as (...call: unknown[]) => void)(fd, buffer, ...rest);
  }) as typeof read);
  try {
    for (let reader = 0; reader < UNREAD; reader++) unread.push(await askFor(fitting(LARGE), agent));
    await expect.poll(() => grewBy(() => bytesRead), { timeout: 30_000, interval: 200 }).toBe(0);
    expect(bytesRead).toBeLessThan(READ_AHEAD_BYTES + UNREAD * HELD_FOR_A_READER);
    await readOneAfterAnother({ piece: 64 * KIB, pause: 0 }, [fitting(LARGE)]);
  } finally {
    counting.mockRestore();
    for (const answer of unread) answer.destroy();
    agent.destroy();
  }
});

const UNREAD = 150;
const LARGE = FILES.slice(-1).flatMap((bytes) => Array.from({ length: 64 }, () => bytes));
/** What the kernel keeps of an answer on a Unix socket, the least that is read at a time, and what a stream keeps. */
const HELD_FOR_A_READER = 512 * KIB;

/** By how much a figure has grown since it was last looked at. */
let lookedAt = 0;
function grewBy(figure: () => number): number {
  const before = lookedAt;
  lookedAt = figure();
  return lookedAt - before;
}

async function readOneAfterAnother(its: Pace, bundles: readonly Buffer[][]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (const asked of bundles) {
      const body = await readAt(its, await askFor(asked, agent));
      expect(hash('sha256', body)).toBe(hash('sha256', Buffer.concat(asked.flatMap(framesOf))));
    }
  } finally {
    agent.destroy();
  }
}

/** As many of the files as one answer may hold. */
function fitting(files: readonly Buffer[]): Buffer[] {
  let bytes = 0;
  return files.filter(({ length }) => {
    bytes += length;
    return bytes <= BUNDLE.bytes;
  });
}

async function askFor(files: readonly Buffer[], agent: Agent): Promise<IncomingMessage> {
  const { socketPath } = disk;
  const addresses = files.map((bytes) => {
    const object = { storeId: 'lab', sha256: hash('sha256', bytes) };
    return disk.store.presignGet(object, 'arm.stl', 900).slice(disk.origin.length);
  });
  const asking = request({ socketPath, path: BUNDLE.path, method: 'POST', agent });
  asking.end(addresses.join('\n'));
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  return answer;
}

async function readAt({ piece, pause }: Pace, answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let sincePause = 0;
  answer.on('error', () => {});
  answer.setTimeout(STUCK, () => answer.destroy(new Error(`the answer stopped after ${bytes} bytes`)));
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    sincePause += chunk.length;
    if (sincePause < piece || pause === 0) continue;
    sincePause = 0;
    await sleep(pause);
  }
  return Buffer.concat(chunks);
}

function framesOf(content: Buffer): Buffer[] {
  const head = Buffer.alloc(BUNDLE.headBytes);
  head.writeUInt32BE(200, 0);
  head.writeUInt32BE(content.length, 4);
  return [head, content];
}
