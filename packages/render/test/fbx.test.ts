import sharp from 'sharp';
import { expect, test } from 'vitest';
import { transformPoints } from '../../formats/src/model/matrix.ts';
import type { Instance } from '../../formats/src/model/scene.ts';
import { loadMesh } from '../../formats/src/read.ts';
import { createRendererContext } from '../src/host/renderer-context.ts';
import { memoryFiles } from '../src/index.ts';
import { pylon3mf } from './models/3mf.ts';
import {
  binaryFbx,
  connect,
  type Record as FbxRecord,
  layer,
  meshRecords,
  properties,
  property,
  pylonFbx,
  record,
  textFbx,
} from './models/fbx.ts';
import { loadUrdf } from './models/scenes.ts';
import { pylonStep } from './models/step.ts';
import { pylonVrml } from './models/vrml.ts';

/** A right-angled triangle with legs of a metre, in centimetres. */
const TRIANGLE = meshRecords([0, 0, 0, 100, 0, 0, 0, 100, 0], [0, 1, -3]);

/** The geometry 1 in the node 2 below the root, with other objects and connections. */
function scene(
  parts: {
    readonly mesh?: readonly FbxRecord[];
    readonly node?: readonly FbxRecord[];
    readonly objects?: readonly FbxRecord[];
    readonly connections?: readonly FbxRecord[];
    readonly settings?: readonly FbxRecord[];
  } = {},
): FbxRecord[] {
  const { mesh = TRIANGLE, node = [], objects = [], connections = [], settings = [] } = parts;
  return [
    record('GlobalSettings', [], [properties(...settings)]),
    record(
      'Objects',
      [],
      [
        record('Geometry', [1n, 'Geometry::shape', 'Mesh'], mesh),
        record('Model', [2n, 'Model::shape', 'Mesh'], [properties(...node)]),
        ...objects,
      ],
    ),
    record('Connections', [], [connect(1n, 2n), ...connections]),
  ];
}

async function loaded(records: readonly FbxRecord[], beside: Readonly<Record<string, Uint8Array>> = {}) {
  const files = new Map(Object.entries({ 'a/thing.fbx': binaryFbx(7400, records), ...beside }));
  const context = createRendererContext(memoryFiles(files));
  const { instances } = await loadMesh('a/thing.fbx', context);
  return { instances, omissions: context.omissions.summary() };
}

/** Where the vertices are, to the millimetre. */
function points({ geometry, transform }: Instance): number[][] {
  const all = [...transformPoints(transform, geometry.positions)].map(
    (value) => Math.round(value * 1e3) / 1e3,
  );
  return Array.from({ length: all.length / 3 }, (_, at) =>
    all.slice(at * 3, at * 3 + 3).map((value) => value + 0),
  );
}

async function pointsOf(records: readonly FbxRecord[]): Promise<number[][]> {
  return (await loaded(records)).instances.flatMap(points);
}

const vector = (name: string, ...values: readonly number[]) => property(name, name, ...values);

test('lengths are centimetres unless the file states another unit', async () => {
  expect(await pointsOf(scene())).toEqual([
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
  ]);
  const inMillimetres = scene({ settings: [property('UnitScaleFactor', 'double', 0.1)] });
  expect(await pointsOf(inMillimetres)).toEqual([
    [0, 0, 0],
    [0.1, 0, 0],
    [0, 0.1, 0],
  ]);
});

test('a node turns about its pivot, after the turn that comes before its own', async () => {
  const node = [
    vector('Lcl Translation', 0, 0, 300),
    vector('Lcl Rotation', 0, 0, 90),
    vector('PreRotation', 90, 0, 0),
    vector('RotationPivot', 100, 0, 0),
  ];
  expect(await pointsOf(scene({ node }))).toEqual([
    [1, 0, 2],
    [1, 0, 3],
    [0, 0, 2],
  ]);
});

test('a node moves its children, and its geometric transformation only its own mesh', async () => {
  const child = record('Model', [3n, 'Model::child', 'Mesh']);
  const connections = [connect(1n, 3n), connect(3n, 2n)];
  const node = [vector('Lcl Scaling', 2, 2, 2), vector('GeometricTranslation', 0, 0, 50)];
  const [own, below] = (await loaded(scene({ node, objects: [child], connections }))).instances.map(points);
  expect(own).toEqual([
    [0, 0, 1],
    [2, 0, 1],
    [0, 2, 1],
  ]);
  expect(below).toEqual([
    [0, 0, 0],
    [2, 0, 0],
    [0, 2, 0],
  ]);
});

