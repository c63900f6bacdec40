import { describe, expect, test } from 'vitest';
import { usdArchive, usdCrate } from '../../../../test/usd-crate.ts';
import { discoverLibrary } from '../../src/local-discovery/discover-library.ts';
import { folderWith } from '../folder.ts';
import { glb, gltf, model, OBJ, ply, ros, STL, sdf, urdf } from './models.ts';

function discovered(files: Record<string, string | Uint8Array>) {
  const { assets, readme, leftOut, warnings } = discoverLibrary(folderWith(files));
  return {
    readme: readme?.path ?? null,
    assets: assets.map(({ id, kind, entry, entryPoints, files: own }) => ({
      id,
      kind,
      entry,
      entryPoints: Object.keys(entryPoints ?? {}),
      files: own.map(({ path }) => path),
    })),
    leftOut: leftOut.map(({ path }) => path),
    warnings,
  };
}

describe('a suite of MuJoCo models', () => {
  const SUITE = {
    'acrobot.xml': model('<include file="./common/materials.xml"/><worldbody><geom size="1"/></worldbody>'),
    'cartpole.xml': model('<include file="common/materials.xml"/><worldbody><geom size="1"/></worldbody>'),
    'dog.xml': model(
      '<compiler meshdir="dog_assets"/><include file="common/materials.xml"/><asset><mesh file="skull.obj"/></asset><worldbody><body/></worldbody>',
    ),
    'common/materials.xml': model('<asset><texture file="../textures/wood.png" type="2d"/></asset>'),
    'textures/wood.png': 'x',
    'dog_assets/skull.obj': OBJ,
  };

  test('becomes one asset per model, with the files that it includes and those they reference', () => {
    expect(discovered(SUITE).assets).toMatchObject([
      {
        id: 'acrobot.xml',
        entry: 'acrobot.xml',
        files: ['acrobot.xml', 'common/materials.xml', 'textures/wood.png'],
      },
      { id: 'cartpole.xml', kind: 'mjcf' },
      {
        id: 'dog.xml',
        files: ['common/materials.xml', 'dog.xml', 'dog_assets/skull.obj', 'textures/wood.png'],
      },
    ]);
  });

  test('in a subfolder becomes the same assets, and its README is in none of them', () => {
    const inside = Object.fromEntries(
      Object.entries({ ...SUITE, 'README.md': '# Suite' }).map(([path, content]) => [
        `suite/${path}`,
        content,
      ]),
    );
    const { assets, leftOut } = discovered(inside);
    expect(assets.map(({ id, entry }) => [id, entry])).toEqual([
      ['suite-acrobot.xml', 'suite/acrobot.xml'],
      ['suite-cartpole.xml', 'suite/cartpole.xml'],
      ['suite-dog.xml', 'suite/dog.xml'],
    ]);
    expect(leftOut).toEqual(['suite/README.md']);
  });
});

test('a robot with a scene next to it is one asset, whether in a folder or at the root', () => {
  const ROBOT = {
    'scene.xml': model('<include file="arm.xml"/><worldbody><light/></worldbody>'),
    'arm.xml': model(
      '<compiler meshdir="assets"/><asset><mesh file="link.obj"/></asset><worldbody><body/></worldbody>',
    ),
    'assets/link.obj': OBJ,
    'README.md': '# Arm',
  };
  expect(discovered(ROBOT).assets).toEqual([
    {
      id: 'arm.xml',
      kind: 'mjcf',
      entry: 'scene.xml',
      entryPoints: ['arm', 'scene'],
      files: ['README.md', 'arm.xml', 'assets/link.obj', 'scene.xml'],
    },
  ]);
  const inFolder = Object.fromEntries(
    Object.entries(ROBOT).map(([path, text]) => [`acme_arm/${path}`, text]),
  );
  expect(discovered(inFolder).assets).toMatchObject([{ id: 'acme_arm', entry: 'acme_arm/scene.xml' }]);
});

test('rooms that share a texture folder are separate assets, each with the textures it uses', () => {
  const room = (name: string, texture: string) => ({
    [`house/${name}/${name}.xml`]: model(
      `<compiler texturedir="../common/textures"/><include file="assets/${name}_asset.xml"/><worldbody><body/></worldbody>`,
    ),
    [`house/${name}/assets/${name}_asset.xml`]: `<mujocoinclude><asset><texture file="${texture}.png"/></asset></mujocoinclude>`,
  });
  const { assets, leftOut } = discovered({
    ...room('kitchen', 'wood'),
    ...room('oven', 'metal'),
    'house/common/textures/wood.png': 'x',
    'house/common/textures/metal.png': 'x',
    'house/common/textures/unused.png': 'x',
  });
  expect(assets).toMatchObject([
    {
      id: 'house-kitchen',
      entry: 'house/kitchen/kitchen.xml',
      files: [
        'house/common/textures/wood.png',
        'house/kitchen/assets/kitchen_asset.xml',
        'house/kitchen/kitchen.xml',
      ],
    },
    { id: 'house-oven', entry: 'house/oven/oven.xml' },
  ]);
  expect(leftOut).toEqual(['house/common/textures/unused.png']);
});

