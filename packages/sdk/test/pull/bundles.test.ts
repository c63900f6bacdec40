import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLE } from '@bindery/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pullLibrary } from '../../src/pull/pull.ts';
import { temporaryFolder } from '../folder.ts';
import { ARMS, type Contents, frame, type Misbehaviour, startFakeService } from './fake-service.ts';

const RETRY = { attempts: 2, pause: 1, maxPause: 1_000 };

async function libraryOf(contents: Contents) {
  const { service, client } = await startFakeService(contents);
  service.objectsPath = '/storage/objects';
  const folder = temporaryFolder();
  const pull = (more = {}) =>
    pullLibrary(client, ARMS, folder, {
      cacheFolder: temporaryFolder(),
      stateFolder: temporaryFolder(),
      retry: RETRY,
      ...more,
    });
  const expectWhole = () => {
    const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((it) => it.isFile());
    expect(names).toHaveLength(Object.keys(contents).length);
    for (const [path, content] of Object.entries(contents))
      expect(readFileSync(join(folder, path)).equals(Buffer.from(content))).toBe(true);
  };
  return { service, client, folder, pull, expectWhole };
}

function manyFiles(count: number, size = (at: number) => at % 50): Contents {
  const path = (at: number) => `asset-${Math.floor(at / 40)}/part-${at}.bin`;
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [path(at), randomBytes(size(at))]));
}

describe('small files', () => {
  test('are fetched in one bundle, and a large file by itself', async () => {
    const contents = { ...manyFiles(20), 'cloud/cloud.ply': randomBytes(BUNDLE.fileBytes + 1) };
    const { pull, service, expectWhole } = await libraryOf(contents);
    await pull();
    expectWhole();
    expect(service.counts).toMatchObject({ bundle: 1, objects: 1 });
  });

  test('are in place while the rest of a slow bundle arrives', async () => {
    const { pull, service, folder, expectWhole } = await libraryOf(manyFiles(20, () => 1_000));
    let finish = () => {};
    service.misbehaveInBundles = ({ response, bytes }) => {
      let at = 0;
      const sending = setInterval(() => {
        if (at < bytes.length - 2_000) response.write(bytes.subarray(at, at + 500));
        at = Math.min(at + 500, bytes.length - 2_000);
      }, 40);
      finish = () => {
        clearInterval(sending);
        response.end(bytes.subarray(at));
      };
    };
    const pulling = pull();
    await expect.poll(() => existsSync(join(folder, 'asset-0/part-0.bin')), { timeout: 10_000 }).toBe(true);
    finish();
    await pulling;
    expectWhole();
    expect(service.counts).toMatchObject({ bundle: 1 });
    expect(service.counts.objects).toBeUndefined();
  });

  test('of any size arrive complete, however the bundle is split in transit', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 2, maxLength: 12 });
    const pieces = fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(sizes, pieces, async (lengths, steps) => {
        const { pull, service, expectWhole } = await libraryOf(
          manyFiles(lengths.length, (at) => lengths[at] ?? 0),
        );
        service.misbehaveInBundles = async ({ response, bytes }) => {
          for (let at = 0, turn = 0; at < bytes.length; turn++) {
            const step = steps[turn % steps.length] ?? 1;
            response.write(bytes.subarray(at, at + step));
            await new Promise(setImmediate);
            at += step;
          }
          response.end();
        };
        await pull();
        expectWhole();
        expect(service.counts.objects).toBeUndefined();
      }),
      { numRuns: 15 },
    );
  });

  test('whose URLs are not below /storage are fetched one by one', async () => {
    const { pull, service, expectWhole } = await libraryOf(manyFiles(5));
    service.objectsPath = '/elsewhere';
    await pull();
    expectWhole();
    expect(service.counts).not.toHaveProperty('bundle');
  });
});

