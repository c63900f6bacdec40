import { expect, test } from 'vitest';
import { loadMesh } from '../../formats/src/read.ts';
import { createRendererContext } from '../src/host/renderer-context.ts';
import { memoryFiles, type Omissions } from '../src/index.ts';
import { renderThumbnail } from '../src/thumbnail.ts';
import { glb, gltfPylon } from './models/gltf.ts';
import { towerStl } from './models/robots.ts';
import { loadUrdf } from './models/scenes.ts';

const KTX2 = Uint8Array.of(0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a);
const encoder = new TextEncoder();

type Files = Readonly<Record<string, string | Uint8Array>>;

function inMemory(files: Files) {
  const bytes = (content: string | Uint8Array) =>
    typeof content === 'string' ? encoder.encode(content) : content;
  return memoryFiles(new Map(Object.entries(files).map(([path, content]) => [path, bytes(content)])));
}

/** What the loaders of an asset go without; its entry is the first of its files. */
async function omissionsOf(kind: 'mesh' | 'urdf', files: Files): Promise<Omissions | undefined> {
  const context = createRendererContext(inMemory(files));
  const [entry] = Object.keys(files) as [string];
  const scene = await (kind === 'urdf' ? loadUrdf : loadMesh)(entry, context);
  expect(scene.instances).not.toEqual([]);
  return context.omissions.summary();
}

function robot(...visuals: string[]): string {
  const link = visuals.map((content) => `<visual>${content}</visual>`).join('');
  return `<robot name="r"><link name="base">${link}</link></robot>`;
}

function shows(filename: string): string {
  return `<geometry><mesh filename="${filename}"/></geometry>`;
}

test('a robot with all its files has no omissions', async () => {
  const files = { 'a.urdf': robot(shows('tower.stl')), 'tower.stl': towerStl() };
  expect(await omissionsOf('urdf', files)).toBeUndefined();
});

test('the omissions of a robot name each missing, unreadable or empty mesh once', async () => {
  const lost = 'package://r/lost.stl';
  const files = {
    'a.urdf': robot(shows('tower.stl'), shows(lost), shows(lost), shows('broken.stl'), shows('empty.dae')),
    'tower.stl': towerStl(),
    'broken.stl': new Uint8Array(200).fill(255),
    'empty.dae': '<COLLADA/>',
  };
  expect(await omissionsOf('urdf', files)).toEqual({
    meshes: {
      total: 4,
      missing: 3,
      named: [
        { name: lost, reason: 'no such file' },
        { name: 'broken.stl', reason: 'the STL file announces 4294967295 triangles and ends before them' },
        { name: 'empty.dae', reason: 'it has no surface' },
      ],
    },
  });
});

test('a thumbnail lists its omissions, and a complete one has none', async () => {
  const draw = (files: Files) => renderThumbnail({ kind: 'urdf', entry: 'a.urdf', files: inMemory(files) });
  const incomplete = { 'a.urdf': robot(shows('tower.stl'), shows('lost.stl')), 'tower.stl': towerStl() };
  expect(await draw(incomplete)).toMatchObject({
    omissions: { meshes: { total: 2, missing: 1, named: [{ name: 'lost.stl', reason: 'no such file' }] } },
  });
  expect(await draw({ 'a.urdf': robot(shows('tower.stl')), 'tower.stl': towerStl() })).toEqual({
    webp: expect.any(Uint8Array),
    statistics: { size: [0.6, 0.6, 1.6], up: 'z', triangles: 12, bodies: 1, descriptor: expect.any(String) },
  });
});

test('a robot drawn by its collision shapes alone reports its missing mesh', async () => {
  const shape = '<collision><geometry><box size="1 1 1"/></geometry></collision>';
  const files = { 'a.urdf': robot(shows('lost.stl')).replace('</link>', `${shape}</link>`) };
  expect(await omissionsOf('urdf', files)).toMatchObject({ meshes: { total: 1, missing: 1 } });
});

test('of 500 missing meshes 20 are named, each on one line of at most 120 characters', async () => {
  const lost = Array.from({ length: 500 }, (_, index) => shows(`${'far/'.repeat(15)}&#10;${index}.stl`));
  const omissions = await omissionsOf('urdf', {
    'a.urdf': robot('<geometry><box size="1 1 1"/></geometry>', ...lost),
  });
  expect(omissions?.meshes).toMatchObject({ total: 500, missing: 500 });
  expect(omissions?.meshes?.named).toHaveLength(20);
  for (const { name } of omissions?.meshes?.named ?? []) expect(name).toMatch(/^[^\n]{1,120}$/);
});

test('a missing texture of a URDF and an undecodable one of an OBJ are named', async () => {
  const textures = (name: string, reason: string) => ({
    textures: { total: 1, missing: 1, named: [{ name, reason }] },
  });
  const painted = '<material name="m"><texture filename="wood.png"/></material>';
  expect(
    await omissionsOf('urdf', { 'a.urdf': robot(`<geometry><box size="1 1 1"/></geometry>${painted}`) }),
  ).toEqual(textures('wood.png', 'no such file'));

  const obj = 'mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n';
  expect(
    await omissionsOf('mesh', {
      'a.obj': obj,
      'a.mtl': 'newmtl m\nmap_Kd wood.png\n',
      'wood.png': 'no picture',
    }),
  ).toEqual(textures('wood.png', 'cannot be decoded'));
});

