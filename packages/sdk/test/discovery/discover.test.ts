import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { discoverLibrary, refuseEmptyLibrary } from '../../src/local-discovery/discover-library.ts';
import { folderWith, temporaryFolder } from '../folder.ts';

const MUJOCO = '<?xml version="1.0"?>\n<!-- <robot name="not this"> -->\n<mujoco model="arm"></mujoco>';
const ROBOT = '<robot name="arm"/>';

function found(files: Record<string, string | Uint8Array>) {
  return discoverLibrary(folderWith(files)).assets.map((asset) => ({
    ...asset,
    files: asset.files.map(({ path }) => path),
  }));
}

describe('discovery', () => {
  test('makes one asset of each top-level folder and each loose file', () => {
    const assets = found({ 'fox/fox.glb': 'x', 'fox/deep/notes.txt': 'x', 'tree.obj': 'x' });
    expect(assets.map(({ id, files }) => [id, files])).toEqual([
      ['fox', ['fox/deep/notes.txt', 'fox/fox.glb']],
      ['tree.obj', ['tree.obj']],
    ]);
  });

  test('turns a name that is no valid id into one, and keeps the name as upstream id', () => {
    const [asset] = found({ 'Böx with späces/a.txt': 'x' });
    expect(asset).toMatchObject({ id: 'Box-with-spaces', upstream: { id: 'Böx with späces' } });
  });

  test('leaves out hidden and system files, and lists them', () => {
    const folder = folderWith({
      'fox/fox.glb': 'x',
      'fox/.DS_Store': 'x',
      '.git/config': 'x',
      '.bindery/manifest.json': 'x',
      'fox/Thumbs.db': 'x',
    });
    const { assets, leftOut } = discoverLibrary(folder);
    expect(assets.flatMap(({ files }) => files.map(({ path }) => path))).toEqual(['fox/fox.glb']);
    expect(leftOut.map(({ path }) => path).sort()).toEqual([
      '.bindery',
      '.git',
      'fox/.DS_Store',
      'fox/Thumbs.db',
    ]);
  });

  test('reads links to files inside the folder and never follows a link out of it', () => {
    const secret = folderWith({ 'secret.txt': 'x' });
    const folder = folderWith({ 'fox/fox.glb': 'x' });
    symlinkSync('fox.glb', join(folder, 'fox/same.glb'));
    symlinkSync(join(secret, 'secret.txt'), join(folder, 'fox/secret.txt'));
    symlinkSync('..', join(folder, 'fox/loop'));
    symlinkSync('nowhere', join(folder, 'fox/broken'));
    const { assets, leftOut } = discoverLibrary(folder);
    expect(assets[0]?.files.map(({ path }) => path)).toEqual(['fox/fox.glb', 'fox/same.glb']);
    expect(Object.fromEntries(leftOut.map(({ path, reason }) => [path, reason]))).toEqual({
      'fox/secret.txt': 'link out of the folder',
      'fox/loop': 'link to a folder',
      'fox/broken': 'broken link',
    });
  });

  test('treats a hard link like any other file', () => {
    const folder = folderWith({ 'fox/a.glb': 'x' });
    linkSync(join(folder, 'fox/a.glb'), join(folder, 'fox/b.bin'));
    expect(discoverLibrary(folder).assets[0]?.files).toHaveLength(2);
  });

  test('refuses a path that no library can hold, and names it', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'fox'));
    writeFileSync(join(folder, 'fox', 'back\\slash'), 'x');
    expect(() => discoverLibrary(folder)).toThrow(/back\\\\slash.*has a backslash/);
  });

  test('refuses a missing folder, a file in place of a folder, and an empty folder', () => {
    const folder = folderWith({ 'a.txt': 'x' });
    expect(() => discoverLibrary(join(folder, 'missing'))).toThrow(/There is no folder/);
    expect(() => discoverLibrary(join(folder, 'a.txt'))).toThrow(/is not a folder/);
    expect(() => refuseEmptyLibrary(discoverLibrary(temporaryFolder()), 'robots')).toThrow(
      /^The folder robots has no assets/,
    );
  });
});

