import { mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { differences } from '../scripts/differences.ts';
import { box, cylinder, gear, type Mesh, sphere, type Vector } from '../scripts/sample-library/geometry.ts';
import { writeSampleLibrary } from '../scripts/sample-library/write.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-sample-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('the sample library is identical each time it is written, and a changed or missing file is detected', async () => {
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  const { assets, files } = await writeSampleLibrary(one);
  expect({ assets, files }).toEqual({ assets: 12, files: 22 });
  await writeSampleLibrary(two);
  expect(await differences(one, two)).toEqual([]);
  await writeFile(join(two, 'crate', 'crate.glb'), 'x');
  await unlink(join(one, 'rover', 'rover.urdf'));
  expect((await differences(one, two)).sort()).toEqual([
    join('crate', 'crate.glb'),
    join('rover', 'rover.urdf'),
  ]);
});

test('the OBJ file of the table has Y up and the feet at height 0', async () => {
  await writeSampleLibrary(folder);
  const text = await readFile(join(folder, 'table', 'table.obj'), 'utf8');
  const heights = [...text.matchAll(/^v \S+ (\S+) /gm)].map(([, height]) => Number(height));
  expect([Math.min(...heights), Math.max(...heights)]).toEqual([0, 0.75]);
});

test.each<[string, Mesh]>([
  ['box', box(1, 2, 3)],
  ['cylinder', cylinder(1, 2)],
  ['sphere', sphere(1)],
  ['gear', gear(12, 1, 1.2, 0.1)],
])('every triangle of a %s faces the same way as its normals', (_, { positions, normals, triangles }) => {
  const inward = triangles.filter(([a, b, c]) => {
    const face = cross(minus(positions[b]!, positions[a]!), minus(positions[c]!, positions[a]!));
    return dot(face, normals[a]!) <= 0;
  });
  expect(triangles.length).toBeGreaterThan(0);
  expect(inward).toEqual([]);
});

function minus(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