test('a model in an assets folder that others include is no asset itself, even if it has bodies', () => {
  const room = (name: string) => ({
    [`house/${name}/${name}.xml`]: model(`<include file="assets/${name}_body.xml"/><worldbody/>`),
    [`house/${name}/assets/${name}_body.xml`]: model('<worldbody><body/></worldbody>'),
  });
  const { assets } = discovered({ ...room('kitchen'), ...room('oven'), ...room('sink') });
  expect(assets.map(({ id, files }) => [id, files.length])).toEqual([
    ['house-kitchen', 2],
    ['house-oven', 2],
    ['house-sink', 2],
  ]);
});

describe('URDF robots', () => {
  test('are found in the folders of their makers, with the licence file of the maker', () => {
    const { assets } = discovered({
      'makers/acme/LICENSE.txt': 'x',
      'makers/acme/arm_support/package.xml': ros('arm_support'),
      'makers/acme/arm_support/urdf/arm.urdf': urdf('package://arm_support/meshes/link.stl'),
      'makers/acme/arm_support/meshes/link.stl': 'solid',
      'makers/acme/hand_support/urdf/hand.urdf': urdf('package://elsewhere/hand_support/meshes/palm.stl'),
      'makers/acme/hand_support/meshes/palm.stl': 'solid',
    });
    expect(assets).toMatchObject([
      {
        id: 'makers-acme-arm_support',
        kind: 'urdf',
        entry: 'makers/acme/arm_support/urdf/arm.urdf',
        files: [
          'makers/acme/LICENSE.txt',
          'makers/acme/arm_support/meshes/link.stl',
          'makers/acme/arm_support/package.xml',
          'makers/acme/arm_support/urdf/arm.urdf',
        ],
      },
      {
        id: 'makers-acme-hand_support',
        files: [
          'makers/acme/LICENSE.txt',
          'makers/acme/hand_support/meshes/palm.stl',
          'makers/acme/hand_support/urdf/hand.urdf',
        ],
      },
    ]);
  });

  test('include meshes from another package of their workspace', () => {
    const { assets } = discovered({
      'src/arm_description/package.xml': ros('arm_description'),
      'src/arm_description/urdf/arm.urdf': urdf('package://common_meshes/meshes/link.stl'),
      'src/parts/package.xml': ros('common_meshes'),
      'src/parts/meshes/link.stl': 'solid',
    });
    expect(assets).toMatchObject([
      { id: 'arm_description', files: expect.arrayContaining(['src/parts/meshes/link.stl']) },
    ]);
  });

  test('written only in xacro are opened at the file that calls the macros', () => {
    const xacro = (content: string) => `<robot xmlns:xacro="x" name="arm">${content}</robot>`;
    const { assets } = discovered({
      'arm_description/package.xml': ros('arm_description'),
      'arm_description/urdf/arm_macro.xacro': xacro('<xacro:macro name="arm"><link name="a"/></xacro:macro>'),
      'arm_description/urdf/arm.urdf.xacro': xacro(
        '<xacro:include filename="$(find arm_description)/urdf/arm_macro.xacro"/><xacro:arm/>',
      ),
    });
    expect(assets).toMatchObject([
      { kind: 'urdf', entry: 'arm_description/urdf/arm.urdf.xacro', entryPoints: [] },
    ]);
  });
});

