import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createAuthor } from './author.ts';
import { bindery, serve, temporaryFolder } from './bindery.ts';

const SCAN = randomBytes(500_000);
const ALLOWED = { BINDERY_IMPORT_HOSTS: '127.0.0.1', BINDERY_IMPORT_NETWORKS: 'loopback' };

test('a service that is killed while it imports what is watched leaves no process, and goes on within the file', async () => {
  const ranges: (string | undefined)[] = [];
  const closed = vi.fn();
  const source = createServer(({ method, url, headers }, response) => {
    response.setHeader('etag', '"1"');
    if (url === '/')
      return response.setHeader('content-type', 'text/html').end('<a href="scan.ply">scan</a>');
    if (method === 'HEAD') return response.setHeader('content-length', SCAN.length).end();
    ranges.push(headers.range);
    const from = Number(/\d+/.exec(headers.range ?? '')?.[0] ?? 0);
    if (from > 0)
      response.writeHead(206, { 'content-range': `bytes ${from}-${SCAN.length - 1}/${SCAN.length}` });
    // The first is the command line's, the second the service's.
    if (ranges.length !== 2) return response.end(SCAN.subarray(from));
    response.on('close', closed);
    return response.write(SCAN.subarray(0, 200_000));
  }).listen(0, '127.0.0.1');
  await once(source, 'listening');
  onTestFinished(() => void source.close());
  const address = `http://127.0.0.1:${(source.address() as AddressInfo).port}/`;
  const [home, dataDir] = [await temporaryFolder(), await temporaryFolder()];
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const first = await serve({ dataDir, env: ALLOWED });
  const env = { HOME: home, BINDERY_API_URL: first.url, BINDERY_TOKEN: await createAuthor(first) };
  const imported = await bindery(['import', address, 'ada/scans', '--watch', 'weekly'], { env });
  expect(imported).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`${address}, weekly, as ada`),
  });

  await vi.waitFor(async () => expect(await arrived(dataDir)).toBe(200_000), { timeout: 30_000 });
  await first.end('SIGKILL');
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce(), { timeout: 30_000 });

  const second = await serve({ dataDir, port: new URL(first.url).port, env: ALLOWED });
  onTestFinished(() => second.dispose());
  const watch = async (...words: string[]) => {
    const { stdout, exitCode } = await bindery(['library', 'watch', ...words, '--json'], {
      env: { ...env, BINDERY_API_URL: second.url },
    });
    expect(exitCode).toBe(0);
    return JSON.parse(stdout).watches;
  };
  expect(await watch('ada/scans', '--every', 'hourly')).toMatchObject([
    { every: 'hourly', lastResult: null },
  ]);
  await vi.waitFor(
    async () =>
      expect(await watch('ada')).toMatchObject([
        { library: 'scans', problem: null, lastResult: { revision: null } },
      ]),
    { timeout: 60_000, interval: 1_000 },
  );
  expect(ranges[2]).toMatch(/^bytes=[1-9]\d*-$/);
  expect(await watch('ada/scans', '--stop')).toEqual([]);
  expect(await watch('ada')).toEqual([]);
});

test('nothing is imported to be watched where the service watches nothing', async () => {
  const service = await serve();
  onTestFinished(() => service.dispose());
  const env = { BINDERY_API_URL: service.url, BINDERY_TOKEN: await createAuthor(service) };
  // Nobody listens there: asking the source first would fail in another way.
  const imported = await bindery(['import', 'http://127.0.0.1:1/', 'ada/scans', '--watch', 'daily'], { env });
  expect(imported).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('BINDERY_IMPORT_HOSTS') });
});

/** Bytes of the file that has arrived in part. */
async function arrived(dataDir: string): Promise<number | null> {
  const names = await readdir(join(dataDir, 'imports'), { recursive: true }).catch(() => []);
  const partial = names.find((name) => name.endsWith('.partial'));
  return partial === undefined ? null : (await stat(join(dataDir, 'imports', partial))).size;
}
