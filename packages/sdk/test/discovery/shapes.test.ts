import { describe, expect, test } from 'vitest';
import { discoverLibrary } from '../../src/local-discovery/discover-library.ts';
import { folderWith } from '../folder.ts';
import { glb, model, OBJ, ros, STL, sdf, urdf } from './models.ts';

type Files = Record<string, string | Uint8Array>;

const APACHE = 'Apache License\nhttp://www.apache.org/licenses/LICENSE-2.0\n';
const MIT = 'MIT License\n';

/** What a folder becomes: `id → [kind, entry, title, licence]`, and the names of what is left out. */
function found(files: Files) {
  const { assets, leftOut } = discoverLibrary(folderWith(files));
  return {
    assets: Object.fromEntries(
      assets.map(({ id, kind, entry, title, license }) => [
        id,
        [kind, entry, title ?? null, license ?? null],
      ]),
    ),
    leftOut: leftOut.map(({ path }) => path).sort(),
  };
}

function robot(...meshes: string[]): string {
  const links = meshes.map(
    (mesh, at) =>
      `<link name="l${at}"><visual><geometry><mesh filename="${mesh}"/></geometry></visual></link>`,
  );
  return `<robot name="r">${links.join('')}</robot>`;
}

function config(name: string): string {
  return `<model><name>${name}</name><sdf version="1.9">model.sdf</sdf></model>`;
}

function macros(content: string): string {
  return `<robot xmlns:xacro="x" name="r">${content}</robot>`;
}