describe('a ROS package at the root', () => {
  const robot = (name: string): Record<string, string> => ({
    [`${name}_description/urdf/${name}.urdf`]: urdf(`package://zoo/${name}_description/meshes/${name}.stl`),
    [`${name}_description/meshes/${name}.stl`]: STL,
    [`${name}_description/LICENSE`]: 'MIT License',
  });
  const ids = (files: Record<string, string>) => discovered(files).assets.map(({ id }) => id);

  test('of robots that need nothing of each other is a collection, and each has its own licence', () => {
    const files = { 'package.xml': ros('zoo'), 'README.md': '# Zoo', ...robot('ant'), ...robot('bee') };
    const { assets, leftOut } = discovered({ ...files, 'cups/cup.sdf': sdf('') });
    expect(assets.map(({ id }) => id)).toEqual(['ant_description', 'bee_description', 'cups']);
    expect(assets[0]?.files).toContain('ant_description/LICENSE');
    expect(assets[0]?.files).not.toContain('bee_description/LICENSE');
    expect(leftOut).toEqual([]);
    expect(ids(files)).toEqual(['ant_description', 'bee_description']);
  });

  test('is a collection even if one robot has parts of another, or one more is on its own', () => {
    const files = { ...robot('ant'), ...robot('bee'), ...robot('cow'), ...robot('dog') };
    const shared = urdf('package://zoo/bee_description/meshes/bee.stl');
    expect(
      ids({ 'package.xml': ros('zoo'), ...files, 'ant_description/urdf/ant.urdf': shared }),
    ).toHaveLength(4);
    expect(ids({ 'package.xml': ros('zoo'), ...files, 'urdf/all.urdf': urdf('gone.stl') })).toHaveLength(5);
  });

  test('is one robot if its variants share meshes, or one of them is in its own folders', () => {
    const variants = ['a', 'b', 'c'].map((name) => [
      `urdf/${name}/${name}.urdf`,
      urdf('package://zoo/meshes/x.stl'),
    ]);
    expect(
      ids({ 'package.xml': ros('zoo'), 'meshes/x.stl': STL, ...Object.fromEntries(variants) }),
    ).toHaveLength(1);
    const props = { ...robot('ant'), ...robot('bee'), 'urdf/zoo.urdf': urdf('package://zoo/meshes/x.stl') };
    expect(ids({ 'package.xml': ros('zoo'), ...props })).toHaveLength(1);
  });

  test('inside of a library is judged the same way', () => {
    const inside = Object.entries({ ...robot('ant'), ...robot('bee') }).map(([path, text]) => [
      `zoo/${path}`,
      text,
    ]);
    expect(ids({ 'zoo/package.xml': ros('zoo'), ...Object.fromEntries(inside), 'fox.obj': OBJ })).toEqual([
      'fox.obj',
      'zoo-ant_description',
      'zoo-bee_description',
    ]);
  });
});

describe('a checkout', () => {
  test('leaves its programs, tests and settings out of its assets, by name', () => {
    const { assets, leftOut } = discovered({
      'models/cup/cup.obj': OBJ,
      'scripts/upload.sh': '#!/bin/sh',
      'tests/test_cup.py': 'pass',
      'tests/data.bin': 'x',
      'rules/defs.bzl': '',
      'server.config': 'port 80',
      'AI_PREFERENCE.md': 'x',
      'poses/cup.json': '{}',
    });
    expect(assets.map(({ id }) => id)).toEqual(['cup', 'poses']);
    expect(leftOut.sort()).toEqual([
      'AI_PREFERENCE.md',
      'rules/defs.bzl',
      'scripts/upload.sh',
      'server.config',
      'tests/data.bin',
      'tests/test_cup.py',
    ]);
  });

  test('of nothing but programs keeps them', () => {
    expect(discovered({ 'scripts/upload.sh': '#!/bin/sh' }).assets).toHaveLength(1);
  });

  test('that refers to itself through the folder above has the meshes that it means', () => {
    const { assets } = discovered({
      'meshes/ulna.stl': STL,
      'arm/arm.xml': model(
        '<compiler meshdir=".."/><asset><mesh file="../zebra_sim/meshes/ulna.stl"/></asset><worldbody><body/></worldbody>',
      ),
    });
    expect(assets).toMatchObject([{ id: 'arm', files: ['arm/arm.xml', 'meshes/ulna.stl'] }]);
  });
});

test('a folder whose name begins like a format is named by its author, those of the glTF samples are not', () => {
  const { assets } = discovered({
    'gltf-furniture/chair.gltf': gltf(),
    'gltf-toys/chair.gltf': gltf(),
    'fox/glTF-Binary/fox.glb': glb(),
    'fox/glTF-KTX-BasisU/fox.gltf': gltf(),
  });
  expect(assets.map(({ id }) => id)).toEqual(['fox', 'gltf-furniture', 'gltf-toys']);
});

