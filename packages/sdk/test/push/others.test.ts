import { hash } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '@bindery/contract';
import { MANIFEST_SCHEMA, routes, SOURCE_README_PATH } from '@bindery/contract/wire';
import { describe, expect, test } from 'vitest';
import { removeAssets } from '../../src/edit/assets.ts';
import { libraryParams } from '../../src/index.ts';
import { pullLibrary } from '../../src/pull/pull.ts';
import { mergeRemoteAssets } from '../../src/push/carry.ts';
import { folderWith, temporaryFolder, writeFiles } from '../folder.ts';
import { ADDRESS, type Publisher, publishers } from './publisher.ts';

const FILES = { 'arm/arm.xml': '<mujoco/>', 'arm/mesh.obj': 'mesh', 'hand/hand.glb': 'hand' };

function pull({ client, options }: Publisher, folder: string, more = {}) {
  return pullLibrary(client, ADDRESS, folder, { ...options, ...more });
}

/** A library, and two people who have each pulled it into a folder of their own. */
async function pulledTwice(files: Record<string, string> = FILES) {
  const [ann, bob] = (await publishers(2)) as [Publisher, Publisher];
  await ann.push(folderWith(files));
  const [hers, his] = [temporaryFolder(), temporaryFolder()];
  await pull(ann, hers);
  await pull(bob, his);
  return { ann, bob, hers, his };
}

/** Every file of the library with the hash that it has there. */
async function hashesIn({ client }: Publisher): Promise<Record<string, string>> {
  const { bytes } = await client.raw(routes.libraries.getManifest, { params: libraryParams(ADDRESS) });
  const { assets } = JSON.parse(bytes.toString('utf8')) as {
    assets: { files: { path: string; sha256: string }[] }[];
  };
  return Object.fromEntries(assets.flatMap(({ files }) => files.map(({ path, sha256 }) => [path, sha256])));
}

const read = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8');
const sha = (text: string) => hash('sha256', text);

