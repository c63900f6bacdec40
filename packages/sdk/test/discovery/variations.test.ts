import { describe, expect, test } from 'vitest';
import { discoverFiles } from '../../src/discovery/discover.ts';
import { glb, gltf, model, OBJ, ros, sdf, urdf } from './models.ts';

type Files = Record<string, string | Uint8Array>;

/** The assets of files as `id → [kind, entry, closure]`. */
function discovered(files: Files) {
  const contents = new Map(
    Object.entries(files).map(([path, content]) => [path, new Uint8Array(Buffer.from(content))] as const),
  );
  const listed = [...contents].map(([path, { byteLength }]) => ({ path, size: byteLength }));
  const { assets, warnings } = discoverFiles(
    listed,
    (path, start, length) => contents.get(path)?.slice(start, start + length) ?? new Uint8Array(),
  );
  return {
    assets: Object.fromEntries(
      assets.map(({ id, kind, entry, files: own }) => [id, [kind, entry, own.map(({ path }) => path)]]),
    ),
    opens: Object.fromEntries(assets.map(({ id, entryPoints }) => [id, Object.keys(entryPoints ?? {})])),
    licenses: Object.fromEntries(assets.map(({ id, license }) => [id, license])),
    warnings,
  };
}

const BODY = '<worldbody><body name="b"><geom type="mesh" mesh="a"/></body></worldbody>';
const CRLF_URDF =
  '\uFEFF<?xml version="1.0"?>\r\n<robot name="r">\r\n<link name="l"><visual><geometry><mesh filename="MESHES\\BASE.STL"/></geometry></visual></link>\r\n</robot>';

describe('a collection is discovered correctly', () => {
  test('in upper case, with the line endings, byte order marks and path separators of Windows', () => {
    const { assets, warnings } = discovered({
      'ROBOT/ROBOT.URDF': CRLF_URDF,
      'ROBOT/meshes/base.STL': 'solid',
      'BOX/BOX.OBJ': `\uFEFF# x\r\nmtllib BOX.MTL\r\n${OBJ.replaceAll('\n', '\r\n')}`,
      'BOX/BOX.MTL': 'newmtl a\r\nmap_Kd Wood.PNG\r\n',
      'BOX/Wood.PNG': 'x',
      'FOX/FOX.GLTF': `\uFEFF${gltf('tex%20ture.PNG')}`,
      'FOX/tex ture.PNG': 'x',
      'G/model.config':
        '\uFEFF<?xml version="1.0"?>\r\n<model><name>Gee</name><sdf version="1.6">Model.SDF</sdf></model>',
      'G/Model.SDF': `\uFEFF${sdf('<uri>model://G/meshes/g.DAE</uri>')}`,
      'G/meshes/g.DAE': '<COLLADA/>',
      'M/m.XML': `\uFEFF${model(`<asset><mesh file="a.OBJ"/></asset>${BODY}`)}`,
      'M/a.OBJ': OBJ,
    });
    expect(warnings).toEqual([]);
    expect(assets).toEqual({
      BOX: ['mesh', 'BOX/BOX.OBJ', ['BOX/BOX.MTL', 'BOX/BOX.OBJ', 'BOX/Wood.PNG']],
      FOX: ['mesh', 'FOX/FOX.GLTF', ['FOX/FOX.GLTF', 'FOX/tex ture.PNG']],
      G: ['sdf', 'G/Model.SDF', ['G/Model.SDF', 'G/meshes/g.DAE', 'G/model.config']],
      M: ['mjcf', 'M/m.XML', ['M/a.OBJ', 'M/m.XML']],
      ROBOT: ['urdf', 'ROBOT/ROBOT.URDF', ['ROBOT/ROBOT.URDF', 'ROBOT/meshes/base.STL']],
    });
  });

  test('with FBX whose textures were elsewhere on the machine of its author', () => {
    const fbx = `; FBX 7.4.0 project file
Objects: {
  Material: 1, "Material::paint", "" {
  }
  Texture: 2, "Texture::used", "" {
    RelativeFilename: "..\\..\\Art\\Wood.png"
  }
  Texture: 3, "Texture::unused", "" {
    RelativeFilename: "old.png"
  }
}
Connections: {
  C: "OP", 2, 1, "DiffuseColor"
}`;
    const { assets, warnings } = discovered({
      'chair/chair.fbx': fbx,
      'art/wood.png': 'x',
      'art/old.png': 'x',
      'lost/lost.fbx': fbx.replace('Art', 'Kunst'),
      'damaged/damaged.fbx': 'Kaydara FBX Binary  ',
    });
    expect(warnings).toEqual([
      'damaged/damaged.fbx: is cut off or damaged',
      'lost refers to files that are not in the folder: ..\\..\\Kunst\\Wood.png (lost/lost.fbx)',
    ]);
    expect(assets.chair).toEqual(['mesh', 'chair/chair.fbx', ['art/wood.png', 'chair/chair.fbx']]);
    expect(assets.damaged).toEqual(['mesh', 'damaged/damaged.fbx', ['damaged/damaged.fbx']]);
  });

  test('with VRML that is put together of parts', () => {
    const shape =
      'Shape { appearance Appearance { texture ImageTexture { url "wood.png" } } geometry Box { } }';
    const { assets, warnings } = discovered({
      'table/table.wrl': '#VRML V2.0 utf8\nTransform { children Inline { url "parts/leg.wrl" } }',
      'table/parts/leg.wrl': `#VRML V2.0 utf8\n${shape}`,
      'table/parts/wood.png': 'x',
    });
    expect(warnings).toEqual([]);
    expect(assets).toEqual({
      table: ['mesh', 'table/table.wrl', ['table/parts/leg.wrl', 'table/parts/wood.png', 'table/table.wrl']],
    });
  });

  test('with spaces and non-ASCII letters in its names', () => {
    const { assets } = discovered({
      'Möbel Stück/Stuhl Nr 1.urdf': urdf('package://möbel/größe/sitz fläche.stl'),
      'Möbel Stück/größe/sitz fläche.stl': 'solid',
      '椅子/椅子.gltf': gltf('%E6%9C%A8.png'),
      '椅子/木.png': 'x',
    });
    expect(Object.values(assets)).toEqual([
      [
        'urdf',
        'Möbel Stück/Stuhl Nr 1.urdf',
        ['Möbel Stück/Stuhl Nr 1.urdf', 'Möbel Stück/größe/sitz fläche.stl'],
      ],
      ['mesh', '椅子/椅子.gltf', ['椅子/木.png', '椅子/椅子.gltf']],
    ]);
  });

  test.each([1, 2, 4])('below %i generic parent folders', (depth) => {
    const inside = 'models/'.repeat(depth);
    const { assets } = discovered({
      [`${inside}arm/arm.xml`]: model(
        `<compiler meshdir="assets"/><asset><mesh name="a" file="a.obj"/></asset>${BODY}`,
      ),
      [`${inside}arm/assets/a.obj`]: OBJ,
      [`${inside}fox/glTF/Fox.gltf`]: gltf('t.png'),
      [`${inside}fox/glTF/t.png`]: 'x',
      [`${inside}fox/glTF-Binary/Fox.glb`]: glb(),
    });
    expect(assets).toMatchObject({
      arm: ['mjcf', `${inside}arm/arm.xml`, { length: 2 }],
      fox: ['mesh', `${inside}fox/glTF-Binary/Fox.glb`, { length: 3 }],
    });
  });
});