describe('what a file refers to that is not written in it', () => {
  const include = (file: string) =>
    `<robot xmlns:xacro="x"><xacro:arg name="kind" default="arm"/><xacro:include filename="${file}"/><link name="l"/></robot>`;

  test('is the default of an argument of xacro, and what declares the package', () => {
    const { assets } = discovered({
      'top/package.xml': ros('top'),
      'top/urdf/top.urdf.xacro': include('$(find parts_$(arg kind))/m.xacro'),
      'parts_arm/package.xml': ros('parts_arm'),
      'parts_arm/m.xacro': '<robot xmlns:xacro="x"><xacro:macro name="m"/></robot>',
    });
    expect(assets[0]?.files).toEqual([
      'parts_arm/m.xacro',
      'parts_arm/package.xml',
      'top/package.xml',
      'top/urdf/top.urdf.xacro',
    ]);
  });

  test('are the layers, references and payloads of USD in all of its variants, as text or crate', () => {
    const layer = (names: string) =>
      usdCrate(`(defaultPrim = "Robot"; subLayers = [${names}])\ndef Xform "Robot" {}`);
    const { assets } = discovered({
      'go2/go2.usd': layer('@configuration/go2_physics.usd@, @./configuration/go2_sensor.usd@'),
      'go2/configuration/go2_base.usd': usdCrate('def Xform "Robot" { asset inputs:file = @../skin.png@; }'),
      'go2/configuration/go2_physics.usd': usdCrate(
        'over "Robot" (prepend references = @go2_base.usd@) { def PhysicsRevoluteJoint "hip" {}\n}',
      ),
      'go2/configuration/go2_sensor.usd': layer('@go2_base.usd@'),
      'go2/skin.png': 'x',
      'kit/cup.usda': `#usda 1.0
        (defaultPrim = "Cup")
        def "Cup" (variantSets = "colour") {
          variantSet "colour" = {
            "red" (references = @shared/red.mtlx@</MaterialX>) {}
            "blue" (payload = @shared/blue.usdz[cup.usda]@) {}
          }
        }`,
      'kit/shared/red.mtlx':
        '<materialx version="1.38"><nodegraph fileprefix="tex/"><input name="file" type="filename" value="red.png"/></nodegraph></materialx>',
      'kit/shared/tex/red.png': 'x',
      'kit/shared/blue.usdz': usdArchive({ 'cup.usda': '#usda 1.0\n', 'blue.png': 'x' }),
    });
    expect(assets.map(({ kind, entry, files }) => [kind, entry, files.length])).toEqual([
      ['mesh', 'kit/cup.usda', 4],
      ['usd', 'go2/go2.usd', 5],
    ]);
  });

  test('in USD whose crates are damaged are what is in its folder, and are named', () => {
    const { assets, warnings } = discovered({
      'go2/go2.usd': 'PXR-USDC',
      'go2/configuration/go2_base.usd': 'PXR-USDC',
    });
    expect(assets).toMatchObject([{ id: 'go2', files: { length: 2 } }]);
    expect(warnings.join()).toContain('go2_base.usd and 1 more: is a damaged crate: it ends within its head');
  });

  test('are both of two material files on one line, and the picture of a PLY', () => {
    const { assets } = discovered({
      'cup/cup.obj': `mtllib a.mtl b.mtl\n${OBJ}`,
      'cup/a.mtl': 'newmtl a',
      'cup/b.mtl': 'newmtl b',
      'scan/scan.ply': ply('x y z', '0 0 0\n').replace(
        'element',
        'comment TextureFile ../shared/scan one.png\nelement',
      ),
      'shared/scan one.png': 'x',
    });
    expect(assets.map(({ id, files }) => [id, files])).toEqual([
      ['cup', ['cup/a.mtl', 'cup/b.mtl', 'cup/cup.obj']],
      ['scan', ['scan/scan.ply', 'shared/scan one.png']],
    ]);
  });
});

describe('a Gazebo model database', () => {
  const config = (...versions: [string, string][]) =>
    `<model><name>Thing</name>${versions.map(([version, file]) => `<sdf version="${version}">${file}</sdf>`).join('')}</model>`;

  test('becomes one asset per model, opened in its newest SDF version', () => {
    const { assets } = discovered({
      'beer/model.config': config(['1.9', 'model-1_9.sdf'], ['1.10', 'model.sdf']),
      'beer/model.sdf': sdf('<uri>model://beer/meshes/beer.dae</uri>'),
      'beer/model-1_9.sdf': sdf('<uri>model://beer/meshes/beer.dae</uri>'),
      'beer/meshes/beer.dae': '<COLLADA/>',
      'beer/materials/textures/beer.png': 'x',
    });
    expect(assets).toMatchObject([
      { id: 'beer', kind: 'sdf', entry: 'beer/model.sdf', entryPoints: ['sdf-1.9', 'sdf-1.10'] },
    ]);
  });

  test('gives a model the files of the models it includes, which are also assets of their own', () => {
    const { assets } = discovered({
      'table/model.config': config(['1.6', 'model.sdf']),
      'table/model.sdf': `<sdf version="1.6"><model name="t"><include><uri>model://beer</uri></include></model></sdf>`,
      'beer/model.config': config(['1.6', 'model.sdf']),
      'beer/model.sdf': sdf('<uri>model://beer/meshes/beer.stl</uri>'),
      'beer/meshes/beer.stl': 'solid',
    });
    expect(assets.map(({ id, files }) => [id, files.length])).toEqual([
      ['beer', 3],
      ['table', 5],
    ]);
  });
});

