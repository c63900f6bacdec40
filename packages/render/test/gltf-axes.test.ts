import { expect, test } from 'vitest';
import { boundsOf, unionBounds } from '../../formats/src/model/bounds.ts';
import { drawnParts } from '../../formats/src/model/drawn-mechanism.ts';
import { transformPoints } from '../../formats/src/model/matrix.ts';
import { readMechanism } from '../../formats/src/read.ts';
import { createRendererContext } from '../src/host/renderer-context.ts';
import { memoryFiles } from '../src/index.ts';

/** A bar of 1 × 2 × 3 from the origin, as glTF with its axes as they are. */
function bar(): Buffer {
  const corners = [0, 1].flatMap((x) => [0, 2].flatMap((y) => [0, 3].map((z) => [x, y, z])));
  const positions = Buffer.from(Float32Array.from(corners.flat()).buffer);
  const indices = Buffer.from(Uint16Array.of(0, 3, 1, 0, 2, 3, 4, 5, 7, 4, 7, 6, 0, 1, 5, 2, 7, 3).buffer);
  const data = Buffer.concat([positions, indices]);
  const document = {
    asset: { version: '2.0' },
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 8, type: 'VEC3', min: [0, 0, 0], max: [1, 2, 3] },
      { bufferView: 1, componentType: 5123, count: 18, type: 'SCALAR' },
    ],
    bufferViews: [
      { buffer: 0, byteLength: positions.length },
      { buffer: 0, byteOffset: positions.length, byteLength: indices.length },
    ],
    buffers: [
      { byteLength: data.length, uri: `data:application/octet-stream;base64,${data.toString('base64')}` },
    ],
  };
  return Buffer.from(JSON.stringify(document));
}

/** The size of what is seen of a robot that shows the bar and collides with a box, and what is lost. */
async function shown(collision: string) {
  const robot = `<robot name="r"><link name="a"><visual><geometry><mesh filename="bar.gltf"/></geometry></visual>${collision}</link></robot>`;
  const files = memoryFiles(
    new Map([
      ['r.urdf', Buffer.from(robot)],
      ['bar.gltf', bar()],
    ]),
  );
  const read = await readMechanism({ kind: 'urdf', entry: 'r.urdf' }, createRendererContext(files), {
    roles: ['visual'],
  });
  const parts = read.bodies.flatMap(({ shapes }) => shapes).flatMap(drawnParts);
  const { minX, maxX, minY, maxY, minZ, maxZ } = unionBounds(
    parts.map(({ geometry, transform }) => boundsOf([transformPoints(transform, geometry.positions)])),
  );
  const size = [maxX - minX, maxY - minY, maxZ - minZ].map((side) => Math.round(side * 1e3) / 1e3);
  return { size, losses: read.losses.map(({ what }) => what) };
}

const box = (size: string, center: string) =>
  `<collision><origin xyz="${center}"/><geometry><box size="${size}"/></geometry></collision>`;

test('meshes in glTF stand in a robot as what collides beside them does', async () => {
  expect(await shown(box('1 2 3', '0.5 1 1.5'))).toEqual({ size: [1, 2, 3], losses: [] });
  expect(await shown(box('1 3 2', '0.5 -1.5 1'))).toEqual({ size: [1, 3, 2], losses: [] });
});

test('meshes in glTF have Y up if nothing tells how they stand, which is named', async () => {
  expect(await shown('')).toEqual({ size: [1, 3, 2], losses: ['axes'] });
  expect(await shown(box('2 2 2', '0 0 0'))).toEqual({ size: [1, 3, 2], losses: ['axes'] });
});
