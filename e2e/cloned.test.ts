import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthor } from './author.ts';
import { bindery, type RunningService, serve, temporaryFolder } from './bindery.ts';

const run = promisify(execFile);

const MIB = 2 ** 20;
const LARGE = 300 * MIB;

let home: string;
let service: RunningService;
beforeAll(async () => {
  home = await temporaryFolder();
  service = await serve();
});
afterAll(async () => {
  await service?.dispose();
  await rm(home, { recursive: true, force: true });
});

/** The most memory that the service has had, in bytes. */
const mostMemory = () =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.process.pid}/status`, 'utf8'))?.[1]) * 1_024;

test('git clones 10,000 files and one of 300 MiB, of which the service holds little at a time', async () => {
  const scans = join(home, 'scans');
  for (let folder = 0; folder < 100; folder++) {
    await mkdir(join(scans, `scan/part-${folder}`), { recursive: true });
    for (let file = 0; file < 100; file++)
      await writeFile(join(scans, `scan/part-${folder}/${file}.txt`), `${folder} ${file}\n`);
  }
  const large = await open(join(scans, 'scan/scan.bin'), 'w');
  await large.truncate(LARGE);
  await large.close();
  await writeFile(join(scans, 'bindery.yml'), 'assets: {scan: {files: ["scan/**"]}}\n');
  const env = { HOME: home, BINDERY_API_URL: service.url, BINDERY_TOKEN: await createAuthor(service) };
  const words = ['library', 'push', scans, 'ada/scans', '--visibility', 'public'];
  expect(await bindery(words, { env })).toMatchObject({ exitCode: 0 });

  const address = `${service.url}/git/ada/scans`;
  await run('git', ['ls-remote', address]);
  const before = mostMemory();
  const clone = join(home, 'clone');
  await run('git', ['clone', '--quiet', '--depth', '1', address, clone]);
  expect(mostMemory() - before).toBeLessThan(0.8 * LARGE);
  expect((await stat(join(clone, 'scan/scan.bin'))).size).toBe(LARGE);
  const cloned = await readdir(join(clone, 'scan'), { recursive: true, withFileTypes: true });
  expect(cloned.filter((entry) => entry.isFile())).toHaveLength(10_001);
  expect((await run('git', ['-C', clone, 'fsck', '--strict'])).stdout).toBe('');
  // What the clone has and the folder has not, or differently, would make it unclean.
  await run('git', ['-C', clone, `--work-tree=${scans}`, 'diff', '--exit-code', 'HEAD', '--', 'scan']);
});
