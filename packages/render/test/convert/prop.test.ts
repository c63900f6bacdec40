import { expect, test } from 'vitest';
import { compileModel } from '../../../formats/src/mjcf/compile.ts';
import { copyModelFiles } from '../../../formats/src/mjcf/model-files.ts';
import { writeMjcf } from '../../../formats/src/mjcf/write.ts';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { type PropOptions, readProp } from '../../src/convert/prop.ts';
import { withMujoco } from '../../src/host/mujoco.ts';
import { createRendererContext } from '../../src/host/renderer-context.ts';
import { type Profile, turned } from '../models/turned.ts';

const STEEL = 7_850;

function prop(obj: string, options: Partial<PropOptions> = {}) {
  const files = memoryFiles(new Map([['thing.obj', new TextEncoder().encode(obj)]]));
  const given = { name: 'thing', weight: { density: STEEL }, ...options };
  return readProp('thing.obj', given, createRendererContext(files));
}

/** A box of these sides around the origin, in OBJ. */
function box(x: number, y: number, z: number): string {
  const corners = [-1, 1].flatMap((c) => [-1, 1].flatMap((b) => [-1, 1].map((a) => [a * x, b * y, c * z])));
  const faces = ['1 3 4 2', '5 6 8 7', '1 2 6 5', '3 7 8 4', '1 5 7 3', '2 4 8 6'];
  return [
    ...corners.map((corner) => `v ${corner.map((value) => value / 2).join(' ')}`),
    ...faces.map((face) => `f ${face}`),
  ].join('\n');
}

test('a box weighs and turns as its sides and its density say', async () => {
  const [x, y, z] = [0.2, 0.1, 0.3];
  const { mechanism, measures } = await prop(box(x, y, z));
  const mass = STEEL * x * y * z;
  expect(measures).toMatchObject({ isClosed: true, parts: 1, side: expect.closeTo(0.3) });
  expect(measures.mass).toBeCloseTo(mass, 4);
  // OBJ has Y up, and a mechanism Z.
  const moments = [y * y + z * z, x * x + y * y, x * x + z * z].map((squares) => (mass / 12) * squares);
  const { inertia, center } = mechanism.bodies[0]?.inertial ?? {};
  expect(center).toEqual([expect.closeTo(0), expect.closeTo(0), expect.closeTo(0)]);
  for (const [at, moment] of moments.entries()) expect(inertia?.[at]).toBeCloseTo(moment, 5);
});

/** A face with its corners the other way round from the first. */
function turnedRound(face: string): string {
  const [first, ...others] = face.split(' ').slice(1);
  return ['f', first, ...others.reverse()].join(' ');
}

test.each<[string, (face: string) => string[]]>([
  ['twice', (face) => [face, face]],
  ['from both sides', (face) => [face, turnedRound(face)]],
])('faces that are there %s count once', async (_how, doubled) => {
  const lines = box(0.2, 0.1, 0.3).split('\n');
  const twice = lines.flatMap((line) => (line.startsWith('f') ? doubled(line) : [line])).join('\n');
  const { measures } = await prop(twice);
  expect(measures).toMatchObject({ isClosed: true, warnings: [] });
  expect(measures.mass).toBeCloseTo(STEEL * 0.2 * 0.1 * 0.3, 4);
});

test('two boxes that share a wall are one solid, wall and all', async () => {
  const [one, other] = [box(0.2, 0.2, 0.2), box(0.2, 0.2, 0.2)].map((text) => text.split('\n'));
  const moved = other!.map((line) =>
    line.startsWith('v')
      ? line.replace(/^v (\S+)/, (_, x) => `v ${Number(x) + 0.2}`)
      : line.replace(/\d+/g, (corner) => String(Number(corner) + 8)),
  );
  const { measures } = await prop([...one!, ...moved].join('\n'));
  expect(measures.mass).toBeCloseTo(STEEL * 0.4 * 0.2 * 0.2, 3);
});