// Each is a stand-in, of a few bytes, for the shape of public repositories of this kind.
describe('the shape of', () => {
  test('a database of Gazebo: models, worlds, programs without extension, templates', () => {
    const { assets, leftOut } = found({
      LICENSE: MIT,
      'README.md': '# Models',
      'simulation-gazebo': '#!/usr/bin/env python3\n',
      'manifest.xml.in': '<model/>',
      VERSION: '1',
      'models/quad/model.config': config('Quad X'),
      'models/quad/model.sdf': sdf('<uri>model://quad/meshes/quad.stl</uri>'),
      'models/quad/meshes/quad.stl': STL,
      'models/plain/model.sdf': sdf('<uri>model://quad/meshes/quad.stl</uri>'),
      'worlds/field.sdf':
        '<sdf version="1.9"><world><include><uri>model://quad</uri></include></world></sdf>',
      'worlds/lake.sdf':
        '<sdf version="1.9"><world><include><uri>model://plain</uri></include></world></sdf>',
    });
    expect(assets).toEqual({
      'field.sdf': ['sdf', 'worlds/field.sdf', 'Field', 'MIT'],
      'lake.sdf': ['sdf', 'worlds/lake.sdf', 'Lake', 'MIT'],
      plain: ['sdf', 'models/plain/model.sdf', 'Plain', 'MIT'],
      quad: ['sdf', 'models/quad/model.sdf', 'Quad X', 'MIT'],
    });
    expect(leftOut).toEqual(['VERSION', 'manifest.xml.in', 'simulation-gazebo']);
  });

  test('a collection of robots: variants, unused meshes, a README and a licence of each, some copied', () => {
    const { assets, leftOut } = found({
      LICENSE: MIT,
      'package.xml': ros('zoo'),
      'flake.nix': '{}',
      'python/CMakeLists.txt': '',
      'python/path.py.in': '',
      'robots/b1_description/README.md': '# Acme A1\n\nlicense: MPL-2.0\n',
      'robots/b1_description/urdf/b1-z1.urdf': robot('../meshes/b1.stl', '../meshes/z1.stl'),
      'robots/b1_description/urdf/b1.urdf': robot('../meshes/b1.stl'),
      'robots/b1_description/meshes/b1.stl': STL,
      'robots/b1_description/meshes/z1.stl': STL,
      'robots/a1_description/README.md': '# Acme A1\n\nupstream: [](x) license: CC BY-NC-ND 4.0\n',
      'robots/a1_description/robots/a1.urdf': urdf('../meshes/obj/with_foot/a1.stl'),
      'robots/a1_description/meshes/obj/with_foot/a1.stl': STL,
      'robots/a1_description/meshes/obj/without_foot/a1.stl': STL,
      'robots/a1_description/meshes/obj/without_foot/foot.stl': STL,
      'robots/cat_description/README.md': '# Cat Description\n\nlicense: NA\n',
      'robots/cat_description/robots/model.config': config('Cat').replace('model.sdf', 'cat_v2.sdf'),
      'robots/cat_description/robots/cat.sdf': sdf('<uri>model://cat_description/meshes/cat.stl</uri>'),
      'robots/cat_description/robots/cat_v2.sdf': sdf('<uri>model://cat_description/meshes/cat.stl</uri>'),
      'robots/cat_description/meshes/cat.stl': STL,
    });
    expect(assets).toEqual({
      a1_description: ['urdf', 'robots/a1_description/robots/a1.urdf', 'Acme A1', 'CC-BY-NC-ND-4.0'],
      b1_description: ['urdf', 'robots/b1_description/urdf/b1.urdf', 'B1 description', 'MPL-2.0'],
      cat_description: ['sdf', 'robots/cat_description/robots/cat_v2.sdf', 'Cat', null],
    });
    expect(leftOut).toEqual(['flake.nix', 'python/CMakeLists.txt', 'python/path.py.in']);
  });

  test('loose models in one folder, each opened by what it is named after, with the licence of its meshes', () => {
    const { assets } = found({
      'food/bowl.sdf': sdf('<uri>meshes/bowl.obj</uri>'),
      'food/bowl_soft.urdf': robot('meshes/bowl.obj'),
      'food/plate.sdf': sdf('<uri>meshes/plate.obj</uri>'),
      'food/cup.sdf': sdf('<uri>meshes/cup.obj</uri>'),
      'food/meshes/LICENSE.txt': 'https://creativecommons.org/licenses/by/4.0/',
      'food/meshes/bowl.obj': OBJ,
      'food/meshes/plate.obj': OBJ,
      'food/meshes/cup.obj': OBJ,
    });
    expect(assets).toEqual({
      'food-bowl.sdf': ['sdf', 'food/bowl.sdf', 'Bowl', 'CC-BY-4.0'],
      'food-cup.sdf': ['sdf', 'food/cup.sdf', 'Cup', 'CC-BY-4.0'],
      'food-plate.sdf': ['sdf', 'food/plate.sdf', 'Plate', 'CC-BY-4.0'],
    });
  });

  test('variants of one robot: the one that others are made of comes first, then the most complete', () => {
    const arm = ['meshes/a.stl', 'meshes/b.stl'];
    const { assets } = found({
      'panda_support/urdf/hand.urdf': robot('../meshes/hand.stl'),
      'panda_support/urdf/panda_arm.urdf': robot(...arm.map((mesh) => `../${mesh}`)),
      'panda_support/urdf/panda_arm_hand.urdf': robot('../meshes/a.stl', '../meshes/hand.stl'),
      'lbr/urdf/dual_lbr_full.urdf': robot('../meshes/a.stl', '../meshes/b.stl'),
      'lbr/urdf/lbr_bare.urdf': robot('../meshes/a.stl'),
      'lbr/urdf/lbr_full.urdf': robot('../meshes/a.stl', '../meshes/b.stl'),
      ...Object.fromEntries(
        ['panda_support', 'lbr'].flatMap((name) =>
          ['meshes/hand.stl', ...arm].map((mesh) => [`${name}/${mesh}`, STL]),
        ),
      ),
    });
    expect(Object.values(assets).map(([, entry]) => entry)).toEqual([
      'lbr/urdf/lbr_full.urdf',
      'panda_support/urdf/panda_arm.urdf',
    ]);
  });

  test('models of MuJoCo that share a folder of meshes, of which not all are used', () => {
    const arm = (mesh: string) =>
      model(`<asset><mesh file="../meshes/${mesh}.stl"/></asset><worldbody><body/></worldbody>`);
    const { assets, leftOut } = found({
      LICENSE: APACHE,
      VERSION: '2',
      'arm/arm.xml': arm('ulna'),
      'leg/leg.xml': arm('tibia'),
      'meshes/ulna.stl': STL,
      'meshes/tibia.stl': STL,
      'meshes/spare/skull.stl': STL,
      'textures/floor0.png': 'x',
    });
    expect(assets).toEqual({
      arm: ['mjcf', 'arm/arm.xml', null, 'Apache-2.0'],
      leg: ['mjcf', 'leg/leg.xml', null, 'Apache-2.0'],
    });
    expect(leftOut).toEqual(['VERSION', 'meshes/spare/skull.stl', 'textures/floor0.png']);
  });

  test('a workspace of ROS: packages of programs, settings and maps are none of its assets', () => {
    const { assets, leftOut } = found({
      'README.md': '# Demos\n\n![A cart](cart.jpg)',
      'cart.jpg': 'x',
      'demo_assets/package.xml': ros('demo_assets'),
      'demo_assets/models/Cart/model.config': config('Cart'),
      'demo_assets/models/Cart/model.sdf': sdf('<uri>model://Cart/meshes/cart.obj</uri>'),
      'demo_assets/models/Cart/meshes/cart.obj': OBJ,
      'demo_maps/package.xml': ros('demo_maps'),
      'demo_maps/maps/office.png': 'x',
      'demo_driver/package.xml': ros('demo_driver'),
      'demo_driver/src/driver.cpp': '',
      'demo_driver/resource/demo_driver': '',
      'moveit_cfgs/arm/package.xml': ros('arm'),
      'moveit_cfgs/arm/config/arm.srdf': '<robot name="arm"/>',
      'doc/cart.jpg': 'x',
      'demo.gif': 'x',
      'demo_java/lib/client.jar': 'x',
      'demo_java/src/Client.java': '',
      'demo_java/style.xml': '<style/>',
    });
    expect(assets).toEqual({
      'demo_assets-Cart': ['sdf', 'demo_assets/models/Cart/model.sdf', 'Cart', null],
    });
    expect(leftOut).toHaveLength(14);
  });

  test('one package of macros at the top: named as the package, opened at a robot and not at a gripper', () => {
    const { assets } = found({
      'package.xml': ros('acme_description').replace('BSD-3-Clause', 'TODO'),
      LICENSE: MIT,
      'README.md': '# Acme\n',
      'grippers/claw/claw.urdf.xacro': macros('<link name="claw"/>'),
      'robots/two/two.urdf.xacro': macros('<link name="two"/>'),
      'robots/common/parts.xacro': macros('<xacro:macro name="m"><link name="m"/></xacro:macro>'),
      'worlds/yard.world': '<sdf version="1.6"><world><model name="m"><link name="l"/></model></world></sdf>',
    });
    expect(assets).toEqual({
      acme_description: ['urdf', 'robots/two/two.urdf.xacro', 'Acme', 'MIT'],
    });
  });

  test('a robot in macros with a description without a link beside them, for others to replace', () => {
    const { assets } = found({
      'cart_description/package.xml': ros('cart_description'),
      'cart_description/urdf/cart.urdf.xacro': macros(
        '<xacro:include filename="$(find cart_description)/urdf/empty.urdf"/><link name="base"/>',
      ),
      'cart_description/urdf/empty.urdf': '<robot/>',
    });
    expect(assets.cart_description?.[1]).toBe('cart_description/urdf/cart.urdf.xacro');
  });

  test('a robot in macros that only include its parts, which have their links outside of macros, beside exports of CAD', () => {
    const part = (link: string) =>
      `<robot xmlns:xacro="x"><link name="${link}"><visual><geometry><mesh filename="package://arm_description/meshes/${link}.stl"/></geometry></visual></link></robot>`;
    const { assets } = found({
      'arm_description/package.xml': ros('arm_description'),
      'arm_description/urdf/arm_description.xacro': macros(
        '<xacro:include filename="arm_main.xacro"/><xacro:include filename="$(find cameras)/camera.xacro"/>',
      ),
      'arm_description/urdf/arm_main.xacro': part('main'),
      'arm_description/urdf/from_cad/arm.SLDASM.urdf': urdf('package://arm.SLDASM/meshes/main.stl'),
      'arm_description/meshes/main.stl': STL,
    });
    expect(assets.arm_description?.[1]).toBe('arm_description/urdf/arm_description.xacro');
    const { entryPoints } = discoverLibrary(
      folderWith({
        'a/package.xml': ros('a'),
        'a/urdf/tall.xacro': macros('<xacro:include filename="body.xacro"/>'),
        'a/urdf/wide.xacro': macros('<xacro:include filename="body.xacro"/>'),
        'a/urdf/body.xacro': part('body'),
      }),
    ).assets[0] as { entryPoints?: object };
    expect(Object.keys(entryPoints ?? {})).toEqual(['tall', 'wide']);
  });

  test('macros of which one needs values from elsewhere: what can be expanded is opened first', () => {
    const { assets } = found({
      'bot_description/package.xml': ros('bot_description'),
      'bot_description/urdf/bot.xacro': macros(
        `<link name="a"><visual><mesh filename="\${side}.stl"/></visual></link>`,
      ),
      'bot_description/urdf/bot_small.xacro': macros('<link name="a"/>'),
    });
    expect(assets.bot_description?.[1]).toBe('bot_description/urdf/bot_small.xacro');
  });

  test('models of MuJoCo with parts that are only there to be included in bodies', () => {
    const [hand] = discoverLibrary(
      folderWith({
        'hand/model.xml': model('<worldbody><body><include file="finger.xml"/></body></worldbody>'),
        'hand/finger.xml': model('<geom type="sphere" size="1"/>'),
        'hand/other.xml': model('<body><geom type="sphere" size="1"/></body>'),
      }),
    ).assets;
    expect(hand).toMatchObject({ kind: 'mjcf', entry: 'hand/model.xml' });
    expect(hand?.files.map(({ path }) => path)).toHaveLength(3);
    expect(hand).not.toHaveProperty('entryPoints');
  });

  test('a package with a licence of its own for several folders', () => {
    const terms = `Acme's Terms and Conditions for the Use of Graphical Documentation`;
    const licenses = ['BSD', terms, terms].map((license) => `<license>${license}</license>`).join('');
    const { assets } = found({
      'arm/package.xml': `<package><name>arm</name>${licenses}</package>`,
      'arm/urdf/arm.urdf': urdf('../meshes/arm.stl'),
      'arm/meshes/arm.stl': STL,
    });
    expect(assets.arm?.[3]).toBe(`BSD AND ${terms}`);
  });

  test('a package of nothing but macros for others: no single mesh of it stands for it', () => {
    const { assets } = found({
      'sensors/package.xml': ros('sensors'),
      'sensors/urdf/lidar.urdf.xacro': macros('<xacro:macro name="lidar"><link name="l"/></xacro:macro>'),
      'sensors/meshes/lidar.stl': STL,
      'arm/arm.urdf': urdf('arm.stl'),
      'arm/arm.stl': STL,
    });
    expect(assets).toMatchObject({ sensors: ['file', undefined, null, 'BSD-3-Clause'] });
  });

  test('a kit in folders of formats, some with two extensions: one asset for each thing', () => {
    const { assets, leftOut } = found({
      'LICENSE.txt': 'CC0-1.0',
      'icon.png': 'x',
      'pack/Assets/gltf/banner_blue.gltf.glb': glb(),
      'pack/Assets/gltf/chest.glb': glb(),
      'pack/Assets/obj/banner_blue.obj': OBJ,
      'pack/Assets/obj/chest.obj': OBJ,
      'pack/Assets/obj/chest_lid.obj': OBJ,
      'pack/Samples/one.png': 'x',
    });
    expect(assets).toEqual({
      'pack-banner_blue.gltf.glb': [
        'mesh',
        'pack/Assets/gltf/banner_blue.gltf.glb',
        'Banner blue',
        'CC0-1.0',
      ],
      'pack-chest.glb': ['mesh', 'pack/Assets/gltf/chest.glb', 'Chest', 'CC0-1.0'],
      'pack-chest_lid.obj': ['mesh', 'pack/Assets/obj/chest_lid.obj', 'Chest lid', 'CC0-1.0'],
    });
    expect(leftOut).toEqual(['icon.png', 'pack/Samples/one.png']);
  });

  test('parts to print: a folder of them is one asset with each part to choose', () => {
    const folder = folderWith({
      'README.md': '# Arm',
      'STL/Gauges/gauge_0.stl': STL,
      'STL/Gauges/gauge_1.stl': STL,
      'Simulation/arm/arm.urdf': urdf('arm.obj'),
      'Simulation/arm/arm.obj': OBJ,
    });
    const { assets } = discoverLibrary(folder);
    expect(assets.map(({ id, kind, entryPoints }) => [id, kind, Object.keys(entryPoints ?? {})])).toEqual([
      ['Gauges', 'mesh', ['gauge_0', 'gauge_1']],
      ['Simulation', 'urdf', []],
    ]);
  });

  test('a game in an engine: its scripts, scenes and sidecars are no assets, its sounds are', () => {
    const { assets, leftOut } = found({
      'LICENSE.md': MIT,
      'project.godot': '',
      'icon.png': 'x',
      'icon.png.import': '',
      'models/coin.glb': glb(),
      'models/coin.glb.import': '',
      'models/brick.glb': glb(),
      'objects/coin.gd': '',
      'objects/coin.tscn': '',
      'models/wall-high.glb': glb(),
      'models/wall-low.glb': glb(),
      'objects/coin.gd.uid': '',
      'sounds/jump.ogg': 'x',
      'web/package.json': '{}',
      'web/index.png': 'x',
    });
    expect(assets).toEqual({
      'brick.glb': ['mesh', 'models/brick.glb', 'Brick', 'MIT'],
      'coin.glb': ['mesh', 'models/coin.glb', 'Coin', 'MIT'],
      sounds: ['file', undefined, null, 'MIT'],
      'wall-high.glb': ['mesh', 'models/wall-high.glb', 'Wall high', 'MIT'],
      'wall-low.glb': ['mesh', 'models/wall-low.glb', 'Wall low', 'MIT'],
    });
    expect(leftOut).toHaveLength(9);
  });
});