async function texturedPylon(texture: object, images: object[], more: object = {}): Promise<Uint8Array> {
  const { document, buffer } = await gltfPylon();
  const material = { pbrMetallicRoughness: { baseColorTexture: { index: 0 } } };
  return glb({ ...document, ...more, materials: [material, material], textures: [texture], images }, buffer);
}

test('a glTF file is drawn without damaged KTX2 textures and names them, whether or not they are required', async () => {
  const basis = { extensions: { KHR_texture_basisu: { source: 0 } } };
  const expected = {
    textures: { total: 1, missing: 1, named: [{ name: 'paint.ktx2', reason: 'the picture is cut off' }] },
  };
  for (const extensions of [{}, { extensionsRequired: ['KHR_texture_basisu'] }]) {
    const file = await texturedPylon(basis, [{ uri: 'paint.ktx2' }], extensions);
    expect(await omissionsOf('mesh', { 'a.glb': file, 'paint.ktx2': KTX2 })).toEqual(expected);
  }
});

test('a glTF file uses the fallback image of a KTX2 texture, and omits nothing', async () => {
  const either = { source: 1, extensions: { KHR_texture_basisu: { source: 0 } } };
  const file = await texturedPylon(either, [{ uri: 'paint.ktx2' }, { uri: PIXEL }]);
  expect(await omissionsOf('mesh', { 'a.glb': file, 'paint.ktx2': KTX2 })).toBeUndefined();
});

test('a robot keeps a mesh whose required KTX2 texture is damaged', async () => {
  const file = await texturedPylon(
    { extensions: { KHR_texture_basisu: { source: 0 } } },
    [{ uri: 'p.ktx2' }],
    {
      extensionsRequired: ['KHR_texture_basisu'],
    },
  );
  const omissions = await omissionsOf('urdf', {
    'a.urdf': robot(shows('pylon.glb')),
    'pylon.glb': file,
    'p.ktx2': KTX2,
  });
  expect(omissions).toEqual({
    textures: { total: 1, missing: 1, named: [{ name: 'p.ktx2', reason: 'the picture is cut off' }] },
  });
});

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('a robot of meshes that nothing here opens is not drawn, for a reason', async () => {
  const files = inMemory({
    'a.urdf': robot(shows('base.iges'), shows('b.3mf')),
    'base.iges': 'S',
    'b.3mf': 'PK',
  });
  expect(await renderThumbnail({ kind: 'urdf', entry: 'a.urdf', files })).toEqual({
    warning: 'nothing visible to draw: base.iges: meshes in iges format are not drawn and 1 more',
  });
});

test('a pointer of Git LFS is named as what it is, instead of a mesh', async () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'b'.repeat(64)}\nsize 4321\n`;
  const files = {
    'a.urdf': robot(shows('tower.stl'), shows('arm.stl')),
    'tower.stl': towerStl(),
    'arm.stl': pointer,
  };
  const reason = 'it is a Git LFS pointer, not the file itself: run git lfs pull';
  expect((await omissionsOf('urdf', files))?.meshes?.named).toEqual([{ name: 'arm.stl', reason }]);
});

test('a robot in another encoding shows the meshes that it names', async () => {
  const urdf = Buffer.from(
    `<?xml version="1.0" encoding="ISO-8859-1"?>${robot(shows('bürste.stl'))}`,
    'latin1',
  );
  expect(await omissionsOf('urdf', { 'a.urdf': urdf, 'bürste.stl': towerStl() })).toBeUndefined();
});

test('a robot shows the mesh of the package that it names, not another of the same path', async () => {
  const context = createRendererContext(
    inMemory({
      'bot/urdf/r.urdf': robot(shows('package://bot_description/meshes/a.stl')),
      'bot/package.xml': '<package><name>bot_description</name></package>',
      'bot/meshes/a.stl': towerStl(),
      'bot/urdf/meshes/a.stl': new Uint8Array(84),
    }),
  );
  expect((await loadUrdf('bot/urdf/r.urdf', context)).instances).toHaveLength(1);
});

test('a robot has the colour that it gives to a mesh, not the one that a program left in the STL', async () => {
  const painted = Uint8Array.from(towerStl());
  const view = new DataView(painted.buffer);
  for (let at = 84 + 48; at < painted.length; at += 50) view.setUint16(at, 0xffff, true);
  const colorsOf = async (material: string) => {
    const files = { 'a.urdf': robot(`${shows('tower.stl')}${material}`), 'tower.stl': painted };
    const [instance] = (await loadUrdf('a.urdf', createRendererContext(inMemory(files)))).instances;
    return [instance?.geometry.colors !== undefined, instance?.material.baseColor.slice(0, 3)];
  };
  expect(await colorsOf('<material name="m"><color rgba="1 0 0 1"/></material>')).toEqual([false, [1, 0, 0]]);
  expect(await colorsOf('')).toEqual([true, [1, 1, 1]]);
});