test('a box without one side has the inertia of its convex parts, and nobody knows its thickness', async () => {
  const open = box(0.2, 0.2, 0.2).split('\n').slice(0, -1).join('\n');
  const { measures } = await prop(open, { weight: { mass: 2 } });
  expect(measures).toMatchObject({
    isClosed: false,
    warnings: [expect.stringMatching(/open: .* a shell whose thickness nobody gave.* depend on the voxels/)],
  });
  expect(measures.mass).toBeCloseTo(2);
});

test('a mesh of a size that fits in metres and in millimetres says both, until its unit is said', async () => {
  const weight = { density: 1_000 };
  const { measures } = await prop(box(4, 4, 4), { weight });
  expect(measures).toMatchObject({ side: 4, mass: expect.closeTo(64_000) });
  expect(measures.warnings).toEqual([
    'nobody says what 1 in the file is: taken as metres (4 m long, 64000 kg), but it may be millimetres (0.004 m long, 0.000064 kg); give its unit',
  ]);
  const { measures: said } = await prop(box(4, 4, 4), { weight, unit: 'mm' });
  expect(said).toMatchObject({ side: 0.004, warnings: [] });
  expect((await prop(box(1.2, 0.8, 0.7), { weight })).measures.warnings).toEqual([]);
});

test.each<[string, Profile, number]>([
  [
    'a cup',
    [
      [0, 0],
      [40, 0],
      [40, 90],
      [36, 90],
      [36, 4],
      [0, 4],
    ],
    20,
  ],
  [
    'a vase with a neck',
    [
      [0, 0],
      [50, 0],
      [60, 60],
      [25, 120],
      [25, 160],
      [21, 160],
      [21, 120],
      [55, 60],
      [46, 4],
      [0, 4],
    ],
    12,
  ],
])('a ball that drops into %s reaches the bottom', async (_name, profile, radius) => {
  const { mechanism } = await prop(turned(profile), { unit: 'mm', weight: { mass: 0.3 } });
  const files = await writeMjcf(mechanism);
  const xml = new TextDecoder().decode(files.get('model.xml'));
  const ball =
    `<body name="ball" pos="0 0 .18"><freejoint/><inertial pos="0 0 0" mass=".02" diaginertia="1e-6 1e-6 1e-6"/>` +
    `<geom type="sphere" size="${radius / 1000}"/></body><geom type="plane" size="1 1 .1"/></worldbody>`;
  const scene = new Map([
    ...files,
    [
      'model.xml',
      new TextEncoder().encode(xml.replace('</worldbody>', `${ball}<option timestep=".001"/>`)),
    ] as const,
  ]);
  const height = await withMujoco(async (mujoco) => {
    const context = createRendererContext(memoryFiles(scene));
    const model = compileModel(mujoco, await copyModelFiles(mujoco, 'model.xml', context));
    const data = new mujoco.MjData(model);
    while (data.time < 1) mujoco.mj_step(model, data);
    const reached = (data.xpos as number[])[2 * 3 + 2] ?? 0;
    data.delete();
    model.delete();
    return reached;
  });
  expect(height - radius / 1000).toBeCloseTo(0.004, 2);
});

test.each([
  [
    200,
    undefined,
    'the mesh is 200 units long, too large for a prop; give its --unit: --unit mm makes that millimetres',
  ],
  [1e6, undefined, 'the mesh is 1000000 units long, too large for a prop; give its --unit'],
  [1e-4, undefined, 'the mesh is 0.0001 units long, too small for a prop; give its --unit'],
])('a mesh of %d units is refused while nobody says what they are', async (side, unit, message) => {
  await expect(prop(box(side, side, side), { unit })).rejects.toThrow(message);
});

test('a mesh whose unit is said has its size in metres', async () => {
  const { measures } = await prop(box(200, 100, 100), { unit: 'mm' });
  expect(measures.side).toBeCloseTo(0.2);
});
