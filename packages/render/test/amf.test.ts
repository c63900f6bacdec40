import { expect, test } from 'vitest';
import { transformPoints } from '../../formats/src/model/matrix.ts';
import { loadMesh } from '../../formats/src/read.ts';
import { createRendererContext } from '../src/host/renderer-context.ts';
import { memoryFiles, type RenderLimits } from '../src/index.ts';
import { amf, meshAmf } from './models/amf.ts';
import { zip } from './models/zip.ts';

const TRIANGLE = `<object id="1">${meshAmf([0, 0, 0, 1, 0, 0, 0, 1, 0], [0, 1, 2])}</object>`;

function loaded(bytes: Uint8Array, limits?: Partial<RenderLimits>) {
  return loadMesh('a.amf', createRendererContext(memoryFiles(new Map([['a.amf', bytes]])), limits));
}

/** Where the corners of each instance are, to the micrometre. */
async function points(bytes: Uint8Array): Promise<number[][]> {
  return (await loaded(bytes)).instances.map(({ geometry, transform }) =>
    [...transformPoints(transform, geometry.positions)].map((value) => Math.round(value * 1e6) / 1e6 + 0),
  );
}

test('an object is in millimetres, or in the unit that the file states, with Z up', async () => {
  expect(await points(amf(TRIANGLE))).toEqual([[0, 0, 0, 0.001, 0, 0, 0, 0.001, 0]]);
  expect(await points(amf(TRIANGLE, 'feet'))).toEqual([[0, 0, 0, 0.3048, 0, 0, 0, 0.3048, 0]]);
  expect(await loaded(amf(TRIANGLE))).toMatchObject({ up: 'z', unit: 'm' });
});

test('constellations turn and move objects and each other, and what is in one does not stand by itself', async () => {
  const turned = `<constellation id="2"><instance objectid="1"><deltax>5</deltax><rz>90</rz></instance></constellation>`;
  expect(await points(amf(TRIANGLE + turned, 'meter'))).toEqual([[5, 0, 0, 5, 1, 0, 4, 0, 0]]);
  const twice = `<constellation id="3"><instance objectid="2"/><instance objectid="2"><deltaz>1</deltaz></instance></constellation>`;
  expect(await points(amf(TRIANGLE + turned + twice, 'meter'))).toEqual([
    [5, 0, 0, 5, 1, 0, 4, 0, 0],
    [5, 0, 1, 5, 1, 1, 4, 0, 1],
  ]);
});

test('a volume has the colour of its material, else that of its object', async () => {
  const triangle = meshAmf([0, 0, 0, 1, 0, 0, 0, 1, 0], [0, 1, 2], 'red');
  const red = '<material id="red"><color><r>1</r><g>0</g><b>0</b><a>0.5</a></color></material>';
  const blue = '<color><r>0</r><g>0</g><b>1</b></color>';
  const colorOf = async (content: string) => (await loaded(amf(content))).instances[0]?.material.baseColor;
  expect(await colorOf(`${red}<object id="1">${blue}${triangle}</object>`)).toEqual([1, 0, 0, 0.5]);
  expect(await colorOf(`<object id="1">${blue}${triangle}</object>`)).toEqual([0, 0, 1, 1]);
});

test('a file can be packed, and is refused if its archive unpacks to more than the budget', async () => {
  const packed = zip(new Map([['a.amf', amf(TRIANGLE)]]), 'deflated');
  expect(await points(packed)).toHaveLength(1);
  await expect(loaded(packed, { inputBytes: packed.length + 10 })).rejects.toThrow('too large');
});

test.each([
  [
    'a vertex that it does not have',
    amf(TRIANGLE.replace('<v3>2', '<v3>7')),
    'names a vertex that it does not have',
  ],
  [
    'corners that are no numbers',
    amf(TRIANGLE.replace('<v3>2', '<v3>x')),
    'names a vertex that it does not have',
  ],
  ['no triangles', amf('<object id="1"/>'), 'no triangles'],
  ['another document', Buffer.from('<robot/>'), 'no <amf>'],
  ['a mesh that is cut off', amf(TRIANGLE).subarray(0, 150), 'ends inside its <vertices>'],
  [
    'constellations in a circle',
    amf(`${TRIANGLE}<constellation id="2"><instance objectid="3"/></constellation>
<constellation id="3"><instance objectid="2"/></constellation><constellation id="4"><instance objectid="2"/></constellation>`),
    'nested deeper',
  ],
  [
    'constellations that double each other',
    amf(
      `${TRIANGLE}${Array.from({ length: 40 }, (_, n) => `<constellation id="${n + 2}"><instance objectid="${n + 1}"/><instance objectid="${n + 1}"/></constellation>`).join('')}`,
    ),
    'too large',
  ],
])('a file with %s is refused', async (_what, bytes, reason) => {
  await expect(loaded(bytes)).rejects.toThrow(reason);
});

test('every copy counts against the budget of triangles, and a list before it is read', async () => {
  const copies = `<constellation id="2">${'<instance objectid="1"/>'.repeat(5)}</constellation>`;
  await expect(loaded(amf(TRIANGLE + copies), { triangles: 4 })).rejects.toThrow('more than 4 triangles');
  await expect(loaded(amf(TRIANGLE), { vertices: 2 })).rejects.toThrow('more than 2 vertices');
});
