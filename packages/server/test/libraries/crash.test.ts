import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ManifestFile, PresignedFile } from '@bindery/contract';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { someSteps } from '../../../../test/faults.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { createToken } from '../../src/accounts/personal-access-tokens.ts';
import { openSqlite } from '../../src/adapters/database/sqlite.ts';
import { assemble } from '../../src/boot/assemble.ts';
import { readConfiguration } from '../../src/configuration/configuration.ts';
import { NO_METRICS } from '../../src/metrics.ts';
import { reclaim } from '../../src/objects/retention/reclaim.ts';
import { administer } from '../../src/operations/operations.ts';
import { dataFolderLayout } from '../../src/process/data-folder.ts';
import { Actor } from '../actor.ts';
import { manifestOf, Publisher, sha256 } from './publisher.ts';
import { referencedObjects, storedObjects } from './stored-objects.ts';

const PROGRAM = fileURLToPath(new URL('./crash-service.ts', import.meta.url));
const PRELOAD = new URL('./crash-preload.ts', import.meta.url).href;
const DAY = 86_400_000;

interface Manifest {
  assets: { files: ManifestFile[] }[];
}

let dataDir: string;
let token: string;
let running: ChildProcess | undefined;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bindery-crash-'));
  token = await administer(
    { ...readConfiguration({}), dataDir },
    async (context) => {
      await createAccount(context, { userName: 'anna', displayName: 'Anna', email: 'anna@example.org' });
      return (await createToken(context, 'anna')).token;
    },
    { create: true },
  );
});
afterEach(async () => {
  if (running) await end(running);
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<{ service: ChildProcess; robots: Publisher }> {
  const service = fork(PROGRAM, {
    execArgv: ['--import', PRELOAD],
    env: { ...process.env, BINDERY_DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  running = service;
  const [{ url }] = (await once(service, 'message')) as [{ url: string }];
  const anna = new Actor(url, { authorization: `Bearer ${token}` });
  return { service, robots: new Publisher(anna, 'anna', 'robots') };
}

/** Ends a service that may be dead already; resolves once it is. */
async function end(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null || service.signalCode !== null) return;
  const gone = once(service, 'exit');
  service.kill('SIGKILL');
  await gone;
}

async function tell(service: ChildProcess, message: object): Promise<{ count?: number }> {
  const answer = once(service, 'message');
  service.send(message);
  const [body] = (await answer) as [{ count?: number }];
  return body;
}

/** What the library holds, every byte of it downloaded and checked. */
async function contentOf(robots: Publisher, release?: string): Promise<Record<string, string>> {
  const query = release === undefined ? '' : `?release=${release}`;
  const { body: manifest } = await robots.actor.get<Manifest>(`${robots.path}/manifest${query}`);
  const files = manifest.assets.flatMap((asset) => asset.files);
  const { status, body } = await robots.actor.post<{ files: PresignedFile[] }>(
    `${robots.path}/files-presign${query}`,
    { paths: files.map(({ path }) => path) },
  );
  expect(status).toBe(200);
  const content: Record<string, string> = {};
  for (const [at, { path, url, sha256: presigned }] of body.files.entries()) {
    const text = await (await fetch(url)).text();
    expect(presigned).toBe(files[at]?.sha256);
    expect(sha256(text)).toBe(presigned);
    content[path] = text;
  }
  return content;
}

/** Compares what is stored with what the libraries name, after every grace period is over. */
async function expectNoOrphans(): Promise<void> {
  const { databaseFile, objects } = dataFolderLayout(dataDir);
  const db = openSqlite(databaseFile);
  const { context, close } = await assemble({
    configuration: { ...readConfiguration({}), historyDays: 0, dataDir },
    log: pino({ level: 'silent' }),
    metrics: NO_METRICS,
    clock: () => Date.now() + 3 * DAY,
    db,
    objectsFolder: objects,
  });
  await reclaim(context);
  expect(await storedObjects(objects)).toEqual(await referencedObjects(context));
  await close();
  await db.destroy();
}

interface State {
  revision: number;
  content: Record<string, string>;
}

async function stateOf(robots: Publisher): Promise<State> {
  const { body } = await robots.actor.get<{ revision: number }>(robots.path);
  return { revision: body.revision, content: await contentOf(robots) };
}

test('a service killed at any step of a push restarts with the old or the new revision, complete', async () => {
  const generation = (number: number) => ({ 'a.stl': `a of ${number}`, 'same.stl': 'the same' });
  let { service, robots } = await start();
  await robots.publish(generation(0));
  await robots.actor.post(`${robots.path}/releases`, { name: 'v0' });
  await tell(service, { armed: 0 });
  await robots.publish(generation(1));
  const { count: changes = 0 } = await tell(service, { count: true });
  expect(changes).toBeGreaterThan(10);

  for (const killAt of someSteps(changes, { short: 6, long: Number.POSITIVE_INFINITY })) {
    const old = await stateOf(robots);
    const next = generation(killAt + 1);
    await tell(service, { armed: killAt });
    const answer = await robots.publish(next).catch(() => null);
    await end(service);
    ({ service, robots } = await start());

    const found = await stateOf(robots);
    const published = { revision: old.revision + 1, content: next };
    expect(answer?.status === 200 ? [published] : [old, published]).toContainEqual(found);
    const again = await robots.publish(next);
    expect(again).toMatchObject({ status: 200, body: { revision: found.revision + 1 } });
    expect(await contentOf(robots)).toEqual(next);
  }
  await end(service);
  await expectNoOrphans();
  ({ robots } = await start());
  expect(await contentOf(robots, 'v0')).toEqual(generation(0));
});

test('register asks for what was uploaded before the machine restarted, until it is uploaded again', async () => {
  const files = { 'a.stl': 'what was sent', 'b.stl': 'sent, too' };
  let { service, robots } = await start();
  await robots.upload(files);
  await robots.uploadManifest(manifestOf(files));
  await end(service);
  const { objects } = dataFolderLayout(dataDir);
  const staging = (await readdir(objects)).find((name) => name.startsWith('incoming')) ?? '';
  await rename(join(objects, staging), join(objects, 'incoming-of-another-start'));

  ({ service, robots } = await start());
  expect(await robots.register()).toMatchObject({ status: 400, body: { error: 'manifest_missing' } });
  await robots.uploadManifest(manifestOf(files));
  expect(await robots.register()).toMatchObject({
    status: 409,
    body: { error: 'files_missing', paths: ['a.stl', 'b.stl'], total: 2 },
  });
  expect((await robots.actor.get(robots.path)).status).toBe(404);
  await robots.upload(files);
  expect((await robots.register()).status).toBe(201);
  expect(await contentOf(robots)).toEqual(files);
});
