import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MANIFEST_PATH, routes } from '@bindery/contract';
import { VECTORS_INDEX_PATH } from '@bindery/contract/wire';
import { expect, test } from 'vitest';
import type { TestService } from '../../../server/test/service.ts';
import { addAsset, removeAssets } from '../../src/edit/assets.ts';
import { libraryParams } from '../../src/index.ts';
import { pullLibrary } from '../../src/pull/pull.ts';
import { FakeCertifier, FakeEmbeddingModel, FakeRenderer } from '../artifacts/fakes.ts';
import { folderWith, temporaryFolder, writeFiles } from '../folder.ts';
import { ADDRESS, type Publisher, publishersAt, serviceForOneTest } from './publisher.ts';

const FILES = { 'arm/arm.xml': '<mujoco/>', 'arm/mesh.obj': 'the mesh of an arm', 'hand/hand.glb': 'a hand' };
const THUMBNAIL = '.bindery/thumbs/arm.webp';
const YAML = 'library: { title: Robots }\n';

/** A published folder, somebody else's machine, and ways to damage what the service stores. */
async function published() {
  const service = await serviceForOneTest();
  const [ann, bob] = (await publishersAt(service, 2)) as [Publisher, Publisher];
  const folder = folderWith({ ...FILES, 'bindery.yml': YAML });
  await ann.push(folder);
  return { service, ann, bob, folder };
}

async function stored(service: TestService, content: string | Uint8Array): Promise<string> {
  const { store_id: storeId } = await service.context.db
    .selectFrom('libraries')
    .select('store_id')
    .executeTakeFirstOrThrow();
  const sha256 = createHash('sha256').update(content).digest('hex');
  return service.context.objects.localFile({ storeId, sha256 });
}

async function storedIndex(service: TestService): Promise<string> {
  const { store_id: storeId, index_sha256: sha256 } = await service.context.db
    .selectFrom('libraries')
    .select(['store_id', 'index_sha256'])
    .executeTakeFirstOrThrow();
  return service.context.objects.localFile({ storeId, sha256 });
}

async function flip(file: string): Promise<void> {
  const bytes = await readFile(file);
  bytes[2] = (bytes[2] ?? 0) ^ 0x20;
  await writeFile(file, bytes);
}

async function manifestBytes({ client }: Publisher): Promise<Buffer> {
  const { bytes } = await client.raw(routes.libraries.getManifest, { params: libraryParams(ADDRESS) });
  return bytes;
}

function pull(publisher: Publisher) {
  const { cacheFolder } = publisher.options;
  return pullLibrary(publisher.client, ADDRESS, temporaryFolder(), { ...publisher.options, cacheFolder });
}

test('a push with --verify replaces stored files that are damaged, and leaves intact ones', async () => {
  const { service, ann, bob, folder } = await published();
  await flip(await stored(service, FILES['arm/mesh.obj']));
  await expect(pull(bob)).rejects.toMatchObject({
    code: 'content_mismatch',
    message: expect.stringContaining('arm/mesh.obj does not match its manifest'),
  });
  expect(await ann.push(folder)).toMatchObject({ status: 'unchanged', replaced: [] });

  expect(await ann.push(folder, { verify: true })).toMatchObject({
    status: 'published',
    revision: 2,
    replaced: ['arm/mesh.obj'],
  });
  expect(await ann.push(folder, { verify: true })).toMatchObject({ status: 'unchanged', revision: 2 });
  await pull(bob);
});

test('a push with --verify uploads and registers nothing if the stored library is intact', async () => {
  const { ann, folder } = await published();
  ann.requests.length = 0;
  expect(await ann.push(folder, { verify: true })).toMatchObject({ status: 'unchanged', revision: 1 });
  expect(ann.requests.filter((request) => request === 'PUT bytes' || request === 'POST register')).toEqual(
    [],
  );
});

test('a pull fails naming a file that the service has lost, and the next push of any change restores it', async () => {
  const { service, ann, bob, folder } = await published();
  await rm(await stored(service, FILES['arm/mesh.obj']));
  await expect(pull(bob)).rejects.toMatchObject({
    code: 'content_lost',
    message: 'The service has lost arm/mesh.obj.',
  });
  writeFiles(folder, { 'leg/leg.glb': 'a leg' });
  expect(await ann.push(folder)).toMatchObject({ status: 'published', replaced: ['arm/mesh.obj'] });
  await pull(bob);
});

test('replacing an asset with the same files repairs its damaged stored files', async () => {
  const { service, ann, bob, folder } = await published();
  await flip(await stored(service, FILES['arm/mesh.obj']));
  await addAsset(ann.client, ADDRESS, join(folder, 'arm'), { ...ann.options, replace: true });
  await pull(bob);
});

