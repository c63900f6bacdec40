import { expect, test } from 'vitest';
import { AssetFiles, memoryFiles } from '../src/files.ts';
import { Budget } from '../src/limits.ts';

function asset(...paths: string[]): AssetFiles {
  return new AssetFiles(
    memoryFiles(new Map(paths.map((path) => [path, new Uint8Array(4)]))),
    new Budget({ inputBytes: 6 }),
  );
}

test('a relative reference starts from the folder of the file that holds it', () => {
  expect(asset('robot/meshes/arm.stl').resolve('robot/urdf/robot.urdf', '../meshes/arm.stl')).toBe(
    'robot/meshes/arm.stl',
  );
});

test('a package reference is found from the package folder, with or without its name', () => {
  const files = asset('robot/urdf/robot.urdf', 'robot/meshes/arm.stl');
  expect(files.resolve('robot/urdf/robot.urdf', 'package://robot/meshes/arm.stl')).toBe(
    'robot/meshes/arm.stl',
  );
  expect(files.resolve('robot/urdf/robot.urdf', 'package://other_name/meshes/arm.stl')).toBe(
    'robot/meshes/arm.stl',
  );
});

test('a reference from a package that holds many robots is found in the folder of one', () => {
  const reference = 'package://all_robots/robots/panda_description/meshes/visual/arm.dae';
  const files = asset(
    'urdf/panda.urdf',
    'meshes/collision/arm.dae',
    'old/visual/arm.dae',
    'meshes/visual/arm.dae',
  );
  expect(files.resolve('urdf/panda.urdf', reference)).toBe('meshes/visual/arm.dae');
});

test('a file that shares no more than its name with a reference into a folder is another one', () => {
  const files = asset('urdf/panda.urdf', 'meshes/collision/arm.dae', 'loose/wood.png');
  expect(files.resolve('urdf/panda.urdf', 'package://camera/visual/arm.dae')).toBeUndefined();
  expect(files.resolve('urdf/panda.urdf', 'wood.png')).toBe('loose/wood.png');
});

test('letter case and backslashes do not matter where there is no exact file', () => {
  expect(asset('Meshes/Arm.STL').resolve('robot.urdf', 'meshes\\arm.stl')).toBe('Meshes/Arm.STL');
});

test('a reference never names anything outside the asset', () => {
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

test('reading stops at the budget', async () => {
  const files = asset('a', 'b');
  await files.read('a');
  await expect(files.read('b')).rejects.toThrow('too large: more than 6 bytes of input');
});
