import { existsSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SimReady } from '../../../formats/src/model/sim-ready.ts';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { readProp } from '../../src/convert/prop.ts';
import { type AssetFormat, convertAsset } from '../../src/convert-asset.ts';
import { createRendererContext } from '../../src/host/renderer-context.ts';
import { type Profile, turned } from '../models/turned.ts';

async function simReady(obj: string, options: SimReady, as: AssetFormat = 'mjcf') {
  const files = memoryFiles(new Map([['thing.obj', new TextEncoder().encode(obj)]]));
  const made = await convertAsset({ kind: 'mesh', format: 'obj', entry: 'thing.obj', files }, as, options);
  return { ...made, lost: made.losses.map(({ what }) => what), text: textOf(made.files.get(made.entry)) };
}

function textOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('latin1');
}

const CUBE = turned([
  [0, 0],
  [40, 0],
  [40, 60],
  [0, 60],
]);
const BALL: Profile = Array.from({ length: 17 }, (_, step) => {
  const angle = (step / 16) * Math.PI;
  return [step % 16 === 0 ? 0 : 40 * Math.sin(angle), -40 * Math.cos(angle)] as const;
});
const WOOD: SimReady = { material: 'wood', unit: 'mm' };

test('a mesh becomes a rigid body in MJCF, which falls, stands in a stack and is held between plates', async () => {
  const { text, proof, lost } = await simReady(CUBE, WOOD);
  const sides = 32 * 0.5 * Math.sin((2 * Math.PI) / 32);
  expect(Number(/mass="([^"]+)"/.exec(text)?.[1])).toBeCloseTo(700 * sides * 0.04 ** 2 * 0.06, 5);
  expect(text).toContain('<freejoint');
  expect(text).toMatch(/<geom [^>]*friction="0.5/);
  expect(lost).toEqual(['mass']);
  const tried = proof.filter(({ what }) => /volume of what collides|fall|stack|plates/.test(what));
  expect(tried).toHaveLength(4);
  for (const { what, measured, bound } of tried) expect(measured, what).toBeLessThanOrEqual(bound);
});

test('in USD its friction is a material of physics, and its mass and convex hulls are those of MJCF', async () => {
  const { text, lost, proof } = await simReady(CUBE, WOOD, 'usd');
  expect(text).toContain('PhysicsMaterialAPI');
  expect(text).toMatch(/physics:dynamicFriction = 0.5/);
  expect(text).toMatch(/physics:staticFriction = 0.5/);
  expect(text).toMatch(/float physics:mass = 0\.2/);
  expect(text).toContain('physics:approximation = "convexHull"');
  expect(lost).toContain('mass');
  expect(proof.length).toBeGreaterThan(10);
});

test('what a ball cannot do is said with numbers, and does not refuse it', async () => {
  const { losses, proof } = await simReady(turned(BALL), WOOD);
  expect(losses.find(({ what }) => what === 'stack of three')?.why).toMatch(
    /^three of it do not stand on each other: one gets aside by [\d.]+ of its length$/,
  );
  expect(proof.map(({ what }) => what)).toContainEqual(expect.stringMatching(/between two plates/));
});

test('convex parts that fill hollows say by how much', async () => {
  const thin: Profile = [
    [0, 0],
    [40, 0],
    [40, 90],
    [39.5, 90],
    [39.5, 0.5],
    [0, 0.5],
  ];
  const { losses } = await simReady(turned(thin), WOOD);
  expect(losses.find(({ what }) => what === 'volume of what collides')?.why).toMatch(
    /^\d+ convex parts enclose [\d.]+ litres, [\d.]+ % more than the mesh$/,
  );
});

test('the same mesh and options give the same bytes', async () => {
  const [one, other] = [await simReady(CUBE, WOOD), await simReady(CUBE, WOOD)];
  expect([...one.files]).toEqual([...other.files]);
});

test('robots keep their own masses, and glTF has none', async () => {
  const files = memoryFiles(new Map([['arm.urdf', new TextEncoder().encode('<robot name="arm"/>')]]));
  const robot = { kind: 'urdf', format: undefined, entry: 'arm.urdf', files };
  await expect(convertAsset(robot, 'mjcf', WOOD)).rejects.toThrow('only a mesh is made ready');
  await expect(simReady(CUBE, WOOD, 'glb')).rejects.toThrow('glTF has no rigid bodies');
});

/** Meshes that people published, their units, and their volumes in litres by trimesh. */
const DATA = new URL('../../../../../shared/data/', import.meta.url);
const REAL: [path: string, unit: 'm' | 'mm', litres: number][] = [
  ['raw/gazebo/create/meshes/create_body.dae', 'm', 3.6751],
  ['menagerie-dev/umi_gripper/assets/gopro.stl', 'm', 0.098876],
  ['menagerie-dev/umi_gripper/assets/right_finger.stl', 'm', 0.046942],
  ['menagerie-dev/trs_so_arm100/assets/Wrist_Pitch_Roll.stl', 'm', 0.030486],
  ['menagerie-dev/trs_so_arm100/assets/Fixed_Jaw.stl', 'm', 0.056833],
  ['menagerie-dev/trs_so_arm100/assets/Moving_Jaw.stl', 'm', 0.020205],
  ['menagerie-dev/trossen_wx250s/assets/wx250s_8_gripper_prop.stl', 'mm', 0.0023442],
  ['menagerie-dev/trossen_wx250s/assets/wx250s_7_gripper.stl', 'mm', 0.057727],
  ['menagerie-dev/wonik_allegro/assets/link_4.0.stl', 'm', 0.0034175],
  ['menagerie-dev/wonik_allegro/assets/base_link.stl', 'm', 0.146807],
];

test.skipIf(!existsSync(DATA)).each(REAL)('%s has the mass of its volume', async (path, unit, litres) => {
  const file = new URL(path, DATA);
  const sizes = new Map([[path, statSync(file).size]]);
  const context = createRendererContext({ sizes, read: async () => new Uint8Array(readFileSync(file)) });
  const { measures, proof, mechanism } = await readProp(
    path,
    { name: 'thing', density: 1_000, unit },
    context,
  );
  expect(measures).toMatchObject({ isClosed: true });
  expect(Math.abs(measures.mass / litres - 1)).toBeLessThan(0.02);
  const isTold = mechanism.losses.some(({ what }) => what === 'volume of what collides');
  expect(isTold).toBe(proof.length === 0);
});

test.skipIf(!existsSync(DATA))('a body of a vacuum cleaner stands in a stack of three', async () => {
  const file = new URL(REAL[0]![0], DATA);
  const files = memoryFiles(new Map([['body.dae', new Uint8Array(readFileSync(file))]]));
  const model = { kind: 'mesh', format: 'dae', entry: 'body.dae', files };
  const { losses, proof } = await convertAsset(model, 'mjcf', { material: 'plastic' });
  expect(losses.map(({ what }) => what)).not.toContain('stack of three');
  expect(proof.map(({ what }) => what)).toContainEqual(expect.stringMatching(/a stack of three gets/));
});
