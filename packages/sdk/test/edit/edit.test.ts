import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '@bindery/contract';
import { describe, expect, test } from 'vitest';
import { addAsset, removeAssets } from '../../src/edit/assets.ts';
import { libraryParams } from '../../src/index.ts';
import { pullLibrary } from '../../src/pull/pull.ts';
import { folderWith, temporaryFolder } from '../folder.ts';
import { ADDRESS, type Publisher, publishers } from '../push/publisher.ts';

const YAML = '# kept\nassets:\n  arm: { title: Arm } # goes with it\n  hand: { title: Hand }\n';

async function published() {
  const [ann, bob] = (await publishers(2)) as [Publisher, Publisher];
  await ann.push(folderWith({ 'arm/arm.glb': 'arm', 'hand/hand.glb': 'hand', 'bindery.yml': YAML }));
  return {
    ann,
    bob,
    add: (source: string, more = {}) => addAsset(ann.client, ADDRESS, source, { ...ann.options, ...more }),
    remove: (...ids: string[]) => removeAssets(ann.client, ADDRESS, ids, ann.options),
  };
}

async function idsOf({ client }: Publisher): Promise<string[]> {
  const { bytes } = await client.raw(routes.libraries.getManifest, { params: libraryParams(ADDRESS) });
  return (JSON.parse(bytes.toString('utf8')) as { assets: { id: string }[] }).assets.map(({ id }) => id);
}

describe('add', () => {
  test('creates one asset from a folder, with its files below the folder name', async () => {
    const { ann, add } = await published();
    const source = join(
      folderWith({ 'leg v2/leg.urdf': '<robot/>', 'leg v2/mesh/a.stl': 'a', 'leg v2/.git/x': '' }),
      'leg v2',
    );
    const { library, asset } = await add(source);
    expect(library.revision).toBe(2);
    expect(asset).toMatchObject({
      id: 'leg-v2',
      upstream: { id: 'leg v2' },
      kind: 'urdf',
      entry: 'leg v2/leg.urdf',
      files: [{ path: 'leg v2/leg.urdf' }, { path: 'leg v2/mesh/a.stl' }],
    });
    expect(await idsOf(ann)).toEqual(['arm', 'hand', 'leg-v2']);
  });

  test('creates one asset from a file', async () => {
    const { add } = await published();
    const { asset } = await add(join(folderWith({ 'tree.glb': 'tree' }), 'tree.glb'));
    expect(asset).toMatchObject({ id: 'tree.glb', kind: 'mesh', files: [{ path: 'tree.glb', size: 4 }] });
  });

  test('replaces an existing asset only with the replace option', async () => {
    const { add, ann } = await published();
    const source = join(folderWith({ 'arm/other.glb': 'other' }), 'arm');
    await expect(add(source)).rejects.toMatchObject({ name: 'ConflictError', items: ['arm'] });
    const { asset } = await add(source, { replace: true });
    expect(asset.files).toMatchObject([{ path: 'arm/other.glb' }]);
    expect(await idsOf(ann)).toEqual(['arm', 'hand']);
  });

  test('refuses a different file at a path that another asset uses', async () => {
    const { add, ann } = await published();
    await ann.push(
      folderWith({
        'kit/a.glb': 'a',
        'kit/b.glb': 'b',
        'bindery.yml': 'assets: { a: { files: [kit/a.glb] }, b: { files: [kit/b.glb] } }',
      }),
      { force: true },
    );
    const source = join(folderWith({ 'kit/a.glb': 'not a', 'kit/c.glb': 'c' }), 'kit');
    await expect(add(source)).rejects.toMatchObject({ name: 'ConflictError', items: ['kit/a.glb'] });
  });

  test('keeps an asset that someone else adds at the same time', async () => {
    const { add, ann, bob } = await published();
    ann.watch = async ({ url }) => {
      if (!url.endsWith('/register')) return;
      ann.watch = null;
      await addAsset(bob.client, ADDRESS, join(folderWith({ 'head/head.glb': 'head' }), 'head'), bob.options);
    };
    expect((await add(join(folderWith({ 'leg/leg.glb': 'leg' }), 'leg'))).library.revision).toBe(3);
    expect(await idsOf(ann)).toEqual(['arm', 'hand', 'head', 'leg']);
  });

  test('fails for a missing path, an empty folder and a missing library', async () => {
    const { add, ann } = await published();
    await expect(add('/nowhere/at/all')).rejects.toThrow('There is no folder or file');
    await expect(add(temporaryFolder())).rejects.toThrow('has no files');
    const missing = { ...ADDRESS, name: 'missing' };
    const source = join(folderWith({ a: 'a' }), 'a');
    await expect(addAsset(ann.client, missing, source, ann.options)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('rm', () => {
  test('removes assets and their entries in bindery.yml, so that a pulled folder has nothing to push', async () => {
    const { ann, remove } = await published();
    expect((await remove('arm')).library.revision).toBe(2);
    expect(await idsOf(ann)).toEqual(['hand']);
    const target = temporaryFolder();
    await pullLibrary(ann.client, ADDRESS, target, ann.options);
    const yaml = readFileSync(join(target, 'bindery.yml'), 'utf8');
    expect(yaml).toContain('# kept');
    expect(yaml).not.toContain('Arm');
    expect(await ann.push(target)).toMatchObject({ status: 'unchanged' });
  });

  test('removes nothing if an id is unknown or no asset would be left', async () => {
    const { ann, remove } = await published();
    await expect(remove('arm', 'ghost')).rejects.toMatchObject({
      name: 'AssetNotFoundError',
      details: { ids: ['ghost'] },
    });
    await expect(remove('arm', 'hand')).rejects.toMatchObject({ name: 'ConflictError' });
    expect(await idsOf(ann)).toEqual(['arm', 'hand']);
  });
});

test('an add reads the current content of a folder that was added before', async () => {
  const { add } = await published();
  const folder = folderWith({ 'leg/leg.glb': 'leg' });
  await add(join(folder, 'leg'));
  writeFileSync(join(folder, 'leg/leg.glb'), 'LEG');
  const { asset } = await add(join(folder, 'leg'), { replace: true });
  expect(asset.files[0]?.sha256).toBe(hash('sha256', 'LEG'));
});

test('a pipe and a likely secret cannot be added, and what is left out of a folder is listed', async () => {
  const folder = folderWith({
    'arm/arm.glb': 'arm',
    'arm/id_rsa': 'key',
    'arm/.gitignore': '*.log',
    'arm/a.log': '',
    id_rsa: 'key',
  });
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const { add } = await published();
  const addOf = (name: string) => add(join(folder, name), { replace: true });
  await expect(addOf('pipe')).rejects.toThrow('pipe is not a regular file');
  await expect(addOf('id_rsa')).rejects.toThrow('id_rsa is a likely secret, which is never published');
  const { asset, leftOut } = await addOf('arm');
  expect(asset.files.map(({ path }) => path)).toEqual(['arm/arm.glb']);
  expect(leftOut.map(({ path, reason }) => `${path}: ${reason}`).sort()).toEqual([
    'arm/.gitignore: hidden',
    'arm/a.log: ignored',
    'arm/id_rsa: likely secret',
  ]);
});