test('nodes below themselves, hidden ones, collision shapes and coarser levels of detail are not drawn', async () => {
  const model = (id: bigint, name: string, subtype = 'Mesh', ...own: readonly FbxRecord[]) =>
    record('Model', [id, `Model::${name}`, subtype], [properties(...own)]);
  const objects = [
    model(3n, 'loop'),
    model(4n, 'loop of it'),
    model(5n, 'hidden', 'Mesh', property('Visibility', 'Visibility', 0)),
    model(6n, 'levels', 'LodGroup'),
    model(9n, 'UCX_shape_01'),
    model(7n, 'fine'),
    model(8n, 'coarse'),
  ];
  const below: [bigint, bigint][] = [
    [3n, 4n],
    [4n, 3n],
    [7n, 6n],
    [8n, 6n],
  ];
  const connections = [
    ...below.map(([child, parent]) => connect(child, parent)),
    ...[3n, 4n, 5n, 7n, 8n, 9n].map((id) => connect(1n, id)),
  ];
  const { instances } = await loaded(scene({ objects, connections }));
  expect(instances.map(({ names }) => names?.[0])).toEqual(['shape', 'fine']);
});

test('polygons take materials and colours by corner, vertex, polygon or all alike', async () => {
  const square = meshRecords([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0], [0, 1, -3, 0, 2, -4]);
  const rgba = (...reds: readonly number[]) =>
    record('Colors', [Float64Array.from(reds.flatMap((red) => [red, 0, 0, 1]))]);
  const materials = layer('Material', 'ByPolygon', record('Materials', [Int32Array.of(1, 0)]));
  const paint = (id: bigint, red: number) =>
    record('Material', [id, 'Material::paint', ''], [properties(vector('DiffuseColor', red, 0, 0))]);
  const reds = async (...layers: readonly FbxRecord[]) => {
    const { instances } = await loaded(
      scene({
        mesh: [...square, materials, ...layers],
        objects: [paint(3n, 0), paint(4n, 1)],
        connections: [connect(3n, 2n), connect(4n, 2n)],
      }),
    );
    expect(instances.map(({ material }) => material.baseColor[0])).toEqual([1, 0]);
    return instances.map(({ geometry: { colors = [] } }) => [...colors].filter((_, at) => at % 4 === 0));
  };
  const index = record('ColorIndex', [Int32Array.of(0, 1, 1, 1, 0, 0)]);
  expect(await reds(layer('Color', 'ByPolygonVertex', rgba(0, 1), index))).toEqual([
    [0, 1, 1],
    [1, 0, 0],
  ]);
  expect(await reds(layer('Color', 'ByVertice', rgba(0, 1, 0, 1)))).toEqual([
    [0, 1, 0],
    [0, 0, 1],
  ]);
  expect(await reds(layer('Color', 'ByPolygon', rgba(1, 0)))).toEqual([
    [1, 1, 1],
    [0, 0, 0],
  ]);
  expect(await reds(layer('Color', 'AllSame', rgba(1)))).toEqual([
    [1, 1, 1],
    [1, 1, 1],
  ]);
});

test('a skin is drawn where its bones are at rest', async () => {
  const matrix = (x: number) => Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0, 0, 1);
  const cluster = (id: bigint, controls: readonly number[], weight: number, x: number) =>
    record(
      'Deformer',
      [id, 'SubDeformer::bone', 'Cluster'],
      [
        record('Indexes', [Int32Array.from(controls)]),
        record('Weights', [Float64Array.from(controls, () => weight)]),
        record('Transform', [matrix(x)]),
      ],
    );
  const bone = (id: bigint, ...place: readonly number[]) =>
    record('Model', [id, 'Model::bone', 'LimbNode'], [properties(vector('Lcl Translation', ...place))]);
  const objects = [
    record('Deformer', [3n, 'Deformer::skin', 'Skin']),
    cluster(4n, [0, 1], 1, -100),
    cluster(5n, [1], 1, 0),
    bone(6n, 100, 0, 100),
    bone(7n, 0, 0, 300),
  ];
  const connections = [
    [3n, 1n],
    [4n, 3n],
    [5n, 3n],
    [6n, 4n],
    [7n, 5n],
  ] as const;
  const records = scene({
    objects,
    connections: connections.map(([child, parent]) => connect(child, parent)),
  });
  // The second is half on each bone, the third on none.
  expect(await pointsOf(records)).toEqual([
    [0, 0, 1],
    [1, 0, 2],
    [0, 1, 0],
  ]);
});

