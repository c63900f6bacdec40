import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MANIFEST_PATH, routes } from '@bindery/contract';
import { expect, test } from 'vitest';
import type { TestService } from '../../../server/test/service.ts';
import { addAsset } from '../../src/edit/add-asset.ts';
import { removeAssets } from '../../src/edit/remove-assets.ts';
import { libraryParams } from '../../src/index.ts';
import { pullLibrary } from '../../src/pull/pull.ts';
import { folderWith, temporaryFolder, writeFiles } from '../folder.ts';
import { ADDRESS, type Publisher, publishersAt, serviceForOneTest } from './publisher.ts';

const FILES = { 'arm/arm.xml': '<mujoco/>', 'arm/mesh.obj': 'the mesh of an arm', 'hand/hand.glb': 'a hand' };
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
  const { store_id: storeId } = await service.parts.db
    .selectFrom('libraries')
    .select('store_id')
    .executeTakeFirstOrThrow();
  const sha256 = createHash('sha256').update(content).digest('hex');
  return service.parts.objects.localFile({ storeId, sha256 });
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

test('a push that verifies replaces what the disk damaged, and leaves what is whole', async () => {
  const { service, ann, bob, folder } = await published();
  await flip(await stored(service, FILES['arm/mesh.obj']));
  await expect(pull(bob)).rejects.toThrow(/arm\/mesh\.obj does not match its manifest.*push with --verify/s);
  expect(await ann.push(folder)).toMatchObject({ status: 'unchanged', replaced: [] });

  expect(await ann.push(folder, { verify: true })).toMatchObject({
    status: 'published',
    revision: 2,
    replaced: ['arm/mesh.obj'],
  });
  expect(await ann.push(folder, { verify: true })).toMatchObject({ status: 'unchanged', revision: 2 });
  await pull(bob);
});

test('a push that verifies sends nothing of a library that is whole', async () => {
  const { ann, folder } = await published();
  ann.requests.length = 0;
  expect(await ann.push(folder, { verify: true })).toMatchObject({ status: 'unchanged', revision: 1 });
  expect(ann.requests.filter((request) => request === 'PUT bytes' || request === 'POST register')).toEqual(
    [],
  );
});

test('a deleted file ends a pull with whose fault it is, and comes back with the next push of anything', async () => {
  const { service, ann, bob, folder } = await published();
  await rm(await stored(service, FILES['arm/mesh.obj']));
  await expect(pull(bob)).rejects.toThrow(
    'the service has lost arm/mesh.obj; a push with --verify from a folder that has it restores it',
  );
  writeFiles(folder, { 'leg/leg.glb': 'a leg' });
  expect(await ann.push(folder)).toMatchObject({ status: 'published', replaced: ['arm/mesh.obj'] });
  await pull(bob);
});

test('what is put in the place of an asset is read, and is whole afterwards', async () => {
  const { service, ann, bob, folder } = await published();
  await flip(await stored(service, FILES['arm/mesh.obj']));
  await addAsset(ann.client, ADDRESS, join(folder, 'arm'), { ...ann.options, replace: true });
  await pull(bob);
});

test('an asset is changed by nobody while another file is lost, but may be taken out itself', async () => {
  const { service, ann, bob, folder } = await published();
  await rm(await stored(service, FILES['hand/hand.glb']));
  const add = () => addAsset(ann.client, ADDRESS, join(folder, 'arm'), { ...ann.options, replace: true });
  await expect(add()).rejects.toMatchObject({ code: 'files_missing', details: { paths: ['hand/hand.glb'] } });
  await removeAssets(ann.client, ADDRESS, ['hand'], ann.options);
  await add();
  await pull(bob);
});

test('a lost manifest comes back from the folder that it is of, whichever machine pushes it', async () => {
  const { service, ann, bob, folder } = await published();
  const manifest = await manifestBytes(ann);
  await rm(await stored(service, manifest));
  await expect(pull(bob)).rejects.toMatchObject({ code: 'content_lost' });
  await expect(bob.push(folder)).rejects.toMatchObject({ code: 'content_lost' });
  expect(await bob.push(folder, { verify: true })).toMatchObject({ status: 'published', revision: 2 });
  expect(await manifestBytes(ann)).toEqual(manifest);
});

test('a lost manifest of another folder is replaced by force alone', async () => {
  const { service, ann, bob, folder } = await published();
  await rm(await stored(service, await manifestBytes(ann)));
  writeFiles(folder, { 'leg/leg.glb': 'a leg' });
  await expect(bob.push(folder, { verify: true })).rejects.toThrow('has lost the manifest of ann/robots');
  const pushed = await bob.push(folder, { verify: true, force: true });
  expect(pushed).toMatchObject({ status: 'published', revision: 2 });
  await pull(bob);
});

test('a damaged manifest is told from a whole one, and replaced', async () => {
  const { service, ann, bob, folder } = await published();
  const manifest = await manifestBytes(ann);
  await flip(await stored(service, manifest));
  expect(await ann.push(folder, { verify: true })).toMatchObject({
    status: 'published',
    replaced: [MANIFEST_PATH],
  });
  expect(await manifestBytes(bob)).toEqual(manifest);
});