describe('kind, format and entry', () => {
  test.each([
    ['mjcf by content', { 'arm/arm.xml': MUJOCO, 'arm/mesh.glb': 'x' }, 'mjcf', 'xml', 'arm/arm.xml'],
    ['an included part is not a model', { 'arm/part.xml': '<mujocoinclude/>' }, 'file', undefined, undefined],
    ['urdf in any letter case', { 'arm/ARM.URDF': ROBOT }, 'urdf', 'urdf', 'arm/ARM.URDF'],
    ['urdf in an .xml file', { 'arm/arm.xml': ROBOT }, 'urdf', 'xml', 'arm/arm.xml'],
    ['mjcf is preferred to urdf', { 'arm/a.xml': MUJOCO, 'arm/a.urdf': ROBOT }, 'mjcf', 'xml', 'arm/a.xml'],
    [
      'a level-of-detail splat',
      { 's/lod-meta.json': '{}', 's/a.webp': 'x' },
      'splat',
      'lod',
      's/lod-meta.json',
    ],
    [
      'a single mesh among other files',
      { 'fox/Fox.GLB': 'x', 'fox/a.png': 'x' },
      'mesh',
      'glb',
      'fox/Fox.GLB',
    ],
    ['two meshes are of kind file', { 'fox/a.glb': 'x', 'fox/b.glb': 'x' }, 'file', undefined, undefined],
    ['one splat', { 's/a.ply': 'x' }, 'splat', 'ply', 's/a.ply'],
    [
      'one picture next to its thumbnail',
      { 'p/a.png': 'x', 'p/preview.png': 'x' },
      'image',
      'png',
      'p/a.png',
    ],
    ['anything else', { 'notes/a.txt': 'x' }, 'file', undefined, undefined],
  ])('are detected: %s', (_name, files, kind, format, entry) => {
    const [asset] = found(files as unknown as Record<string, string>);
    expect({ kind: asset?.kind, format: asset?.format, entry: asset?.entry }).toEqual({
      kind,
      format,
      entry,
    });
  });

  test('a SOG folder is a splat only if every file named in its meta.json exists', () => {
    const meta = JSON.stringify({ means: { files: ['l.webp', 'u.webp'] }, quats: { files: ['q.webp'] } });
    const planes = { 's/l.webp': 'x', 's/u.webp': 'x', 's/q.webp': 'x' };
    expect(found({ 's/meta.json': meta, ...planes })[0]).toMatchObject({ kind: 'splat', format: 'sog' });
    expect(found({ 's/meta.json': meta, 's/l.webp': 'x', 's/u.webp': 'x' })[0]).toMatchObject({
      kind: 'file',
    });
  });

  test('a scene is preferred as the entry, and every model is an entry point', () => {
    const [asset] = found({ 'arm/arm.xml': MUJOCO, 'arm/scene_b.xml': MUJOCO, 'arm/scene.xml': MUJOCO });
    expect(asset).toMatchObject({
      entry: 'arm/scene.xml',
      entryPoints: {
        arm: { kind: 'model', file: 'arm/arm.xml' },
        scene: { kind: 'scene', file: 'arm/scene.xml' },
        scene_b: { kind: 'scene', file: 'arm/scene_b.xml' },
      },
    });
  });

  test('a file named thumbnail counts only if it is an image at the root of the asset', () => {
    expect(found({ 'fox/a.glb': 'x', 'fox/Thumbnail.PNG': 'x' })[0]?.thumbnail).toBe('fox/Thumbnail.PNG');
    expect(found({ 'fox/a.glb': 'x', 'fox/deep/thumbnail.png': 'x' })[0]?.thumbnail).toBeUndefined();
    expect(found({ 'fox/a.glb': 'x', 'fox/thumbnail.txt': 'x' })[0]?.thumbnail).toBeUndefined();
  });
});
