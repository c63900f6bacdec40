import { randomBytes } from 'node:crypto';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transfer } from '@bindery/contract';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqlite } from '../../src/adapters/database/sqlite.ts';
import { migrate } from '../../src/database/migrate.ts';
import type { Actor } from '../actor.ts';
import { mountSmallDisk, type SmallDisk } from '../objects/small-disk.ts';
import { startService, type TestService } from '../service.ts';
import { Publisher } from './publisher.ts';

const MIB = 1024 * 1024;
const DISK = 48 * MIB;
const RESERVE = 12 * MIB;
const FILE = 2 * MIB;
const POLL = { timeout: 60_000 };

let disk: SmallDisk;
let service: TestService;
let ada: Actor;
let scans: Publisher;

beforeEach(async () => {
  disk = await mountSmallDisk(DISK);
  const db = openSqlite(join(disk.folder, 'bindery.db'));
  await migrate(db);
  service = await startService({
    database: { db, close: () => db.destroy() },
    dataDir: disk.folder,
    configuration: { diskReserveBytes: RESERVE },
  });
  ada = await service.member('ada');
  scans = new Publisher(ada, 'ada', 'scans');
});
afterEach(async () => {
  await service.close();
  await disk[Symbol.asyncDispose]();
});

async function freeBytes(): Promise<number> {
  const { bavail, bsize } = await statfs(disk.folder);
  return bavail * bsize;
}

async function urlsFor(count: number): Promise<string[]> {
  const files = Array.from({ length: count }, (_, at) => ({ relativePath: `scan-${at}.ply`, size: FILE }));
  const { status, body } = await ada.post<{ files: { transfer: Transfer }[] }>(
    `${scans.path}/upload-authorizations`,
    { files },
  );
  expect(status).toBe(200);
  return body.files.map(({ transfer }) => (transfer.kind === 'single-put' ? transfer.put.url : ''));
}

/**
 * Asks for URLs while there is room, and sends to them until there is none even for one alone. What is being written may
 * count twice for a moment, so one refusal does not say that yet; the disk does.
 */
async function fillByUploads(): Promise<{ status: number; body: { error: string; message: string } }[]> {
  const urls = [...(await urlsFor(14)), ...(await urlsFor(14))];
  const send = async (url = '') => {
    const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(randomBytes(FILE)) });
    return answer.ok ? null : { status: answer.status, body: await answer.json() };
  };
  const answers = await Promise.all(urls.map(send));
  do answers.push(await send(urls[0]));
  while (answers.at(-1) === null || (await freeBytes()) >= RESERVE + FILE);
  return answers.filter((answer) => answer !== null);
}

test('uploads stop at the disk reserve, other changes still work, and uploads resume once space is freed', async () => {
  await scans.publish({ 'arm.stl': 'small' });
  const refused = await fillByUploads();
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, body } of refused) {
    expect({ status, error: body.error }).toEqual({ status: 507, error: 'storage_full' });
    expect(body.message).toMatch(/MiB left, of which 12 MiB are reserved.*purge/);
  }
  expect(await freeBytes()).toBeGreaterThan(RESERVE - MIB);

  const files = [{ relativePath: 'more.ply', size: 20 * MIB }];
  expect(await ada.post(`${scans.path}/upload-authorizations`, { files })).toMatchObject({
    status: 507,
    body: { error: 'storage_full' },
  });
  expect(await service.anonymous.get('/readyz')).toMatchObject({
    status: 200,
    body: { status: 'ready', warnings: [expect.stringMatching(/Uploads are refused, or soon.*MiB left/)] },
  });

  expect((await ada.post('/namespaces', { slug: 'lab', displayName: 'Lab' })).status).toBe(201);
  const login = { device_secret_hash: 'a'.repeat(64) };
  expect((await service.anonymous.post('/api/device/start', login)).status).toBe(200);
  expect((await scans.register()).status).toBe(200);
  expect((await ada.delete(scans.path)).status).toBe(200);
  expect((await ada.delete(`${scans.path}/purge`)).status).toBe(200);

  await expect
    .poll(async () => (await service.anonymous.get('/readyz')).body, POLL)
    .toEqual({ status: 'ready' });
  expect((await scans.publish({ 'arm.stl': 'small' })).status).toBe(201);
});

test('if the reserve is used up too, /readyz is 503, reads work and failed writes get storage_full', async () => {
  const filler = join(disk.folder, 'filler');
  await scans.publish({ 'arm.stl': 'small' });
  await writeFile(filler, Buffer.alloc(await freeBytes())).catch(() => {});
  await expect.poll(async () => (await service.anonymous.get('/readyz')).status, POLL).toBe(503);
  expect((await service.anonymous.get('/readyz')).body).toMatchObject({
    error: 'unavailable',
    message: expect.stringMatching(/The disk of the service has \d+ MiB left/),
  });
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, at) =>
      ada.post('/namespaces', { slug: `lab-${at}`, displayName: 'x'.repeat(100) }),
    ),
  );
  for (const { status, body } of answers) {
    if (status !== 201) expect({ status, error: body.error }).toEqual({ status: 507, error: 'storage_full' });
  }
  expect(answers.some(({ status }) => status === 507)).toBe(true);
  expect((await ada.get(scans.path)).status).toBe(200);

  await rm(filler);
  await expect.poll(async () => (await service.anonymous.get('/readyz')).status, POLL).toBe(200);
  expect((await ada.post('/namespaces', { slug: 'again', displayName: 'Again' })).status).toBe(201);
});
