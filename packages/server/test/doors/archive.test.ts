import { createHash } from 'node:crypto';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { archiveOf } from '../../src/doors/archive.ts';
import type { DoorRevision } from '../../src/doors/revision.ts';
import { exchange } from '../exchange.ts';
import { publish, type WrittenLibrary } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

const LARGE = Buffer.alloc(5 * 1024 * 1024, 'large file ');

const library: WrittenLibrary = {
  visibility: 'public',
  assets: [
    {
      id: 'arm',
      kind: 'mjcf',
      entry: 'robots/arm/arm.xml',
      files: { 'robots/arm/arm.xml': '<mujoco/>', 'robots/arm/größe 1.bin': LARGE, 'robots/arm/empty': '' },
    },
    {
      id: 'named',
      kind: 'mjcf',
      entry: 'n/scene.xml',
      files: { 'n/scene.xml': '<mujoco/>', 'n/model.xml': '<other/>' },
    },
    {
      id: 'scattered',
      kind: 'mjcf',
      entry: 's/xml/s.xml',
      files: { 's/xml/s.xml': '<mujoco/>', 's/mesh.stl': 'mesh' },
    },
    { id: 'cup', files: { 'cup/cup.stl': 'a cup', 'cup.zip': 'a file of this name' } },
  ],
};

let service: TestService;
beforeAll(async () => {
  service = await startService({ configuration: { maxTransfersPerAddress: 1 } });
  await publish(await service.member('ada'), 'ada/robots', library);
});
afterAll(() => service.close());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  exchange(`${service.url}/raw/ada/robots/${path}`, { method, headers });
const namesIn = (bytes: Uint8Array) => Object.keys(unzipSync(bytes)).sort();

test('a ZIP has exactly the files of an asset, with their bytes and a length that was known before', async () => {
  const { status, headers, bytes } = await get('arm.zip');
  expect(status).toBe(200);
  expect(Number(headers.get('content-length'))).toBe(bytes.length);
  expect(headers.get('content-disposition')).toBe('attachment; filename="arm.zip"');
  const files = unzipSync(bytes);
  expect(Object.keys(files).sort()).toEqual(Object.keys(library.assets[0]!.files).sort());
  const hash = createHash('sha256').update(files['robots/arm/größe 1.bin']!).digest('hex');
  expect(hash).toBe(createHash('sha256').update(LARGE).digest('hex'));
  const head = await get('arm.zip', {}, 'HEAD');
  expect([head.headers.get('content-length'), head.bytes.length]).toEqual([String(bytes.length), 0]);
});

test('a client that has the archive of the same content gets 304', async () => {
  const etag = (await get('arm.zip')).headers.get('etag')!;
  expect((await get('arm.zip', { 'if-none-match': etag })).status).toBe(304);
});

test('an MJZ has the model at its root, under a name that MuJoCo looks for', async () => {
  expect(namesIn((await get('arm.mjz')).bytes)).toEqual(['arm.xml', 'empty', 'größe 1.bin', 'model.xml']);
  expect(namesIn((await get('named.mjz')).bytes)).toEqual(['model.xml', 'named.xml', 'scene.xml']);
});

test('an asset whose files MuJoCo would not find in an archive has no MJZ', async () => {
  const { status, bytes } = await get('scattered.mjz');
  expect([status, JSON.parse(bytes.toString()).missing]).toEqual([404, 'asset']);
});

test('a file of the library comes before an archive of the same name', async () => {
  expect((await get('cup.zip')).bytes.toString()).toBe('a file of this name');
});

test('a client that hangs up in the middle of an archive leaves no transfer behind', async () => {
  const stopped = new AbortController();
  const response = await fetch(`${service.url}/raw/ada/robots/arm.zip`, { signal: stopped.signal });
  await response.body!.getReader().read();
  stopped.abort();
  await expect.poll(async () => (await get('arm.zip')).status).toBe(200);
});

test('an asset with more files than fit in memory has no archive', () => {
  const entries = Array.from({ length: 100_001 }, (_, at) => ({ name: `${at}`, bytes: Buffer.alloc(0) }));
  expect(() =>
    archiveOf(service.context, { row: { updated_at: 0 } as DoorRevision['row'] }, entries),
  ).toThrow('The asset has more than 100000 files. Pull it, or read its files one by one.');
});