test('a README gives its title and licence, but no section or markup as a title; the model comes before the scene that shows it', () => {
  const { assets } = found({
    LICENSE: APACHE,
    'ball/README.md': '## Overview\n\nA ball to look at materials.\n\n# Quickstart\n',
    'ball/ball.obj': OBJ,
    'chess/README.md':
      '# Chess\n\n## License\n\nThis is under [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/).\n',
    'chess/chess.obj': OBJ,
    'blocks/README.md': '# Blocks\n\n## License\n\n**[CC-NC-BY-SA](LICENSE)**\n\nTextures by others.\n',
    'blocks/blocks.obj': OBJ,
    'cow/README.md': '# Cow\n\n## License\n\nSee LICENSE file\n',
    'cow/cow.obj': OBJ,
    'pot/README.md': '# Pot\n\n## License\n\nPublic Domain - CC0\n',
    'pot/shot.usda': '#usda 1.0\ndef "a" (references = @./pot.usda@) {}\n',
    'pot/pot.usda': '#usda 1.0\n',
    'parts/a.usda': '#usda 1.0\ndef "a" (references = @./gone.usda@) {}\n',
    'parts/bolt.usda': '#usda 1.0\n',
    'maps/README.md': '# rmf\\_demo\\_maps (URDF & MJCF)\n',
    'maps/map.obj': OBJ,
  });
  expect(assets).toMatchObject({
    ball: ['mesh', 'ball/ball.obj', null, 'Apache-2.0'],
    blocks: ['mesh', 'blocks/blocks.obj', 'Blocks', 'CC-NC-BY-SA'],
    chess: ['mesh', 'chess/chess.obj', 'Chess', 'CC-BY-4.0'],
    cow: ['mesh', 'cow/cow.obj', 'Cow', 'Apache-2.0'],
    maps: ['mesh', 'maps/map.obj', 'rmf_demo_maps', 'Apache-2.0'],
    pot: ['mesh', 'pot/pot.usda', 'Pot', 'CC0-1.0'],
  });
});