describe('sharing between assets', () => {
  test('a package of several robots has the meshes of a neighbouring package in its closure', () => {
    const { assets, opens } = discovered({
      'ws/src/ur_description/package.xml': ros('ur_description'),
      'ws/src/ur_description/urdf/ur5.urdf': urdf('package://ur_meshes/meshes/ur5/base.stl'),
      'ws/src/ur_description/urdf/ur10.urdf': urdf('package://ur_meshes/meshes/ur10/base.stl'),
      'ws/src/ur_meshes/package.xml': ros('ur_meshes'),
      'ws/src/ur_meshes/meshes/ur5/base.stl': 'solid',
      'ws/src/ur_meshes/meshes/ur10/base.stl': 'solid',
    });
    expect(Object.keys(assets)).toEqual(['ws-ur_description']);
    expect(opens['ws-ur_description']).toEqual(['ur10', 'ur5']);
    expect(assets['ws-ur_description']?.[2]).toEqual(
      expect.arrayContaining([
        'ws/src/ur_meshes/meshes/ur10/base.stl',
        'ws/src/ur_meshes/meshes/ur5/base.stl',
      ]),
    );
  });

  test('a world has only itself as entry, and contains the models it includes, which are assets too', () => {
    const { assets, opens } = discovered({
      'db/models/table/model.config': '<model><name>Table</name><sdf>model.sdf</sdf></model>',
      'db/models/table/model.sdf':
        '<sdf version="1.6"><model name="t"><include><uri>model://leg</uri></include><link name="l"/></model></sdf>',
      'db/models/leg/model.config': '<model><name>Leg</name><sdf>model.sdf</sdf></model>',
      'db/models/leg/model.sdf': sdf('<uri>model://leg/meshes/leg.dae</uri>'),
      'db/models/leg/meshes/leg.dae':
        '<COLLADA><library_images><image><init_from>../materials/textures/wood.png</init_from></image></library_images></COLLADA>',
      'db/models/leg/materials/textures/wood.png': 'x',
      'db/worlds/room.world':
        '<sdf version="1.6"><world name="w"><include><uri>model://table</uri></include></world></sdf>',
    });
    expect(Object.keys(assets)).toEqual(['db', 'db-leg', 'db-table']);
    expect(assets.db?.slice(0, 2)).toEqual(['sdf', 'db/worlds/room.world']);
    expect(opens.db).toEqual([]);
    expect(assets.db?.[2]).toContain('db/models/leg/materials/textures/wood.png');
    expect(assets['db-table']?.[2]).toContain('db/models/leg/meshes/leg.dae');
  });

  test('the licence of a collection applies to each asset without its own', () => {
    const { licenses } = discovered({
      'bundle/LICENSE': 'MIT License',
      'bundle/acme/arm/arm.urdf': urdf('a.stl'),
      'bundle/acme/arm/a.stl': 'solid',
      'bundle/other/dog/dog.urdf': urdf('dog.stl'),
      'bundle/other/dog/dog.stl': 'solid',
      'bundle/other/dog/LICENSE': 'Apache License 2.0',
    });
    expect(licenses).toEqual({ 'bundle-acme-arm': 'MIT', 'bundle-other-dog': 'Apache-2.0' });
  });
});

