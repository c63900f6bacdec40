import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { transformPoints } from '../../formats/src/model/matrix.ts';
import type { Instance } from '../../formats/src/model/scene.ts';
import { loadMesh } from '../../formats/src/read.ts';
import { createRendererContext } from '../src/host/renderer-context.ts';
import { memoryFiles, type RenderLimits } from '../src/index.ts';
import { faceSet, vrml } from './models/vrml.ts';

const TRIANGLE = faceSet([0, 0, 0, 1, 0, 0, 0, 1, 0], [[0, 1, 2]]);

async function loaded(
  content: string | Uint8Array,
  beside: Readonly<Record<string, string>> = {},
  limits?: Partial<RenderLimits>,
) {
  const files = Object.entries(beside).map(([path, nodes]) => [path, vrml(nodes)] as const);
  const main = typeof content === 'string' ? vrml(content) : content;
  const context = createRendererContext(memoryFiles(new Map([['a/a.wrl', main], ...files])), limits);
  const scene = await loadMesh('a/a.wrl', context);
  return { ...scene, missing: context.omissions.summary()?.meshes?.named };
}

function points({ geometry, transform }: Instance): number[] {
  return [...transformPoints(transform, geometry.positions)].map(
    (value) => Math.round(value * 1e4) / 1e4 + 0,
  );
}

async function placed(content: string, beside?: Readonly<Record<string, string>>): Promise<number[][]> {
  return (await loaded(content, beside)).instances.map(points);
}

test('nodes turn about their centre and scale along their own axes', async () => {
  expect(
    await placed(`Transform { translation 0 0 3 center 1 0 0 rotation 0 0 1 1.5707963
scale 1 2 1 scaleOrientation 0 0 1 1.5707963 children [ ${TRIANGLE} ] }`),
  ).toEqual([[1, -2, 3, 1, 0, 3, 0, -2, 3]]);
});

test('a node is used again by its name, and prototypes stand for what they are made of', async () => {
  const nodes = `PROTO Moved [ field SFVec3f by 0 0 1 eventIn SFTime on exposedField MFNode parts [ ] ]
{ Transform { translation IS by children IS parts } }
Moved { parts DEF part ${TRIANGLE} }
Moved { by 0 0 2 parts [ USE part ] }`;
  expect(await placed(nodes)).toEqual([
    [0, 0, 1, 1, 0, 1, 0, 1, 1],
    [0, 0, 2, 1, 0, 2, 0, 1, 2],
  ]);
});

test('parts in other files are shown, also without a head, and those that are missing are named', async () => {
  const { instances, missing } = await loaded('Inline { url "b.wrl" } Inline { url [ "c.wrl" ] }', {
    'a/b.wrl': `Transform { translation 0 0 1 children Inline { url "d.wrl" } }`,
    'a/d.wrl': TRIANGLE,
  });
  expect(instances.map(points)).toEqual([[0, 0, 1, 1, 0, 1, 0, 1, 1]]);
  expect(missing).toEqual([{ name: 'c.wrl', reason: 'no such file' }]);
  expect((await loaded(Buffer.from(`DEF part ${TRIANGLE}`))).instances).toHaveLength(1);
  expect((await loaded(gzipSync(vrml(TRIANGLE)))).instances).toHaveLength(1);
});

test('colours are those of corners or of faces, by their own index or that of the points', async () => {
  const square = (fields: string) =>
    faceSet(
      [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0],
      [
        [0, 1, 2],
        [0, 2, 3],
      ],
      `color Color { color [ 0 0 0, 1 0 0 ] } ${fields}`,
    );
  const reds = async (fields: string) => {
    const [shape] = (await loaded(square(fields))).instances;
    const { indices, colors = [] } = shape?.geometry ?? { indices: [] };
    return [...indices].map((vertex) => colors[vertex * 4]);
  };
  expect(await reds('colorIndex [ 0 1 1 -1 1 0 0 -1 ]')).toEqual([0, 1, 1, 1, 0, 0]);
  expect(await reds('colorPerVertex FALSE')).toEqual([0, 0, 0, 1, 1, 1]);
  expect(await reds('colorPerVertex FALSE colorIndex [ 1 0 ]')).toEqual([1, 1, 1, 0, 0, 0]);
  expect(await reds('')).toEqual([0, 1, 0, 0, 0, 0]);
});

test('faces that are given clockwise are turned round', async () => {
  const [front, back] = (
    await loaded(TRIANGLE + faceSet([0, 0, 0, 1, 0, 0, 0, 1, 0], [[0, 1, 2]], 'ccw FALSE'))
  ).instances;
  expect(front?.geometry.normals[2]).toBe(1);
  expect(back?.geometry.normals[2]).toBe(-1);
});

test('boxes, balls, cylinders, cones and grids have the size that they state', async () => {
  const shape = (form: string) => `Shape { geometry ${form} }`;
  const forms = ['Box { size 2 4 6 }', 'Sphere { radius 3 }', 'Cylinder { radius 2 height 8 }', 'Cone { }'];
  const grid = 'ElevationGrid { xDimension 2 zDimension 2 xSpacing 5 zSpacing 7 height [ 0 0 0 9 ] }';
  const sizes = (await placed([...forms, grid].map(shape).join('\n'))).map((list) =>
    [0, 1, 2].map((axis) => {
      const values = list.filter((_, at) => at % 3 === axis);
      return Math.round((Math.max(...values) - Math.min(...values)) * 100) / 100;
    }),
  );
  expect(sizes).toEqual([
    [2, 4, 6],
    [6, 6, 6],
    [4, 8, 4],
    [2, 2, 2],
    [5, 9, 7],
  ]);
});

test('a robot of a simulator stands with Z up and looks along X', async () => {
  const robot = `PROTO Humanoid [ exposedField MFNode humanoidBody [] ] { Group { children IS humanoidBody } }
Humanoid { humanoidBody ${TRIANGLE} }`;
  expect(await placed(robot)).toEqual([[0, 0, 0, 0, 0, 1, 1, 0, 0]]);
});

test('prototypes that multiply, parts of themselves and files without an end are refused', async () => {
  const doubling = Array.from(
    { length: 40 },
    (_, at) => `PROTO P${at + 1} [] { Group { children [ P${at} {} P${at} {} ] } }`,
  );
  await expect(
    loaded(`PROTO P0 [] { Group { } }\n${doubling.join('\n')}\nP40 {}`, {}, { nodes: 10_000 }),
  ).rejects.toThrow('more than 10000 nodes');
  expect((await loaded(`${TRIANGLE} Inline { url "a.wrl" }`)).missing).toEqual([
    { name: 'a.wrl', reason: 'nested deeper than 100 levels' },
  ]);
  for (const cut of ['Group { children [', 'Group { children', 'Shape { geometry "', 'PROTO A [ field'])
    await expect(loaded(cut)).rejects.toThrow('the VRML file is cut off or damaged');
  await expect(loaded(Buffer.from('#VRML V1.0 ascii\nSeparator { }'))).rejects.toThrow(
    'is of version 1, and only version 2 is read',
  );
});