test('a licence text of which a line begins with "copyright holder" is recognised', () => {
  const { assets } = found({
    'a/a.obj': OBJ,
    'a/LICENSE': BSD,
    'a/package.xml': ros('a').replace('BSD-3-Clause', 'BSD'),
  });
  expect(assets.a?.[3]).toBe('BSD-3-Clause');
});

test('the entry is the model, and not the scene that takes its picture', () => {
  const usd = (content: string) => `#usda 1.0\n(defaultPrim = "w")\ndef Xform "w" ${content}\n`;
  const { assets } = found({
    'elephant/shown.usda': usd('{ def Cube "c" {}\n}'),
    'elephant/shown_thumbnail.usda': usd('(references = @./shown.usda@) { def Camera "camera" {}\n}'),
  });
  expect(assets.elephant?.slice(0, 2)).toEqual(['mesh', 'elephant/shown.usda']);
});

describe('assets apart', () => {
  test('of a package of robots by their kind, each in a folder of its own', () => {
    const files = Object.fromEntries(
      ['legged/one', 'legged/two', 'wheeled/three', 'wheeled/four'].map((folder) => [
        `${folder}/urdf/robot.urdf`,
        robot(),
      ]),
    );
    const { assets } = found({ 'package.xml': ros('robots'), ...files });
    expect(Object.keys(assets)).toEqual(['legged-one', 'legged-two', 'wheeled-four', 'wheeled-three']);
  });

  test('of a package with a folder of descriptions and one of meshes for each robot', () => {
    const files = Object.fromEntries(
      ['one', 'two', 'three'].flatMap((name) => [
        [`urdf/${name}/${name}.urdf`, robot(`package://arms/meshes/${name}/a.stl`)],
        [`meshes/${name}/a.stl`, STL],
      ]),
    );
    const { assets } = found({ 'package.xml': ros('arms'), ...files });
    expect(Object.keys(assets)).toEqual(['one', 'three', 'two']);
  });

  test('of things in MJCF that lie on one table, which each includes from elsewhere', () => {
    const thing = (name: string) =>
      model(`<include file="../scene/table.xml"/><asset><mesh file="meshes/${name}.stl"/></asset>`);
    const { assets } = found({
      'assets/scene/table.xml':
        '<mujocoinclude><asset><mesh file="../scene/table.stl"/></asset></mujocoinclude>',
      'assets/scene/table.stl': STL,
      ...Object.fromEntries(
        ['box', 'lever', 'mug'].flatMap((name) => [
          [`assets/objects/${name}.xml`, thing(name)],
          [`assets/objects/meshes/${name}.stl`, STL],
        ]),
      ),
    });
    expect(Object.keys(assets)).toEqual(['box.xml', 'lever.xml', 'mug.xml']);
  });

  test('of robots side by side, of which one lacks a mesh that the other has', () => {
    const named = (name: string) =>
      robot(...['base', 'link'].map((mesh) => `package://arms/all/${name}/meshes/visual/${mesh}.stl`));
    const { assets } = discoverLibrary(
      folderWith({
        'alpha/urdf/alpha.urdf': named('alpha'),
        'alpha/meshes/visual/base.stl': STL,
        'alpha/meshes/visual/link.stl': STL,
        'beta/urdf/beta.urdf': named('beta'),
        'beta/meshes/visual/base.stl': STL,
      }),
    );
    expect(assets.map(({ id, files }) => [id, files.length])).toEqual([
      ['alpha', 3],
      ['beta', 2],
    ]);
  });
});