describe('a pull whose bundle', () => {
  test('is cut off at any byte still fetches every file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 0.999, noNaN: true }), async (share) => {
        const { pull, service, expectWhole } = await libraryOf(manyFiles(20, (at) => 1 + at * 20));
        service.misbehaveInBundles = ({ response, bytes }) => {
          response.writeHead(200);
          response.write(bytes.subarray(0, Math.floor(bytes.length * share)), () =>
            response.socket?.destroySoon(),
          );
        };
        await pull();
        expectWhole();
      }),
      { numRuns: 15 },
    );
  });

  test('has any wrong bytes still fetches every file', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.integer({ min: 1, max: 255 })), {
          minLength: 1,
          maxLength: 5,
        }),
        async (changes) => {
          const { pull, service, expectWhole } = await libraryOf(manyFiles(20));
          service.misbehaveInBundles = ({ response, bytes }) => {
            for (const [share, flip] of changes) {
              const at = Math.floor(bytes.length * share);
              bytes[at] = (bytes[at] ?? 0) ^ flip;
            }
            response.end(bytes);
          };
          await pull();
          expectWhole();
        },
      ),
      { numRuns: 25 },
    );
  });

  test('has wrong bytes in one file fetches only that file again', async () => {
    const { pull, service, expectWhole } = await libraryOf(manyFiles(20, () => 100));
    service.misbehaveInBundles = ({ response, bytes }) => {
      bytes.fill(0, BUNDLE.headBytes, BUNDLE.headBytes + 100);
      response.end(bytes);
    };
    await pull();
    expectWhole();
    expect(service.counts.objects).toBe(1);
  });

  test('has wrong bytes fails and leaves no file if the single files are wrong too', async () => {
    const { pull, service, folder } = await libraryOf({ 'arm/a.bin': 'right', 'arm/b.bin': 'right too' });
    service.misbehaveInBundles = ({ response }) =>
      response.end(Buffer.concat([frame(Buffer.from('wrong')), frame(Buffer.from('wrong too'))]));
    service.misbehave = ({ response, bytes }) => response.end(Buffer.from(bytes).fill('x'));
    await expect(pull()).rejects.toThrow(expect.objectContaining({ name: 'IntegrityError' }));
    expect(readdirSync(folder, { recursive: true, withFileTypes: true }).filter((it) => it.isFile())).toEqual(
      [],
    );
  });

  test('never ends closes the connection and fetches no file again', async () => {
    const { pull, service, expectWhole } = await libraryOf(manyFiles(20));
    let closed = false;
    service.misbehaveInBundles = ({ response, bytes }) => {
      response.write(bytes);
      const flood = setInterval(() => response.write(Buffer.alloc(64 * 1024)), 1);
      response.on('close', () => {
        closed = true;
        clearInterval(flood);
      });
    };
    await pull();
    expectWhole();
    await expect.poll(() => closed).toBe(true);
    expect(service.counts).not.toHaveProperty('objects');
  });

  test('is requested when the first thousand of its presigned URLs have arrived', async () => {
    const { pull, service, expectWhole } = await libraryOf(manyFiles(1_500, () => 8));
    const { promise: bundleRequested, resolve: onBundle } = Promise.withResolvers<void>();
    service.before.set('bundle', onBundle);
    service.delayPresign = (paths) => (paths < 1_000 ? bundleRequested : undefined);
    await pull();
    expectWhole();
    expect(service.counts['files-presign']).toBe(2);
  });

  const refusals: [string, Misbehaviour][] = [
    ...[404, 405, 429, 500, 503].map((status): [string, Misbehaviour] => [
      `status ${status}`,
      ({ response }) => response.writeHead(status).end(),
    ]),
    ['a redirect', ({ response }) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
    ['an HTML page', ({ response }) => response.writeHead(200).end('<!doctype html><title>Sign in</title>')],
    ['an empty response', ({ response }) => response.writeHead(200).end()],
    ['a closed connection', ({ response }) => response.socket?.destroy()],
    [
      'a refusal for every file',
      ({ response, bytes }) => response.end(Buffer.alloc((bytes.length >> 3) << 3)),
    ],
  ];
  test.each(refusals)(
    'is answered with %s fetches every file alone and stops requesting bundles',
    async (_, misbehave) => {
      const { pull, service, expectWhole } = await libraryOf(manyFiles(450, () => 8));
      service.misbehaveInBundles = misbehave;
      await pull();
      expectWhole();
      expect(service.counts.objects).toBe(450);
      // Six at a time, each asked for once more on another connection.
      expect(service.counts.bundle).toBeLessThanOrEqual(12);
    },
  );
});

test('a symlink planted while a bundle arrives stops the pull and is not followed', async () => {
  const outside = temporaryFolder();
  const { pull, service, folder } = await libraryOf({ 'arm/a.bin': 'a', 'hand/b.bin': 'b' });
  service.misbehaveInBundles = ({ send }) => {
    if (!existsSync(join(folder, 'hand'))) symlinkSync(outside, join(folder, 'hand'));
    send();
  };
  await expect(pull()).rejects.toThrow(/hand is a link or a file here/);
  expect(readdirSync(outside)).toEqual([]);
  expect(service.counts).not.toHaveProperty('objects');
});

test('an abort stops a pull in the middle of a bundle', async () => {
  const { pull, service } = await libraryOf(manyFiles(20));
  const interruption = new AbortController();
  service.misbehaveInBundles = ({ response, bytes }) => {
    response.write(bytes.subarray(0, 200));
    interruption.abort(new Error('enough'));
  };
  await expect(pull({ signal: interruption.signal })).rejects.toThrow('enough');
  expect(service.counts).not.toHaveProperty('objects');
});