describe('a repository of a single robot', () => {
  test('that is a ROS package is one asset with all its files', () => {
    const { assets } = discovered({
      'package.xml': ros('solo'),
      'urdf/solo.urdf': urdf('package://solo/meshes/a.stl'),
      'meshes/a.stl': 'solid',
      'README.md': '# Solo',
    });
    expect(assets).toEqual({
      solo: ['urdf', 'urdf/solo.urdf', ['README.md', 'meshes/a.stl', 'package.xml', 'urdf/solo.urdf']],
    });
  });

  test('written only in xacro is opened at its main file, with what its macros refer to wherever that is', () => {
    const { assets, warnings } = discovered({
      'bot/package.xml': ros('bot'),
      'bot/urdf/bot.urdf.xacro': `<robot name="bot" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:property name="kind" value="wheel"/><xacro:include filename="$(find parts)/urdf/\${kind}.xacro"/><link name="base"/><xacro:wheel size="big"/></robot>`,
      'parts/package.xml': ros('parts'),
      'parts/urdf/wheel.xacro': `<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:macro name="wheel" params="size"><link name="w"><visual><geometry><mesh filename="package://parts/meshes/\${size}.stl"/></geometry></visual></link></xacro:macro></robot>`,
      'parts/meshes/big.stl': 'solid',
      'parts/meshes/small.stl': 'solid',
    });
    expect(assets.bot?.slice(0, 2)).toEqual(['urdf', 'bot/urdf/bot.urdf.xacro']);
    expect(assets.bot?.[2]).toEqual(
      expect.arrayContaining(['parts/urdf/wheel.xacro', 'parts/meshes/big.stl']),
    );
    expect(assets.bot?.[2]).not.toContain('parts/meshes/small.stl');
    expect(warnings).toEqual([]);
  });

  test('from the training of splats, in a folder for each scene', () => {
    const splats = `ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float f_dc_0\nend_header\n0 0\n`;
    const points = `ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n`;
    const scene = (name: string) => ({
      [`${name}/cameras.json`]: '[]',
      [`${name}/cfg_args`]: 'Namespace()',
      [`${name}/input.ply`]: points,
      [`${name}/point_cloud/iteration_7000/point_cloud.ply`]: splats,
      [`${name}/point_cloud/iteration_30000/point_cloud.ply`]: splats,
    });
    const { assets, opens } = discovered({ ...scene('scenes/truck'), ...scene('scenes/garden') });
    const files = (name: string) => Object.keys(scene(name)).sort();
    const entry = (name: string) => `${name}/point_cloud/iteration_30000/point_cloud.ply`;
    expect(assets).toEqual({
      garden: ['splat', entry('scenes/garden'), files('scenes/garden')],
      truck: ['splat', entry('scenes/truck'), files('scenes/truck')],
    });
    expect(opens.truck).toEqual(['iteration_30000', 'iteration_7000']);
  });

  test('of polygons and of points as sensors measure them', () => {
    const { assets } = discovered({
      'part/part.off': 'OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n',
      'scan/scan.pcd': 'FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nPOINTS 1\nDATA ascii\n0 0 0\n',
      'yard/yard.xyz': '0 0 0\n1 1 1\n',
      'street/street.pts': '2\n0 0 0 5 255 0 0\n1 1 1 9 0 255 0\n',
      'water/water.xyz': '3\nwater\nO 0 0 0\nH 1 0 0\nH 0 1 0\n',
    });
    expect(
      Object.fromEntries(Object.entries(assets).map(([id, [kind, entry]]) => [id, [kind, entry]])),
    ).toEqual({
      part: ['mesh', 'part/part.off'],
      scan: ['mesh', 'scan/scan.pcd'],
      yard: ['mesh', 'yard/yard.xyz'],
      street: ['mesh', 'street/street.pts'],
      water: ['file', undefined],
    });
  });
});
