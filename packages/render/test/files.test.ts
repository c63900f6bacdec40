import { expect, test } from 'vitest';
import { AssetFiles, memoryFiles } from '../../formats/src/reading/asset-files.ts';
import { Budget } from '../../formats/src/reading/limits.ts';

function asset(...paths: string[]): AssetFiles {
  return new AssetFiles(
    memoryFiles(new Map(paths.map((path) => [path, new Uint8Array(4)]))),
    new Budget({ inputBytes: 6 }),
  );
}

test('a relative reference is resolved from the folder of the file that contains it', () => {
  expect(asset('robot/meshes/arm.stl').resolve('robot/urdf/robot.urdf', '../meshes/arm.stl')).toBe(
    'robot/meshes/arm.stl',
  );
});

test("a package reference is resolved in the package folder, whether or not the folder has the package's name", () => {
  const files = asset('robot/urdf/robot.urdf', 'robot/meshes/arm.stl');
  expect(files.resolve('robot/urdf/robot.urdf', 'package://robot/meshes/arm.stl')).toBe(
    'robot/meshes/arm.stl',
  );
  expect(files.resolve('robot/urdf/robot.urdf', 'package://other_name/meshes/arm.stl')).toBe(
    'robot/meshes/arm.stl',
  );
});

test('a reference into a package of many robots is resolved in the folder of one robot', () => {
  const reference = 'package://all_robots/robots/panda_description/meshes/visual/arm.dae';
  const files = asset(
    'urdf/panda.urdf',
    'meshes/collision/arm.dae',
    'old/visual/arm.dae',
    'meshes/visual/arm.dae',
  );
  expect(files.resolve('urdf/panda.urdf', reference)).toBe('meshes/visual/arm.dae');
});

test('a reference into a folder does not match a file by its name alone, but a bare file name does', () => {
  const files = asset('urdf/panda.urdf', 'meshes/collision/arm.dae', 'loose/wood.png');
  expect(files.resolve('urdf/panda.urdf', 'package://camera/visual/arm.dae')).toBeUndefined();
  expect(files.resolve('urdf/panda.urdf', 'wood.png')).toBe('loose/wood.png');
});

test('letter case and backslashes are ignored if no file matches exactly', () => {
  expect(asset('Meshes/Arm.STL').resolve('robot.urdf', 'meshes\\arm.stl')).toBe('Meshes/Arm.STL');
});

test('a reference never resolves to anything outside the asset', () => {
  const files = asset('robot/robot.urdf');
  for (const reference of [
    '../../etc/passwd',
    '/etc/passwd',
    'file:///etc/passwd',
    'http://host/a.stl',
    '..',
    '',
  ]) {
    expect(files.resolve('robot/robot.urdf', reference)).toBeUndefined();
  }
});

test('reading fails once the input budget is exceeded', async () => {
  const files = asset('a', 'b');
  await files.read('a');
  await expect(files.read('b')).rejects.toThrow('too large: more than 6 bytes of input');
});