test('an asset cannot be replaced while another has lost a file, until that one is removed', async () => {
  const { service, ann, bob, folder } = await published();
  await rm(await stored(service, FILES['hand/hand.glb']));
  const add = () => addAsset(ann.client, ADDRESS, join(folder, 'arm'), { ...ann.options, replace: true });
  await expect(add()).rejects.toMatchObject({ code: 'files_missing', details: { paths: ['hand/hand.glb'] } });
  await removeAssets(ann.client, ADDRESS, ['hand'], ann.options);
  await add();
  await pull(bob);
});

test('a lost manifest is restored by a push of the same folder from another machine only with --verify', async () => {
  const { service, ann, bob, folder } = await published();
  const manifest = await manifestBytes(ann);
  await rm(await stored(service, manifest));
  await expect(pull(bob)).rejects.toMatchObject({ code: 'content_lost' });
  await expect(bob.push(folder)).rejects.toMatchObject({ code: 'manifest_lost' });
  expect(await bob.push(folder, { verify: true })).toMatchObject({ status: 'published', revision: 2 });
  expect(await manifestBytes(ann)).toEqual(manifest);
});

test.each([
  ['that published it', 0],
  ['that never did', 1],
])(
  'a library that has lost its manifest and index is restored by a push with --verify from a machine %s',
  async (_, who) => {
    const { service, ann, bob, folder } = await published();
    const manifest = await manifestBytes(ann);
    await rm(await stored(service, manifest));
    await rm(await storedIndex(service));
    await expect(pull(bob)).rejects.toMatchObject({ code: 'content_lost' });
    const pushed = await [ann, bob][who]?.push(folder, { verify: true });
    expect(pushed).toMatchObject({ status: 'published', revision: 2, replaced: [MANIFEST_PATH] });
    expect(await manifestBytes(ann)).toEqual(manifest);
    await pull(bob);
  },
);

test.each([
  ['thumbnails', { renderer: new FakeRenderer() }, [THUMBNAIL]],
  ['vectors', { model: new FakeEmbeddingModel() }, [VECTORS_INDEX_PATH]],
  ['certificates', { certifier: new FakeCertifier() }, ['.bindery/certificates/arm.json']],
  [
    'thumbnails and vectors',
    { renderer: new FakeRenderer(), model: new FakeEmbeddingModel() },
    [THUMBNAIL, VECTORS_INDEX_PATH],
  ],
])(
  'a library with %s that has lost its manifest and index is restored with them by a push from another machine',
  async (_, makers, made) => {
    const { service, ann, bob, folder } = await published();
    writeFiles(folder, { 'bindery.yml': `${YAML}assets:\n  arm:\n    title: Arm\n` });
    await ann.push(folder, makers);
    const manifest = await manifestBytes(ann);
    for (const path of made) expect(manifest.toString()).toContain(path);
    await rm(await stored(service, manifest));
    await rm(await storedIndex(service));
    expect(await bob.push(folder, { verify: true })).toMatchObject({
      status: 'published',
      replaced: [MANIFEST_PATH],
      lost: { thumbnails: 0, vectors: 0 },
    });
    expect(await manifestBytes(ann)).toEqual(manifest);
    await pull(bob);
  },
);

test('a lost manifest is replaced by a push of a changed folder only with force', async () => {
  const { service, ann, bob, folder } = await published();
  await rm(await stored(service, await manifestBytes(ann)));
  writeFiles(folder, { 'leg/leg.glb': 'a leg' });
  await expect(bob.push(folder, { verify: true })).rejects.toThrow('has lost the manifest of ann/robots');
  const pushed = await bob.push(folder, { verify: true, force: true });
  expect(pushed).toMatchObject({ status: 'published', revision: 2 });
  await pull(bob);
});

test('each way out of a lost manifest that a refused push names leads out', async () => {
  const { service, ann, bob, folder } = await published();
  const lose = async () => rm(await stored(service, await manifestBytes(ann)));
  await lose();
  writeFiles(folder, { 'leg/leg.glb': 'a leg' });
  await expect(bob.push(folder)).rejects.toMatchObject({
    code: 'manifest_lost',
    message: 'The service has lost the manifest of ann/robots.',
  });
  await expect(bob.push(folder, { verify: true })).rejects.toMatchObject({ name: 'ConflictError' });
  expect(await bob.push(folder, { force: true })).toMatchObject({ status: 'published', revision: 2 });
  await lose();
  expect(await bob.push(folder, { verify: true })).toMatchObject({ replaced: [MANIFEST_PATH] });
  await pull(bob);
});

test('a push with --verify detects a damaged manifest and restores it', async () => {
  const { service, ann, bob, folder } = await published();
  const manifest = await manifestBytes(ann);
  await flip(await stored(service, manifest));
  expect(await ann.push(folder, { verify: true })).toMatchObject({
    status: 'published',
    replaced: [MANIFEST_PATH],
  });
  expect(await manifestBytes(bob)).toEqual(manifest);
});