/** Objects and connections that move the node 2 along an axis: at 0 s, 1 s and 2 s. */
function moving(kind: number, values: readonly number[], slopes: readonly number[] = [0, 0, 0, 0]) {
  const seconds = (list: readonly number[]) =>
    BigInt64Array.from(list, (time) => BigInt(time) * 46_186_158_000n);
  const curve = [
    record('KeyTime', [seconds([0, 1, 2])]),
    record('KeyValueFloat', [Float64Array.from(values)]),
    record('KeyAttrFlags', [Int32Array.of(kind)]),
    record('KeyAttrDataFloat', [Float64Array.from(slopes)]),
    record('KeyAttrRefCount', [Int32Array.of(3)]),
  ];
  const objects = [
    record('AnimationStack', [20n, 'AnimStack::Wave', '']),
    record('AnimationLayer', [21n, 'AnimLayer::base', '']),
    record('AnimationCurveNode', [22n, 'AnimCurveNode::T', '']),
    record('AnimationCurve', [23n, 'AnimCurve::', ''], curve),
  ];
  const connections = [
    connect(21n, 20n),
    connect(22n, 21n),
    connect(22n, 2n, 'Lcl Translation'),
    connect(23n, 22n, 'd|X'),
  ];
  return { objects, connections };
}

test('meshes of robots stand as their file says, in metres', async () => {
  const shows = (mesh: string) =>
    `<link name="${mesh}"><visual><geometry><mesh filename="${mesh}"/></geometry></visual></link>`;
  const meshes: [string, Uint8Array][] = [
    ['a.fbx', pylonFbx('binary', 7400)],
    ['b.3mf', pylon3mf()],
    ['c.wrl', pylonVrml()],
    ['d.step', pylonStep()],
  ];
  for (const [name, bytes] of meshes) {
    const robot = Buffer.from(`<robot name="r">${shows(name)}</robot>`);
    const context = createRendererContext(
      memoryFiles(
        new Map([
          ['r.urdf', robot],
          [name, bytes],
        ]),
      ),
    );
    const { instances } = await loadUrdf('r.urdf', context);
    const high = [0, 1, 2].map((axis) =>
      Math.max(...instances.flatMap((one) => points(one).map((point) => point[axis] ?? 0))),
    );
    // The axes of VRML stay as they are.
    expect(high, name).toEqual(name === 'c.wrl' ? [1, 2, 1] : [1, 1, 2]);
  }
});

test('animations are sampled: in steps, along lines and along curves', async () => {
  const xs = async (...move: Parameters<typeof moving>) => {
    const node = [vector('Lcl Translation', 0, 300, 0)];
    const files = new Map([['a.fbx', binaryFbx(7400, scene({ node, ...moving(...move) }))]]);
    const { instances, motion } = await loadMesh('a.fbx', createRendererContext(memoryFiles(files)), true);
    expect(instances.map(({ moves }) => moves)).toMatchObject([{ joint: 0 }]);
    const [clip] = motion?.clips ?? [];
    expect(clip?.name).toBe('Wave');
    expect([clip?.times.length, clip?.times.at(-1)]).toEqual([61, 2]);
    const { translations } = clip?.tracks[0] ?? { translations: [] };
    expect(translations[1]).toBe(3);
    return [0, 15, 30, 45, 60].map((frame) => Math.round((translations[frame * 3] ?? 0) * 1e4) / 1e4);
  };
  expect(await xs(2, [0, 100, 0])).toEqual([0, 0, 1, 1, 0]);
  expect(await xs(4, [0, 100, 0])).toEqual([0, 0.5, 1, 0.5, 0]);
  expect(await xs(8, [0, 100, 0])).toEqual([0, 0.5, 1, 0.5, 0]);
  expect(await xs(8, [0, 100, 0], [200, 0, 0, 0])).toEqual([0, 0.75, 1, 0.75, 0]);
});