describe('worlds', () => {
  const WORLD = '<?xml version="1.0"?>\n<sdf version="1.9"><world name="lab"/></sdf>';

  test.each(['lab.world', 'lab.model', 'lab.xml', 'lab.world.xml', 'lab.wld', 'lab'])(
    'are recognised by what is in them: %s',
    (name) => {
      const { assets } = found({ [`worlds/${name}`]: WORLD, 'mug/mug.stl': STL });
      expect(Object.values(assets).map(([kind, entry]) => [kind, entry])).toContainEqual([
        'sdf',
        `worlds/${name}`,
      ]);
    },
  );

  test('of MuJoCo are too, and open as what they are', () => {
    const { assets } = discoverLibrary(
      folderWith({ 'worlds/lab': '<mujoco><worldbody><body/></worldbody></mujoco>' }),
    );
    expect(assets).toMatchObject([{ kind: 'mjcf', format: 'mjcf', entry: 'worlds/lab' }]);
  });

  test.each(['lab.world.erb', 'lab.world.in', 'lab.sdf.old', 'lab.txt'])(
    'are not what has yet to be filled in or was kept: %s',
    (name) => {
      expect(found({ [`worlds/${name}`]: WORLD }).assets.worlds?.[0]).toBe('file');
    },
  );
});