describe('changes by others since the folder was last in sync', () => {
  test('stop a push that would revert an asset not edited here', async () => {
    const { ann, bob, hers, his } = await pulledTwice();
    writeFiles(hers, { 'arm/mesh.obj': 'finer mesh' });
    await ann.push(hers);
    writeFiles(his, { 'hand/hand.glb': 'softer hand' });
    await expect(bob.push(his)).rejects.toMatchObject({ name: 'ConflictError', items: ['arm'] });
    await expect(bob.push(his)).rejects.toThrow('arm (changed there)');
    expect(await bob.push(his, { dryRun: true })).toMatchObject({ refusal: expect.stringContaining('arm') });
    expect(await hashesIn(bob)).toMatchObject({ 'arm/mesh.obj': sha('finer mesh') });
  });

  test('stop a push of an asset that was edited here too, unless it is forced', async () => {
    const { ann, bob, hers, his } = await pulledTwice();
    writeFiles(hers, { 'arm/mesh.obj': 'finer mesh' });
    await ann.push(hers);
    writeFiles(his, { 'arm/arm.xml': '<mujoco model="his"/>' });
    await expect(bob.push(his)).rejects.toMatchObject({ items: ['arm'] });
    await bob.push(his, { force: true });
    expect(await hashesIn(bob)).toMatchObject({ 'arm/mesh.obj': sha('mesh') });
  });

  test('stop a push that would restore a deleted asset, even after a pull that left its files behind', async () => {
    const { ann, bob, hers, his } = await pulledTwice();
    await removeAssets(ann.client, ADDRESS, ['hand'], ann.options);
    writeFiles(his, { 'arm/mesh.obj': 'finer mesh' });
    await expect(bob.push(his)).rejects.toThrow('hand (deleted there');
    expect(await pull(bob, his)).toMatchObject({ leftBehind: ['hand/hand.glb'], edited: ['arm/mesh.obj'] });
    await expect(bob.push(his)).rejects.toMatchObject({ items: ['hand'] });
    rmSync(join(his, 'hand'), { recursive: true });
    expect(await bob.push(his)).toMatchObject({ status: 'unchanged' });
    await pull(ann, hers);
  });

  test('stop a push that would restore a deleted file of an asset', async () => {
    const { ann, bob, hers, his } = await pulledTwice();
    rmSync(join(hers, 'arm/mesh.obj'));
    await ann.push(hers);
    expect(await pull(bob, his)).toMatchObject({ leftBehind: ['arm/mesh.obj'] });
    await expect(bob.push(his)).rejects.toMatchObject({ items: ['arm'] });
    rmSync(join(his, 'arm/mesh.obj'));
    writeFiles(his, { 'arm/arm.xml': '<mujoco model="his"/>' });
    expect(await bob.push(his)).toMatchObject({ assets: { changed: ['arm'] } });
  });

  test('stop a push that would revert bindery.yml and what it says about assets', async () => {
    const yaml = (title: string) => `assets: { arm: { title: ${title} } }\n`;
    const { ann, bob, hers, his } = await pulledTwice({ ...FILES, 'bindery.yml': yaml('Arm') });
    writeFiles(hers, { 'bindery.yml': yaml('Left arm') });
    await ann.push(hers);
    writeFiles(his, { 'leg/leg.glb': 'leg' });
    await expect(bob.push(his)).rejects.toMatchObject({ items: ['arm', 'bindery.yml'] });
    await pull(bob, his);
    expect(await bob.push(his)).toMatchObject({ assets: { added: ['leg'], changed: [], removed: [] } });
  });

  test('do not stop a push that would revert none of them', async () => {
    const { ann, bob, hers, his } = await pulledTwice();
    writeFiles(hers, { 'arm/mesh.obj': 'finer mesh' });
    await ann.push(hers);
    writeFiles(his, { 'arm/mesh.obj': 'finer mesh', 'hand/hand.glb': 'softer hand' });
    expect(await bob.push(his)).toMatchObject({ revision: 3, assets: { changed: ['hand'] } });
  });

  test('do not stop a push once they are pulled', async () => {
    const { ann, bob, hers, his } = await pulledTwice();
    writeFiles(hers, { 'arm/mesh.obj': 'finer mesh', 'leg/leg.glb': 'leg' });
    await ann.push(hers);
    await pull(bob, his);
    writeFiles(his, { 'hand/hand.glb': 'softer hand' });
    expect(await bob.push(his)).toMatchObject({ revision: 3, assets: { changed: ['hand'], removed: [] } });
    expect(await hashesIn(bob)).toMatchObject({
      'arm/mesh.obj': sha('finer mesh'),
      'leg/leg.glb': sha('leg'),
    });
  });

  test('made during a push are not reverted by its retry', async () => {
    const { ann, bob, hers, his } = await pulledTwice();
    writeFiles(hers, { 'head/head.glb': 'head' });
    ann.watch = async ({ url }) => {
      if (!url.endsWith('/register')) return;
      ann.watch = null;
      writeFiles(his, { 'hand/hand.glb': 'another hand' });
      await bob.push(his);
    };
    await expect(ann.push(hers)).rejects.toMatchObject({ items: ['hand'] });
    expect(await hashesIn(ann)).toMatchObject({ 'hand/hand.glb': sha('another hand') });
  });

  test('do not include what the folder published itself without getting the response', async () => {
    const { ann, hers } = await pulledTwice();
    const client = ann.client;
    writeFiles(hers, { 'arm/mesh.obj': 'finer mesh' });
    let dies = false;
    const dying = new Proxy(client, {
      get: (target, name) => {
        if (name !== 'call') return Reflect.get(target, name);
        return async (...words: Parameters<typeof client.call>) => {
          const answer = await target.call(...words);
          if (words[0] === routes.libraries.registerLibrary) {
            dies = true;
            throw new Error('the machine stopped');
          }
          return answer;
        };
      },
    });
    await expect(
      (await import('../../src/push/push.ts')).pushFolder(dying, ADDRESS, hers, ann.options),
    ).rejects.toThrow('the machine stopped');
    expect(dies).toBe(true);
    writeFiles(hers, { 'arm/mesh.obj': 'finest mesh' });
    expect(await ann.push(hers)).toMatchObject({ revision: 3, assets: { changed: ['arm'] } });
  });
});

