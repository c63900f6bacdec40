import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../folder.ts';
import { type Contents, cutAfter, startFakeService } from './fake-service.ts';

const MIB = 1024 * 1024;
const PULL = fileURLToPath(new URL('./pull-once.ts', import.meta.url));
const MACHINE = fileURLToPath(new URL('./machine-preload.ts', import.meta.url));

/** A folder on a disk that several machines share; each has its own caches, and the same process ids. */
async function sharedFolder(contents: Contents) {
  const { service } = await startFakeService(contents);
  const folder = temporaryFolder();
  return {
    service,
    folder,
    /** Starts a pull on a machine; resolves to its exit code and what it printed. */
    pullOn(machine: string) {
      const child = spawn(
        process.execPath,
        ['--import', MACHINE, PULL, service.url, folder, temporaryFolder()],
        { env: { ...process.env, MACHINE: machine }, stdio: ['ignore', 'pipe', 'pipe'] },
      );
      onTestFinished(() => {
        child.kill('SIGKILL');
      });
      let printed = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          printed += text;
        });
      const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, printed }));
      return { child, ended };
    },
    names: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort(),
  };
}

test('two machines with the same process id pull into one folder, while connections break', async () => {
  const contents = {
    'scan/cloud.ply': randomBytes(9 * MIB),
    'scan/mesh.obj': randomBytes(3 * MIB),
    'scan/notes.txt': 'notes',
  };
  const { service, folder, pullOn, names } = await sharedFolder(contents);
  let cuts = 12;
  service.misbehave = (exchange) => {
    if (cuts-- > 0) setTimeout(() => cutAfter(500_000)(exchange), 20);
    else exchange.send();
  };
  const first = pullOn('one');
  await expect.poll(names, { interval: 1 }).not.toEqual([]);
  const second = pullOn('two');
  for (const { ended } of [first, second]) expect(await ended).toMatchObject({ code: 0 });
  for (const [path, content] of Object.entries(contents))
    expect(readFileSync(join(folder, path)).equals(Buffer.from(content))).toBe(true);
  expect(names()).toEqual(Object.keys(contents));
});

test('a machine leaves the partial file of another one, which has the same process id, alone', async () => {
  const cloud = randomBytes(9 * MIB);
  const { service, folder, pullOn, names } = await sharedFolder({ 'scan/cloud.ply': cloud });
  let stalled: (() => void) | null = null;
  service.misbehave = ({ response, bytes, send }) => {
    if (stalled !== null) return send();
    response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, MIB));
    stalled = () => response.end(bytes.subarray(MIB));
  };
  const slow = pullOn('slow');
  await expect.poll(() => stalled).not.toBeNull();
  await expect.poll(names).toHaveLength(1);
  expect(await pullOn('fast').ended).toMatchObject({ code: 0 });
  expect(names()).toHaveLength(2);
  (stalled as (() => void) | null)?.();
  expect(await slow.ended).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder, 'scan/cloud.ply')).equals(cloud)).toBe(true);
  expect(names()).toEqual(['scan/cloud.ply']);
});

test('what a killed process left is resumed by the next one with its id on the same machine', async () => {
  const cloud = randomBytes(9 * MIB);
  const { service, folder, pullOn, names } = await sharedFolder({ 'scan/cloud.ply': cloud });
  service.misbehave = ({ response, bytes }) =>
    response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 5 * MIB));
  const killed = pullOn('one');
  const written = () => names().reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  await expect.poll(written).toBeGreaterThan(0);
  killed.child.kill('SIGKILL');
  await killed.ended;
  service.misbehave = null;
  service.resetCounts();
  expect(await pullOn('one').ended).toMatchObject({ code: 0 });
  expect(service.ranges).toEqual([expect.stringMatching(/^bytes=\d+-$/)]);
  expect(names()).toEqual(['scan/cloud.ply']);
});