test('pictures and programs beside models are no assets, and one named like a model belongs to it', () => {
  const { assets, leftOut } = found({
    'mug.stl': STL,
    'cup.stl': STL,
    'mug.png': 'x',
    'preview.png': 'x',
    'overview.jpg': 'x',
    'launch.py': 'x',
    'view.sh': 'x',
    'sky.hdr': 'x',
    'renders/mug.png': 'x',
    'matlab/grasp.m': 'x',
  });
  expect(Object.keys(assets).sort()).toEqual(['cup.stl', 'mug.stl', 'sky.hdr']);
  expect(leftOut).toEqual([
    'launch.py',
    'matlab/grasp.m',
    'overview.jpg',
    'preview.png',
    'renders/mug.png',
    'view.sh',
  ]);
});

test('a library of pictures has each as an asset', () => {
  const { assets } = found({ 'a.png': 'x', 'b.jpg': 'x' });
  expect(Object.keys(assets)).toEqual(['a.png', 'b.jpg']);
});

test('a folder named in another script than Latin has that name as its title', () => {
  const { assets } = found({ '机器人/робот.urdf': urdf('a.stl'), 'arm/arm.urdf': urdf('a.stl') });
  expect(Object.values(assets).map(([, , title]) => title)).toEqual([null, '机器人']);
});

