import { randomBytes } from 'node:crypto';
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pullLibrary } from '../../src/pull/pull.ts';
import { temporaryFolder } from '../folder.ts';
import { ARMS, cutAfter, startFakeService } from './fake-service.ts';

const MIB = 1024 * 1024;
const NO_RETRY = { attempts: 1, pause: 1, maxPause: 1_000 };

async function libraryWith(bytes: Buffer) {
  const { service, client } = await startFakeService({ 'scan/cloud.ply': bytes });
  const folder = temporaryFolder();
  const cacheFolder = temporaryFolder();
  const stateFolder = temporaryFolder();
  const pull = (more = {}) =>
    pullLibrary(client, ARMS, folder, { cacheFolder, stateFolder, retry: NO_RETRY, ...more });
  const names = () =>
    readdirSync(folder, { recursive: true })
      .map(String)
      .filter((path) => path !== 'scan')
      .map((path) => basename(path));
  return { service, folder, pull, names, pulled: () => readFileSync(join(folder, 'scan/cloud.ply')) };
}

describe('a broken connection', () => {
  test('at any point of a file of any size leaves no wrong file, and a later pull completes it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 * MIB }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
        async (size, cuts) => {
          const bytes = randomBytes(size);
          const { service, pull, names, pulled } = await libraryWith(bytes);
          for (const cut of cuts) {
            service.misbehave = (exchange) =>
              cutAfter(Math.min(exchange.bytes.length - 1, Math.floor(exchange.bytes.length * cut)))(
                exchange,
              );
            await expect(pull()).rejects.toThrow();
            expect(names()).not.toContain('cloud.ply');
          }
          service.misbehave = null;
          await pull();
          expect(pulled().equals(bytes)).toBe(true);
          expect(names()).toEqual(['cloud.ply']);
        },
      ),
      { numRuns: 15 },
    );
  });

  test('makes the pull resume after the last byte received', async () => {
    const bytes = randomBytes(7 * MIB);
    const { service, pull, pulled } = await libraryWith(bytes);
    let cuts = 5;
    service.misbehave = (exchange) => (cuts-- > 0 ? cutAfter(300_000)(exchange) : exchange.send());
    await pull({ retry: { attempts: 2, pause: 1, maxPause: 1_000 } });
    expect(pulled().equals(bytes)).toBe(true);
    expect(service.ranges).toEqual([null, ...[1, 2, 3, 4, 5].map((part) => `bytes=${part * 300_000}-`)]);
  });

  test('that recurs after each byte fails the pull after three attempts, however much is left', async () => {
    const { service, pull } = await libraryWith(randomBytes(7 * MIB));
    service.misbehave = cutAfter(1);
    const retry = { attempts: 3, pause: 50, maxPause: 1_000 };
    await expect(pull({ retry })).rejects.toThrow();
    expect(service.ranges).toHaveLength(retry.attempts);
  });

  test('leaves only the rest for the next pull to fetch', async () => {
    const { service, pull } = await libraryWith(randomBytes(7 * MIB));
    service.misbehave = cutAfter(2 * MIB);
    await expect(pull()).rejects.toThrow();
    service.misbehave = null;
    service.resetCounts();
    await pull();
    expect(service.ranges).toEqual([`bytes=${2 * MIB}-`]);
  });
});

describe('a file that is small enough to be verified in memory', () => {
  test('is kept as far as it has arrived, and the next pull fetches the rest', async () => {
    const bytes = randomBytes(3 * MIB);
    const { service, pull, pulled, names } = await libraryWith(bytes);
    for (const round of [1, 2]) {
      service.misbehave = cutAfter(MIB);
      await expect(pull(), `round ${round}`).rejects.toThrow();
    }
    service.misbehave = null;
    service.resetCounts();
    await pull();
    expect(service.ranges).toEqual([`bytes=${2 * MIB}-`]);
    expect(pulled().equals(bytes)).toBe(true);
    expect(names()).toEqual(['cloud.ply']);
  });

  test('is on disk while it arrives slowly, in case the process is killed', async () => {
    const bytes = randomBytes(3 * MIB);
    const { service, pull, names, folder } = await libraryWith(bytes);
    let finish = () => {};
    service.misbehave = ({ response }) => {
      let at = 0;
      response.writeHead(200, { 'content-length': bytes.length });
      const sending = setInterval(() => {
        response.write(bytes.subarray(at, at + 20_000));
        at += 20_000;
      }, 20);
      finish = () => {
        clearInterval(sending);
        response.end(bytes.subarray(at));
      };
    };
    const pulling = pull();
    const parts = () => names().filter((name) => name !== 'cloud.ply');
    const written = () => parts().reduce((sum, name) => sum + statSync(join(folder, 'scan', name)).size, 0);
    await expect.poll(written, { timeout: 10_000 }).toBeGreaterThan(MIB / 2);
    finish();
    await pulling;
    expect(names()).toEqual(['cloud.ply']);
  });

  test('is fetched again if what was kept has changed since', async () => {
    const bytes = randomBytes(3 * MIB);
    const { service, pull, pulled, names, folder } = await libraryWith(bytes);
    service.misbehave = cutAfter(MIB);
    await expect(pull()).rejects.toThrow();
    writeFileSync(join(folder, 'scan', names()[0] ?? ''), randomBytes(MIB));
    service.misbehave = null;
    await pull();
    expect(pulled().equals(bytes)).toBe(true);
  });
});

