import { describe, expect, test } from 'vitest';
import { FileIndex, resolveReference } from '../src/index.ts';

interface Case {
  readonly title: string;
  readonly files: readonly string[];
  /** Names that packages give themselves, by folder. */
  readonly named?: Readonly<Record<string, string>>;
  readonly from: string;
  readonly reference: string;
  readonly bases?: readonly string[];
  readonly resolves: string;
}

const MISSING = 'missing';
const OUTSIDE = 'outside';

const CASES: readonly Case[] = [
  {
    title: 'a relative path is relative to the folder of the file that contains it',
    files: ['robot/meshes/arm.stl'],
    from: 'robot/urdf/r.urdf',
    reference: '../meshes/arm.stl',
    resolves: 'robot/meshes/arm.stl',
  },
  {
    title: 'a package is entered by its name before any folder is guessed',
    files: ['robot/meshes/a.stl', 'robot/urdf/meshes/a.stl'],
    from: 'robot/urdf/r.urdf',
    reference: 'package://robot/meshes/a.stl',
    resolves: 'robot/meshes/a.stl',
  },
  {
    title: 'a model can be named alone, as Gazebo finds it in its resource path',
    files: ['models/buoy/model.config', 'models/buoy/model.sdf', 'models/dock/model.sdf'],
    from: 'worlds/bay.sdf',
    reference: 'buoy',
    resolves: 'models/buoy/ (folder)',
  },
  {
    title: 'a folder that declares no model is none to be named alone',
    files: ['models/dock/model.sdf'],
    from: 'worlds/bay.sdf',
    reference: 'dock',
    resolves: MISSING,
  },
  {
    title: 'a folder called urdf is inside a package, not one, where the checkout itself is the package',
    files: ['meshes/a.stl', 'urdf/meshes/a.stl'],
    from: 'urdf/r.urdf',
    reference: 'package://robot/meshes/a.stl',
    resolves: 'meshes/a.stl',
  },
  {
    title: 'a package is known by the name in its package.xml',
    files: ['src/arm/package.xml', 'src/arm/meshes/a.stl', 'other/meshes/a.stl'],
    named: { 'src/arm/': 'arm_description' },
    from: 'other/urdf/r.urdf',
    reference: 'package://arm_description/meshes/a.stl',
    resolves: 'src/arm/meshes/a.stl',
  },
  {
    title: 'the package that a file is in is meant before a folder inside of it that is called the same',
    files: ['robot/package.xml', 'robot/meshes/a.stl', 'robot/urdf/robot/meshes/a.stl'],
    from: 'robot/urdf/r.urdf',
    reference: 'package://robot/meshes/a.stl',
    resolves: 'robot/meshes/a.stl',
  },
  {
    title: 'a package that only shares its name with a folder is looked for in the folders above',
    files: ['meshes/spot/readme.txt', 'meshes/body.stl'],
    from: 'urdf/spot.urdf',
    reference: 'package://spot/meshes/body.stl',
    resolves: 'meshes/body.stl',
  },
  {
    title: 'a package that exists is not left for a file that it lacks',
    files: ['a/package.xml', 'b/package.xml', 'b/meshes/base.stl'],
    from: 'b/urdf/b.urdf',
    reference: 'package://a/meshes/base.stl',
    resolves: MISSING,
  },
  {
    title: 'within a package that exists, a file that moved is found by the end of its path',
    files: ['a/package.xml', 'a/v2/meshes/base.stl', 'b/meshes/base.stl'],
    from: 'b/urdf/b.urdf',
    reference: 'package://a/meshes/base.stl',
    resolves: 'a/v2/meshes/base.stl (by its end)',
  },
  {
    title: 'a model of a database is its folder, whichever model names it',
    files: ['base/model.config', 'base/model.sdf', 'cart/model.config', 'cart/model.sdf'],
    from: 'cart/model.sdf',
    reference: 'model://base',
    resolves: 'base/ (folder)',
  },
  {
    title: 'a model that exists does not get the file of the model that names it',
    files: ['base/model.config', 'cart/model.config', 'cart/meshes/body.dae'],
    from: 'cart/model.sdf',
    reference: 'model://base/meshes/body.dae',
    resolves: MISSING,
  },
  {
    title: 'a relative path in one model does not end in another',
    files: ['base/model.config', 'base/meshes/body.dae', 'cart/model.config', 'cart/model.sdf'],
    from: 'cart/model.sdf',
    reference: 'meshes/body.dae',
    resolves: MISSING,
  },
  {
    title: 'unless it names the folder of that model',
    files: ['x/base/model.config', 'x/base/meshes/body.dae', 'cart/model.config', 'cart/model.sdf'],
    from: 'cart/model.sdf',
    reference: '/home/ada/models/base/meshes/body.dae',
    resolves: 'x/base/meshes/body.dae (by its end)',
  },
  {
    title: 'a path of another machine is found by its end, whatever its letter case',
    files: ['robot/parts/Meshes/Base.STL'],
    from: 'robot/r.urdf',
    reference: '/home/me/ws/meshes/base.stl',
    resolves: 'robot/parts/Meshes/Base.STL (by its end)',
  },
  {
    title: 'the longest of several ends is meant',
    files: ['robot/meshes/base.stl', 'robot/visual/meshes/base.stl'],
    from: 'robot/r.urdf',
    reference: 'C:\\ws\\visual\\meshes\\base.stl',
    resolves: 'robot/visual/meshes/base.stl (by its end)',
  },
  {
    title: 'the end of a path in an unrelated folder is no evidence',
    files: ['other/meshes/base.stl'],
    from: 'robot/r.urdf',
    reference: '/home/me/ws/src/meshes/base.stl',
    resolves: MISSING,
  },
  {
    title: 'but the whole path of a file in the library is',
    files: ['meshes/base.stl'],
    from: 'robot/r.urdf',
    reference: '/home/me/robots/meshes/base.stl',
    resolves: 'meshes/base.stl (by its end)',
  },
  {
    title: 'a path through the folder of the checkout is one within the library',
    files: ['meshes/ulna.stl'],
    from: 'arm/arm.xml',
    reference: '../zebra_sim/meshes/ulna.stl',
    bases: ['arm/../'],
    resolves: 'meshes/ulna.stl (by its end)',
  },
  {
    title: 'so is one through two folders above the library',
    files: ['arm/meshes/ulna.stl'],
    from: 'arm/urdf/arm.urdf',
    reference: '../../../../ws/zebra/arm/meshes/ulna.stl',
    resolves: 'arm/meshes/ulna.stl (by its end)',
  },
  {
    title: 'letter case and backslashes are ignored if no file matches exactly',
    files: ['Meshes/Arm.STL'],
    from: 'robot.urdf',
    reference: 'meshes\\arm.stl',
    resolves: 'Meshes/Arm.STL (letter case)',
  },
  {
    title: 'a percent-encoded path is decoded if no file has it as written',
    files: ['robot/meshes/left arm.stl'],
    from: 'robot/r.urdf',
    reference: 'package://robot/meshes/left%20arm.stl',
    resolves: 'robot/meshes/left arm.stl',
  },
  {
    title: 'a bare name is found anywhere',
    files: ['loose/wood.png'],
    from: 'urdf/panda.urdf',
    reference: 'wood.png',
    resolves: 'loose/wood.png (by its end)',
  },
  {
    title: 'a texture of another machine is found next to the model, whatever folder it was in',
    files: ['cup/cup.dae', 'cup/wood.png', 'other/wood.png'],
    from: 'cup/cup.dae',
    reference: 'C:\\Users\\ada\\textures\\wood.png',
    resolves: 'cup/wood.png (by its end)',
  },
  {
    title: 'or in another folder, if it is the only picture of that name',
    files: ['cup/meshes/cup.dae', 'cup/textures/wood.png', 'other/wood.png'],
    from: 'cup/meshes/cup.dae',
    reference: '/home/ada/scans/wood.png',
    resolves: 'cup/textures/wood.png (by its end)',
  },
  {
    title: 'a mesh of the same name in another folder can be another one',
    files: ['robot/meshes/collision/arm.stl'],
    from: 'robot/urdf/r.urdf',
    reference: '/home/ada/robot/visual/arm.stl',
    resolves: MISSING,
  },
  {
    title: 'a file address of this machine is a path of another machine',
    files: ['robot/meshes/a.stl'],
    from: 'robot/r.urdf',
    reference: 'file:///home/ada/robot/meshes/a.stl',
    resolves: 'robot/meshes/a.stl (by its end)',
  },
  ...['../../etc/passwd', '/etc/passwd', 'file:///etc/passwd', '..', '', '/'].map((reference) => ({
    title: `"${reference}" is nothing in the library`,
    files: ['robot/robot.urdf'],
    from: 'robot/robot.urdf',
    reference,
    resolves: MISSING,
  })),
  ...['http://host/a.stl', 'https://fuel.gazebosim.org/1.0/x', 'file://media/materials/x.png'].map(
    (reference) => ({
      title: `${reference} is elsewhere`,
      files: ['robot/robot.urdf', 'a.stl', 'x.png'],
      from: 'robot/robot.urdf',
      reference,
      resolves: OUTSIDE,
    }),
  ),
  {
    title: 'a stock model of Gazebo is elsewhere',
    files: ['worlds/yard.world'],
    from: 'worlds/yard.world',
    reference: 'model://sun',
    resolves: OUTSIDE,
  },
  {
    title: 'unless the library has its own',
    files: ['models/sun/model.config', 'models/sun/model.sdf'],
    from: 'worlds/yard.world',
    reference: 'model://sun',
    resolves: 'models/sun/ (folder)',
  },
];

describe('a reference is resolved the same way for whoever reads it', () => {
  test.each(CASES)('$title', ({ files, named = {}, from, reference, bases, resolves }) => {
    const names = Object.entries(named).map(([folder, name]) => [name, folder] as const);
    const found = resolveReference(new FileIndex(files, names), from, reference, bases);
    expect(
      'path' in found
        ? found.how === 'as written'
          ? found.path
          : `${found.path} (${found.how})`
        : 'folder' in found
          ? `${found.folder} (folder)`
          : Object.keys(found)[0],
    ).toBe(resolves);
  });
});
