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