describe('a partial file left by an earlier pull', () => {
  async function withPart(bytes: Buffer) {
    const library = await libraryWith(bytes);
    library.service.misbehave = cutAfter(2 * MIB);
    await expect(library.pull()).rejects.toThrow();
    library.service.misbehave = null;
    const [part = ''] = library.names();
    return { ...library, part: join(library.folder, 'scan', part) };
  }

  test('is fetched again if it was changed', async () => {
    const bytes = randomBytes(7 * MIB);
    const { part, pull, pulled, names } = await withPart(bytes);
    writeFileSync(part, randomBytes(2 * MIB));
    await pull();
    expect(pulled().equals(bytes)).toBe(true);
    expect(names()).toEqual(['cloud.ply']);
  });

  test('is moved into place without a request for its bytes if it is complete', async () => {
    const bytes = randomBytes(7 * MIB);
    const { part, pull, pulled, service } = await withPart(bytes);
    writeFileSync(part, bytes);
    service.resetCounts();
    await pull();
    expect(pulled().equals(bytes)).toBe(true);
    expect(service.counts.objects).toBeUndefined();
  });

  test('is fetched again if it is too long', async () => {
    const bytes = randomBytes(7 * MIB);
    const { part, pull, pulled } = await withPart(bytes);
    writeFileSync(part, randomBytes(9 * MIB));
    await pull();
    expect(pulled().equals(bytes)).toBe(true);
  });

  test('is removed if the library has another version of the file by now', async () => {
    const { pull, service, names, pulled } = await withPart(randomBytes(7 * MIB));
    const next = randomBytes(2 * MIB);
    service.publish({ 'scan/cloud.ply': next });
    await pull();
    expect(pulled().equals(next)).toBe(true);
    expect(names()).toEqual(['cloud.ply']);
  });

  test('is fetched from the start if the store ignores ranges', async () => {
    const bytes = randomBytes(7 * MIB);
    const { pull, pulled, service } = await withPart(bytes);
    service.misbehave = ({ response }) => response.writeHead(200).end(bytes);
    await pull();
    expect(pulled().equals(bytes)).toBe(true);
  });
});

describe('a partial file of a process of which nothing is known', () => {
  async function withForeignPart(bytes: Buffer) {
    const library = await libraryWith(bytes);
    library.service.misbehave = cutAfter(2 * MIB);
    await expect(library.pull()).rejects.toThrow();
    const [part = ''] = library.names();
    const foreign = join(
      library.folder,
      'scan',
      part.replace(/[0-9a-f]{8}(-\d+\.[0-9a-f]{12}\.partial)$/, '00000000$1'),
    );
    renameSync(join(library.folder, 'scan', part), foreign);
    library.service.misbehave = null;
    library.service.resetCounts();
    return { ...library, foreign };
  }

  test('is left alone while it may still be written', async () => {
    const { pull, service, foreign } = await withForeignPart(randomBytes(7 * MIB));
    await pull();
    expect(service.ranges).toEqual([null]);
    expect(statSync(foreign).size).toBe(2 * MIB);
  });

  test('is resumed as a copy if it has not changed for ten minutes, so that its writer cannot change the result', async () => {
    const bytes = randomBytes(7 * MIB);
    const { pull, pulled, service, foreign, names } = await withForeignPart(bytes);
    const writer = openSync(foreign, 'r+');
    const elevenMinutesAgo = new Date(Date.now() - 660_000);
    utimesSync(foreign, elevenMinutesAgo, elevenMinutesAgo);
    await pull();
    writeSync(writer, 'written late', 0);
    closeSync(writer);
    expect(service.ranges).toEqual([`bytes=${2 * MIB}-`]);
    expect(pulled().equals(bytes)).toBe(true);
    expect(names()).toEqual(['cloud.ply']);
  });
});

test('an abort during a download stops the pull and keeps the bytes received so far', async () => {
  const bytes = randomBytes(8 * MIB);
  const { service, pull, names, folder } = await libraryWith(bytes);
  const controller = new AbortController();
  service.misbehave = ({ response, bytes: rest }) => {
    response.writeHead(200, { 'content-length': rest.length });
    response.write(rest.subarray(0, 2 * MIB), async () => {
      await expect.poll(received).toBe(2 * MIB);
      controller.abort(new Error('stopped'));
    });
  };
  const received = () => names().reduce((sum, part) => sum + statSync(join(folder, 'scan', part)).size, 0);
  await expect(pull({ signal: controller.signal })).rejects.toThrow('stopped');
  expect(names()).not.toContain('cloud.ply');
  expect(received()).toBe(2 * MIB);
});