test('a README that begins with a section names no asset', () => {
  const { assets } = found({
    'lamp/README.md': '## How to build\n\nRun make.\n\n## See also\n\nThe docs.\n',
    'lamp/lamp.obj': OBJ,
    'fan/README.md': '## Fan\n\nIt turns in the wind.\n\n## Usage\n\nPlug it in.\n',
    'fan/fan.obj': OBJ,
  });
  expect(Object.values(assets).map(([, , title]) => title)).toEqual(['Fan', null]);
});

test('what is put together of parts has their licence, and none if they have several', () => {
  const parts = (second: string) => ({
    LICENSE: MIT,
    'hand/LICENSE': APACHE,
    'hand/hand.obj': OBJ,
    'base/LICENSE': second,
    'base/base.obj': OBJ,
    'robot/robot.urdf': robot('../hand/hand.obj', '../base/base.obj'),
  });
  const licenseOf = (files: Files) => found(files).assets.robot?.[3];
  expect(licenseOf(parts(APACHE))).toBe('Apache-2.0');
  expect(licenseOf(parts(MIT))).toBeNull();
  expect(licenseOf(parts('All rights reserved.'))).toBeNull();
});

const BSD = `Software License Agreement (BSD License)

Copyright (c) 2026, Acme
All rights reserved.

Redistribution and use in source and binary forms, with or without modification, are permitted provided that the
following conditions are met:

 * Redistributions of source code must retain the above
   copyright notice, this list of conditions and the following disclaimer.
 * Redistributions in binary form must reproduce the above
   copyright notice, this list of conditions and the following disclaimer in the documentation and/or other materials
   provided with the distribution.
 * Neither the name of Acme nor the names of its contributors may be used to endorse or promote products derived from
   this software without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES,
INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE
COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR
BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT
(INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE
POSSIBILITY OF SUCH DAMAGE.
`;