describe('meshes', () => {
  test('in several formats are one asset, opened in the format that most viewers support', () => {
    const { assets } = discovered({
      'Models/Fox/glTF/Fox.gltf': gltf('Fox%20Texture.png'),
      'Models/Fox/glTF/Fox Texture.png': 'x',
      'Models/Fox/glTF-Binary/Fox.glb': glb(),
      'Models/Fox/glTF-Draco/Fox.glb': glb(),
      'Models/Fox/screenshot/screenshot.png': 'x',
      'Models/Duck/glTF/Duck.gltf': gltf(),
      'Models/Duck/glTF-Embedded/Duck.gltf': gltf(),
      'Models/README.md': 'x',
    });
    expect(assets).toMatchObject([
      {
        id: 'Duck',
        kind: 'mesh',
        entry: 'Models/Duck/glTF/Duck.gltf',
        entryPoints: ['glTF-Embedded', 'glTF'],
      },
      {
        id: 'Fox',
        kind: 'mesh',
        entry: 'Models/Fox/glTF-Binary/Fox.glb',
        entryPoints: ['glTF-Binary', 'glTF-Draco', 'glTF'],
      },
    ]);
    expect(assets[1]?.files).toHaveLength(5);
  });

  test('loose in one folder become one asset each, with the textures that they share', () => {
    const { assets, leftOut } = discovered({
      'city/tree.glb': glb('Textures/colors.png'),
      'city/rock.glb': glb('Textures/colors.png'),
      'city/rock.png': 'x',
      'city/Textures/colors.png': 'x',
      'city/License.txt': 'CC0',
      'city/Overview.html': 'x',
    });
    expect(assets).toMatchObject([
      {
        id: 'city-rock.glb',
        files: ['city/License.txt', 'city/Textures/colors.png', 'city/rock.glb', 'city/rock.png'],
      },
      { id: 'city-tree.glb', files: ['city/License.txt', 'city/Textures/colors.png', 'city/tree.glb'] },
    ]);
    expect(leftOut).toEqual(['city/Overview.html']);
  });

  test('include their material files and the textures of those', () => {
    const { assets } = discovered({
      'chair/chair.obj': 'mtllib ../shared/wood shiny.mtl\nv 0 0 0\n',
      'shared/wood shiny.mtl': 'newmtl a\nmap_Kd -s 1 1 1 textures\\oak.png\n',
      'shared/textures/oak.png': 'x',
    });
    expect(assets).toMatchObject([
      { id: 'chair', files: ['chair/chair.obj', 'shared/textures/oak.png', 'shared/wood shiny.mtl'] },
    ]);
  });
});

test('the README and changelog of a collection are in none of its assets, and its licence file is in each', () => {
  const { assets, leftOut } = discovered({
    LICENSE: 'x',
    'CHANGELOG.md': 'x',
    'README.md': 'x',
    'arm/arm.urdf': urdf('meshes/a.stl'),
    'arm/meshes/a.stl': 'solid',
  });
  expect(assets).toMatchObject([{ id: 'arm', files: ['LICENSE', 'arm/arm.urdf', 'arm/meshes/a.stl'] }]);
  expect(leftOut).toEqual(['CHANGELOG.md']);
});

describe('the README at the root', () => {
  const ARM = { 'arm/arm.obj': 'v 0 0 0\n' };

  test('belongs to the library, whether or not an asset contains it too', () => {
    expect(discovered({ ...ARM, 'README.md': '# Arms' })).toMatchObject({ readme: 'README.md', leftOut: [] });
    expect(discovered({ 'arm.obj': 'v 0 0 0\n', 'README.md': '# Arm' }).readme).toBe('README.md');
    expect(discovered({ ...ARM, 'arm/README.md': '# Arm' }).readme).toBeNull();
  });

  test('is left out if it is larger than 512 KiB or bindery.yml excludes it', () => {
    const long = discovered({ ...ARM, 'README.md': 'x'.repeat(512 * 1024 + 1) });
    expect([long.readme, long.leftOut]).toEqual([null, ['README.md']]);
    const excluded = discovered({
      ...ARM,
      'README.md': 'x',
      'bindery.yml': 'discover: {exclude: [README.md]}',
    });
    expect(excluded.readme).toBeNull();
  });
});
