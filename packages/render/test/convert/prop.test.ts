import { expect, test } from 'vitest';
import { compileModel } from '../../../formats/src/mjcf/compile.ts';
import { copyModelFiles } from '../../../formats/src/mjcf/model-files.ts';
import { writeMjcf } from '../../../formats/src/mjcf/write.ts';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { type Prop, type PropMeasures, type PropOptions, readProp } from '../../src/convert/prop.ts';
import { withMujoco } from '../../src/host/mujoco.ts';
import { createRendererContext } from '../../src/host/renderer-context.ts';
import { type Profile, turned } from '../models/turned.ts';

const STEEL = 7_850;

function prop(obj: string, options: Partial<PropOptions> = {}) {
  const files = memoryFiles(new Map([['thing.obj', new TextEncoder().encode(obj)]]));
  const given = { name: 'thing', density: STEEL, ...options };
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

/** The longest side of a prop. */
function sideOf({ box: [low, high] }: PropMeasures): number {
  return Math.max(...high.map((value, axis) => value - (low[axis] ?? 0)));
}

/** What is said of a prop. */
function said({ mechanism }: Prop, of: string): string | undefined {
  return mechanism.losses.find(({ what }) => what === of)?.why;
}

test('a box weighs and turns as its sides and its density say', async () => {
  const [x, y, z] = [0.2, 0.1, 0.3];
  const { mechanism, measures } = await prop(box(x, y, z));
  const mass = STEEL * x * y * z;
  expect(measures).toMatchObject({ isClosed: true, parts: 1 });
  expect(sideOf(measures)).toBeCloseTo(0.3);
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
  expect(measures.isClosed).toBe(true);
  expect(measures.mass).toBeCloseTo(STEEL * 0.2 * 0.1 * 0.3, 4);
});

/** Two boxes of 0.2 m, the second this far along X from the first. */
function twoBoxes(apart: number): string {
  const [one, other] = [box(0.2, 0.2, 0.2), box(0.2, 0.2, 0.2)].map((text) => text.split('\n'));
  const moved = other!.map((line) =>
    line.startsWith('v')
      ? line.replace(/^v (\S+)/, (_, x) => `v ${Number(x) + apart}`)
      : line.replace(/\d+/g, (corner) => String(Number(corner) + 8)),
  );
  return [...one!, ...moved].join('\n');
}

test.each([
  ['share a wall', 0.2, 0.4],
  ['overlap', 0.15, 0.35],
])('two boxes that %s have what is in both of them once', async (_how, apart, length) => {
  const made = await prop(twoBoxes(apart));
  const mass = STEEL * length * 0.2 * 0.2;
  expect(made.measures.mass / mass).toBeCloseTo(1, 2);
  const { center } = made.mechanism.bodies[0]?.inertial ?? {};
  expect(center?.[0]).toBeCloseTo(apart / 2, 3);
});

test('what overlaps is said, with its share', async () => {
  expect(said(await prop(twoBoxes(0.15)), 'mass')).toMatch(
    /in 14 litres; what overlaps \(14 %\) counts once/,
  );
});

const OPEN = box(0.2, 0.2, 0.2).split('\n').slice(0, -1).join('\n');

test('a box without one side weighs nothing until its thickness or its mass is said', async () => {
  await expect(prop(OPEN)).rejects.toThrow(
    /^the mesh is open \(\d+ % of lines .*\): a shell of 0\.2 m² whose thickness nobody gave; give its thickness or its mass/,
  );
  const walls = await prop(OPEN, { thickness: 0.001 });
  expect(walls.measures).toMatchObject({ isClosed: false, mass: expect.closeTo(STEEL * 0.2 * 0.001, 6) });
  const { measures, mechanism } = await prop(OPEN, { density: undefined, mass: 2 });
  expect(measures.mass).toBeCloseTo(2);
  // Four of five walls of 0.4 kg stand 0.1 m from the middle; the missing one is along an axis.
  const centre = mechanism.bodies[0]?.inertial?.center.map(Math.abs) ?? [];
  expect(Math.max(...centre)).toBeCloseTo(0.02, 4);
});

test('a mesh of a size that fits in several units is refused with a question that names them, until one is said', async () => {
  await expect(prop(box(4, 4, 4))).rejects.toThrow(
    'nobody says what 1 in the file is: the mesh is 4 m long in metres, 4 cm long in centimetres, or 4 mm long in millimetres; give its unit: m, cm, or mm',
  );
  await expect(prop(box(200, 100, 100))).rejects.toThrow(
    'the mesh is 200 cm long in centimetres or 200 mm long in millimetres; give its unit: cm or mm',
  );
  const dice = await prop(box(4, 4, 4), { unit: 'mm', density: 1_000 });
  expect(dice.measures.mass).toBeCloseTo(0.000064, 9);
  expect(said(dice, 'unit of length')).toBeUndefined();
  expect(said(await prop(box(1.2, 0.8, 0.7)), 'unit of length')).toBe(
    'the format has none: 1.2 m long in metres, the only one in which props are as long',
  );
});

test.each([1e6, 1e-4])('a mesh of %d units is refused while nobody says what they are', async (side) => {
  await expect(prop(box(side, side, side))).rejects.toThrow(
    `the mesh is ${side} units long, as no prop is; give its unit or height`,
  );
});

test('a mesh stands as high as is said', async () => {
  const { measures } = await prop(box(20, 40, 10), { height: 0.1 });
  expect(sideOf(measures)).toBeCloseTo(0.1);
  expect(measures.mass).toBeCloseTo(STEEL * 0.1 * 0.05 * 0.025, 5);
});

test.each<[Partial<PropOptions>, RegExp]>([
  [{ density: undefined }, /a mesh has no mass: give a material, a density or its mass/],
  [{ mass: 1 }, /mass and density are two ways/],
  [{ unit: 'mm', height: 1 }, /unit and height are two ways/],
])('options %o are refused', async (options, message) => {
  await expect(prop(box(0.2, 0.2, 0.2), options)).rejects.toThrow(message);
});

test('a material gives density and friction; a mass that is said is more certain', async () => {
  const wooden = await prop(box(0.1, 0.1, 0.1), { density: undefined, material: 'wood' });
  expect(wooden.measures.mass).toBeCloseTo(0.7);
  const light = await prop(box(0.1, 0.1, 0.1), { density: undefined, material: 'wood', mass: 0.1 });
  expect(light.measures.mass).toBeCloseTo(0.1);
  const frictions = (made: Prop) => made.mechanism.bodies[0]?.shapes.map(({ friction }) => friction);
  for (const made of [wooden, light]) expect(frictions(made)).toEqual([undefined, 0.5]);
});

/** The area of a profile times the way of its centre around the axis (Pappus), in the units of the profile. */
function turnedVolume(profile: Profile): number {
  let volume = 0;
  for (const [at, [r, z]] of profile.entries()) {
    const [s, y] = profile[(at + 1) % profile.length]!;
    volume += ((r + s) * (r * y - s * z) * Math.PI) / 3;
  }
  return Math.abs(volume);
}

const RING: Profile = [
  [30, 0],
  [40, 0],
  [40, 10],
  [30, 10],
  [30, 0],
];

test('a ring weighs what is between its sides, and its hole stays open', async () => {
  const { measures, mechanism } = await prop(turned(RING), { unit: 'mm' });
  expect(Math.abs(measures.mass / (STEEL * turnedVolume(RING) * 1e-9) - 1)).toBeLessThan(0.02);
  expect(measures.parts).toBeGreaterThan(7);
  for (const { role, form } of mechanism.bodies[0]?.shapes ?? []) {
    if (role !== 'collision' || form.type !== 'mesh') continue;
    const { positions } = form.parts[0]!.geometry;
    const middle = [0, 1].map((axis) => {
      let sum = 0;
      for (let at = axis; at < positions.length; at += 3) sum += positions[at] ?? 0;
      return sum / (positions.length / 3);
    });
    expect(Math.hypot(...middle)).toBeGreaterThan(0.02);
  }
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
  const { mechanism } = await prop(turned(profile), { unit: 'mm', density: undefined, mass: 0.3 });
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