describe('a folder', () => {
  test('that pulled only some assets cannot delete or change the others', async () => {
    const [ann, bob] = (await publishers(2)) as [Publisher, Publisher];
    await ann.push(folderWith(FILES));
    const his = temporaryFolder();
    await pull(bob, his, { assets: ['hand'] });
    writeFiles(his, { 'hand/hand.glb': 'softer hand' });
    const before = await hashesIn(bob);
    await expect(bob.push(his)).rejects.toMatchObject({ items: ['arm'] });
    expect(await hashesIn(bob)).toEqual(before);
    await pull(bob, his, { assets: ['a*'] });
    expect(await bob.push(his)).toMatchObject({ assets: { changed: ['hand'], removed: [] } });
  });

  test('remembers its state for each library and each state folder separately', async () => {
    const { ann, bob, hers } = await pulledTwice();
    const other = { namespace: 'ann', name: 'others' };
    const { pushFolder } = await import('../../src/push/push.ts');
    await pushFolder(bob.client, other, folderWith({ 'leg/leg.glb': 'leg' }), bob.options);
    await pullLibrary(ann.client, other, hers, ann.options);
    rmSync(join(hers, 'hand'), { recursive: true });
    await expect(ann.push(hers, { stateFolder: temporaryFolder() })).rejects.toThrow(/never in sync.*hand/s);
    expect(await ann.push(hers)).toMatchObject({ assets: { added: ['leg'], removed: ['hand'] } });
    await expect(pushFolder(ann.client, other, folderWith(FILES), ann.options)).rejects.toMatchObject({
      items: ['leg'],
    });
  });

  test('with damaged state cannot change or delete an existing asset unless forced', async () => {
    const { ann, hers } = await pulledTwice();
    const place = join(ann.options.stateFolder, 'folders');
    const files = readdirSync(place).map((name) => join(place, name));
    expect(files).toHaveLength(2);
    for (const file of files) writeFileSync(file, readFileSync(file, 'utf8').replace('hand', 'band'));
    writeFiles(hers, { 'arm/mesh.obj': 'finer mesh', 'leg/leg.glb': 'leg' });
    rmSync(join(hers, 'hand'), { recursive: true });
    const before = await hashesIn(ann);
    await expect(ann.push(hers)).rejects.toThrow(/damaged.*arm \(added there\).*hand \(added there\)/s);
    expect(await hashesIn(ann)).toEqual(before);
    expect(await pull(ann, hers, { keep: true })).toMatchObject({ kept: ['arm/mesh.obj'] });
    await expect(ann.push(hers)).rejects.toMatchObject({ items: ['arm'] });
    await ann.push(hers, { force: true });
    rmSync(join(hers, 'leg'), { recursive: true });
    expect(await ann.push(hers)).toMatchObject({ assets: { removed: ['leg'] } });
  });

  test('that was never in sync can change assets of the library but not delete any', async () => {
    const { bob } = await pulledTwice();
    const checkout = folderWith({ ...FILES, 'arm/mesh.obj': 'finer mesh' });
    expect(await bob.push(checkout)).toMatchObject({ assets: { changed: ['arm'] } });
    const partial = folderWith({ 'arm/arm.xml': '<mujoco/>' });
    await expect(bob.push(partial)).rejects.toThrow(/never in sync.*hand/s);
    expect(await hashesIn(bob)).toHaveProperty(['hand/hand.glb'], sha('hand'));
  });

  test('is recognised by its real path, whatever path it is given by', async () => {
    const { ann, hers } = await pulledTwice();
    rmSync(join(hers, 'hand'), { recursive: true });
    expect(await ann.push(`${realpathSync(hers)}/../${hers.split('/').at(-1)}`)).toMatchObject({
      assets: { removed: ['hand'] },
    });
  });
});