test('a skin that moves names the four bones that hold each vertex most', async () => {
  const cluster = (id: bigint, weight: number) =>
    record(
      'Deformer',
      [id, 'SubDeformer::bone', 'Cluster'],
      [
        record('Indexes', [Int32Array.of(0)]),
        record('Weights', [Float64Array.of(weight)]),
        record('Transform', [Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)]),
      ],
    );
  const { objects, connections } = moving(4, [0, 100, 0]);
  const bones = [1n, 2n, 3n, 4n, 5n];
  const parts = bones.flatMap((bone) => [
    cluster(30n + bone, Number(bone)),
    record('Model', [40n + bone, 'Model::bone', 'LimbNode']),
  ]);
  const records = scene({
    objects: [...objects, record('Deformer', [30n, 'Deformer::skin', 'Skin']), ...parts],
    connections: [
      ...connections,
      connect(30n, 1n),
      ...bones.flatMap((bone) => [connect(30n + bone, 30n), connect(40n + bone, 30n + bone)]),
    ],
  });
  const context = createRendererContext(memoryFiles(new Map([['a.fbx', binaryFbx(7400, records)]])));
  const { instances } = await loadMesh('a.fbx', context, true);
  const moves = instances[0]?.moves;
  if (moves === undefined || !('bones' in moves)) throw new Error('it does not move');
  expect(moves.bones).toHaveLength(6);
  expect([...moves.indices.slice(0, 8)]).toEqual([4, 3, 2, 1, 5, 5, 5, 5]);
  expect([...moves.weights.slice(0, 8)].map((weight) => Math.round(weight * 14))).toEqual([
    5, 4, 3, 2, 14, 0, 0, 0,
  ]);
});

test('textures are found beside the file, wherever they were on the machine of its author, or in the file', async () => {
  const png = new Uint8Array(
    await sharp({ create: { width: 1, height: 1, channels: 3, background: '#ff0000' } })
      .png()
      .toBuffer(),
  );
  const painted = (...picture: readonly FbxRecord[]) =>
    scene({
      objects: [
        record('Material', [3n, 'Material::paint', '']),
        record('Texture', [4n, 'Texture::paint', ''], picture.slice(0, 1)),
        record('Video', [5n, 'Video::paint', 'Clip'], picture),
      ],
      connections: [connect(3n, 2n), connect(4n, 3n, 'DiffuseColor'), connect(5n, 4n)],
    });
  const foreign = record('FileName', ['C:\\Users\\Ada\\art\\textures\\Red.png']);
  const beside = await loaded(painted(foreign), { 'a/textures/red.png': png });
  const inside = await loaded(painted(foreign, record('Content', [png])));
  for (const { instances, omissions } of [beside, inside]) {
    expect(instances[0]?.material.baseColorTexture?.levels[0]?.data.slice(0, 3)).toEqual(
      Uint8Array.of(255, 0, 0),
    );
    expect(omissions).toBeUndefined();
  }
  const { omissions } = await loaded(painted(foreign));
  expect(omissions?.textures?.named).toEqual([
    { name: 'C:\\Users\\Ada\\art\\textures\\Red.png', reason: 'no such file' },
  ]);
});

test('surfaces of Maya and 3ds Max are read by their own names, not by those that stand in for them', async () => {
  const own = (prefix: string, color: string, roughness: string) =>
    loaded(
      scene({
        objects: [
          record(
            'Material',
            [3n, 'Material::paint', ''],
            [
              properties(
                vector('DiffuseColor', 0, 0, 0),
                vector(`${prefix}${color}`, 1, 0, 0),
                vector(`${prefix}${roughness}`, 0.25),
                vector(`${prefix}metalness`, 1),
              ),
            ],
          ),
        ],
        connections: [connect(3n, 2n)],
      }),
    );
  for (const { instances } of [
    await own('Maya|', 'baseColor', 'specularRoughness'),
    await own('3dsMax|Parameters|', 'base_color', 'roughness'),
  ])
    expect(instances[0]?.material).toMatchObject({ baseColor: [1, 0, 0, 1], roughness: 0.25, metallic: 1 });
});

test('vertices that do not exist or are not numbers cost their polygons alone', async () => {
  const mesh = meshRecords([0, 0, 0, 100, 0, 0, 0, 100, 0, Number.NaN, 0, 0], [0, 1, -3, 0, 1, -4, 0, 1, -9]);
  expect(await pointsOf(scene({ mesh }))).toEqual([
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
  ]);
});

test('an array that announces more numbers than it can hold, and a list in text that is cut, are refused', async () => {
  const bomb = binaryFbx(7400, scene({ mesh: meshRecords(Array<number>(60).fill(0), [0, 1, -3]) }));
  const at = Buffer.from(bomb).indexOf('Verticesd');
  new DataView(bomb.buffer, bomb.byteOffset).setUint32(at + 9, 60_000_000, true);
  await expect(
    loadMesh('a.fbx', createRendererContext(memoryFiles(new Map([['a.fbx', bomb]])))),
  ).rejects.toThrow('the FBX file is cut off or damaged');
  const cut = textFbx(7400, scene()).slice(0, -120);
  await expect(
    loadMesh('a.fbx', createRendererContext(memoryFiles(new Map([['a.fbx', cut]])))),
  ).rejects.toThrow('the FBX file is cut off');
});