describe('a pull', () => {
  test('replaces files edited here, and reports only those as edited, not files that others changed', async () => {
    const { ann, bob, hers, his } = await pulledTwice();
    writeFiles(hers, { 'arm/mesh.obj': 'finer mesh', 'hand/hand.glb': 'her hand' });
    await ann.push(hers);
    writeFiles(his, { 'hand/hand.glb': 'his hand' });
    expect(await pull(bob, his)).toMatchObject({
      replaced: expect.any(Array),
      edited: ['hand/hand.glb'],
      kept: [],
    });
    expect(read(his, 'hand/hand.glb')).toBe('her hand');
  });

  test('with keep leaves files edited here, and a push then reverts no changes by others', async () => {
    const { ann, bob, hers, his } = await pulledTwice();
    writeFiles(hers, { 'arm/mesh.obj': 'finer mesh' });
    await ann.push(hers);
    writeFiles(his, { 'hand/hand.glb': 'his hand', 'arm/arm.xml': '<mujoco model="his"/>' });
    expect(await pull(bob, his, { keep: true })).toMatchObject({
      replaced: ['arm/mesh.obj'],
      edited: [],
      kept: ['arm/arm.xml', 'hand/hand.glb'],
    });
    expect(read(his, 'arm/mesh.obj')).toBe('finer mesh');
    expect(await bob.push(his)).toMatchObject({ assets: { changed: ['arm', 'hand'] } });
    expect(await hashesIn(bob)).toEqual({
      'arm/arm.xml': sha('<mujoco model="his"/>'),
      'arm/mesh.obj': sha('finer mesh'),
      'hand/hand.glb': sha('his hand'),
    });
  });

  test('with keep leaves a file that both sides changed, and a push still stops at it', async () => {
    const { ann, bob, hers, his } = await pulledTwice();
    writeFiles(hers, { 'hand/hand.glb': 'her hand' });
    await ann.push(hers);
    writeFiles(his, { 'hand/hand.glb': 'his hand' });
    expect(await pull(bob, his, { keep: true })).toMatchObject({ kept: ['hand/hand.glb'] });
    await expect(bob.push(his)).rejects.toMatchObject({ items: ['hand'] });
    await pull(bob, his);
    expect(read(his, 'hand/hand.glb')).toBe('her hand');
  });

  test('that failed halfway leaves no file that counts as edited, and a push cannot revert the rest', async () => {
    const { ann, bob, hers, his } = await pulledTwice();
    writeFiles(hers, { 'arm/mesh.obj': 'finer mesh', 'hand/hand.glb': 'her hand' });
    await ann.push(hers);
    bob.watch = ({ url }) => {
      if (url.includes('/storage')) throw new Error('cut');
    };
    await expect(pull(bob, his, { retry: { attempts: 1, pause: 1, maxPause: 1 } })).rejects.toThrow();
    bob.watch = null;
    // One of both had arrived when the machine stopped.
    writeFiles(his, { 'arm/mesh.obj': 'finer mesh' });
    await expect(bob.push(his)).rejects.toMatchObject({ items: ['hand'] });
    writeFiles(hers, { 'arm/mesh.obj': 'finest mesh' });
    await ann.push(hers);
    expect(await pull(bob, his, { keep: true })).toMatchObject({ edited: [], kept: [] });
    expect(read(his, 'arm/mesh.obj')).toBe('finest mesh');
  });
});

describe('the README at the root', () => {
  test('is pushed, pulled and updated with the library, and removed when deleted from the folder', async () => {
    const { ann, bob, hers, his } = await pulledTwice({ ...FILES, 'README.md': '# Robots' });
    expect(read(his, 'README.md')).toBe('# Robots');
    expect(await ann.push(hers)).toMatchObject({ status: 'unchanged' });
    writeFiles(hers, { 'README.md': '# All our robots' });
    expect(await ann.push(hers)).toMatchObject({ status: 'published', revision: 2 });
    await pull(bob, his);
    expect(read(his, 'README.md')).toBe('# All our robots');
    rmSync(join(hers, 'README.md'));
    expect(await ann.push(hers)).toMatchObject({ status: 'published', revision: 3 });
    expect(await pull(bob, his)).toMatchObject({ leftBehind: ['README.md'] });
    expect(readdirSync(await pulledAnew(bob))).toEqual(['arm', 'hand']);
  });

  test('stays listed once when a part of the library is pushed, with or without its own README', () => {
    const remote: Manifest = { schema: MANIFEST_SCHEMA, assets: [], generated: [SOURCE_README_PATH] };
    const part: Manifest = { schema: MANIFEST_SCHEMA, assets: [{ id: 'leg', files: [] }] };
    expect(mergeRemoteAssets(part, remote).generated).toEqual([SOURCE_README_PATH]);
    expect(mergeRemoteAssets({ ...part, generated: [SOURCE_README_PATH] }, remote).generated).toEqual([
      SOURCE_README_PATH,
    ]);
  });

  test('changed by others is not reverted by a push, nor lost by removing an asset', async () => {
    const { ann, bob, hers, his } = await pulledTwice({ ...FILES, 'README.md': '# Robots' });
    writeFiles(hers, { 'README.md': '# All our robots' });
    await ann.push(hers);
    await expect(bob.push(his)).rejects.toThrow('README.md (changed there)');
    await removeAssets(bob.client, ADDRESS, ['hand'], bob.options);
    expect(read(await pulledAnew(bob), 'README.md')).toBe('# All our robots');
  });

  async function pulledAnew(someone: Publisher): Promise<string> {
    const folder = temporaryFolder();
    await pull(someone, folder);
    return folder;
  }
});
