import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { CLIENTS_PYTHON, missingPythonClients } from '../../../../test/python-clients.ts';
import { readMjcfMechanism } from '../../../formats/src/mjcf/mechanism.ts';
import { loadMjcf } from '../../../formats/src/mjcf/read.ts';
import { placeBodies } from '../../../formats/src/model/kinematics.ts';
import { loadMesh } from '../../../formats/src/read.ts';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { readUsdMechanism } from '../../../formats/src/usd/mechanism.ts';
import { canRun } from '../../../sdk/test/credentials/needed-programs.ts';
import { type Conversion, convertModel } from '../../src/convert/convert.ts';
import { createRendererContext } from '../../src/host/renderer-context.ts';
import { statisticsOf } from '../../src/statistics.ts';
import { machineFiles } from '../models/machine.ts';
import { obj } from '../models/meshes.ts';

function pylonFiles(): Map<string, Uint8Array> {
  const pylon = obj();
  return new Map([
    ['pylon.obj', pylon.obj],
    ['pylon.mtl', pylon.mtl],
  ]);
}

async function convertedMachine(): Promise<Conversion> {
  const files = memoryFiles(await machineFiles());
  return convertModel({ kind: 'mjcf', format: 'mjcf', entry: 'machine.xml', files, target: 'usd' });
}

function layerOf({ entry, files }: Conversion): string {
  return new TextDecoder().decode(unzipSync(files.get(entry) ?? new Uint8Array())['model.usda']);
}

test('a robot becomes USD in which every body weighs the same and goes the same ways', async () => {
  const { proof } = await convertedMachine();
  expect(proof.map(({ what }) => what)).toContain('frames of 7 bodies in 1000 random poses, in metres');
  for (const { what, measured, bound } of proof) expect(measured, what).toBeLessThanOrEqual(bound);
});

test('files in the archive are stored, each at a multiple of 64 bytes', async () => {
  const { entry, files } = await convertedMachine();
  const archive = Buffer.from(files.get(entry) ?? []);
  const starts: number[] = [];
  for (let at = 0; archive.readUInt32LE(at) === 0x04034b50; ) {
    expect(archive.readUInt16LE(at + 8)).toBe(0);
    const start = at + 30 + archive.readUInt16LE(at + 26) + archive.readUInt16LE(at + 28);
    starts.push(start % 64);
    at = start + archive.readUInt32LE(at + 18);
  }
  expect(starts).toEqual([0, 0]);
});

test('names that USD does not allow are kept beside others', async () => {
  const layer = layerOf(await convertedMachine());
  expect(layer).toMatch(/def Xform "left_base" \([^)]*displayName = "left\/base"/);
  expect(layer).toMatch(/def Xform "_1st_arm" \([^)]*displayName = "1st arm"/);
});

test('a mesh that is placed twice is stored once', async () => {
  const layer = layerOf(await convertedMachine());
  expect(layer.match(/prepend references = <\/my_machine\/Meshes\/tower\w*>/g)?.length).toBe(3);
  expect(layer.match(/def Mesh "tower\w*"\n/g)?.length).toBe(1);
});

test('what USD cannot say is lost by name, and kept as data where a joint has it', async () => {
  const conversion = await convertedMachine();
  expect(conversion.losses.map(({ what, names }) => [what, ...names].join(' '))).toEqual([
    'keyframe home',
    'plane floor',
    'actuator actuator_1',
    'body 1st arm',
    'armature swing',
    'joint friction swing',
    'name servo actuator_2',
    'coupled joint curl',
    'damping loose',
  ]);
  const layer = layerOf(conversion);
  expect(layer).toContain('string mimics = "swing"; double multiplier = 0.5');
  expect(layer).toContain('rel newton:mimicJoint = </my_machine/Joints/swing>');
  expect(layer).toContain('float newton:armature = ');
});

test('an inertia that OpenUSD takes for none is written, and named', async () => {
  const mjcf = `<mujoco><worldbody><body name="chip"><freejoint/><geom size="0.01" mass="0.01"/></body>
    <body name="ball" pos="1 0 0"><freejoint/><geom size="0.1" mass="1"/></body></worldbody></mujoco>`;
  const files = memoryFiles(new Map([['a.xml', new TextEncoder().encode(mjcf)]]));
  const request = { kind: 'mjcf', format: undefined, entry: 'a.xml', files, target: 'usd' } as const;
  const { losses } = await convertModel(request);
  expect(losses).toEqual([
    expect.objectContaining({ what: 'small inertia', names: ['chip'] }),
    expect.objectContaining({ what: 'SimReady', names: ['SL.MAT.001'] }),
  ]);
});

test('a robot whose root is the world itself loses the mass of this, by name', async () => {
  const inertial =
    '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>';
  const urdf = `<robot name="r"><link name="world">${inertial}</link><link name="arm">${inertial}</link>
    <joint name="j" type="continuous"><parent link="world"/><child link="arm"/></joint></robot>`;
  const files = memoryFiles(new Map([['r.urdf', new TextEncoder().encode(urdf)]]));
  const request = { kind: 'urdf', format: undefined, entry: 'r.urdf', files, target: 'usd' } as const;
  const { losses } = await convertModel(request);
  expect(losses).toEqual([expect.objectContaining({ what: 'mass', names: ['world'] })]);
});

test('what stands in the world passes through what moves as it did', async () => {
  const mjcf = `<mujoco><worldbody><body name="stand"><geom size="0.1" mass="0"/><body name="arm" pos="0.1 0 0">
    <joint axis="0 1 0"/><geom size="0.1"/></body></body></worldbody>
    <contact><exclude body1="stand" body2="arm"/></contact></mujoco>`;
  const files = memoryFiles(new Map([['a.xml', new TextEncoder().encode(mjcf)]]));
  const request = { kind: 'mjcf', format: undefined, entry: 'a.xml', files } as const;
  const { entry, files: written } = await convertModel({ ...request, target: 'usd' });
  const { excluded } = await readUsdMechanism(entry, createRendererContext(memoryFiles(written)));
  expect(excluded).toEqual([['arm', 'stand']]);
});

test('a mesh becomes USD with its materials', async () => {
  const files = memoryFiles(pylonFiles());
  const request = { kind: 'mesh', format: 'obj', entry: 'pylon.obj', files } as const;
  const { entry, files: written } = await convertModel({ ...request, target: 'usd' });
  const source = await loadMesh('pylon.obj', createRendererContext(files));
  const scene = await loadMesh(entry, createRendererContext(memoryFiles(written)));
  expect(statisticsOf(scene, undefined).triangles).toBe(statisticsOf(source, undefined).triangles);
  const colors = (one: typeof scene) => one.instances.map(({ material }) => material.baseColor);
  expect(colors(scene)).toEqual(colors(source));
});

describe.runIf(canRun('openusd', missingPythonClients()))('in OpenUSD', () => {
  test('a converted robot breaks no rule and has its bodies, joints and shapes', async () => {
    const { entry, files } = await convertedMachine();
    const folder = mkdtempSync(join(tmpdir(), 'bindery-usd-'));
    try {
      writeFileSync(join(folder, entry), files.get(entry) ?? new Uint8Array());
      const program = fileURLToPath(new URL('usd-physics-oracle.py', import.meta.url));
      const answer = execFileSync(CLIENTS_PYTHON, [program, join(folder, entry)], { encoding: 'utf8' });
      const { findings, bodies, joints, apart, triangles } = JSON.parse(answer);
      expect(findings).toEqual([]);
      const source = await readMjcfMechanism(
        'machine.xml',
        createRendererContext(memoryFiles(await machineFiles())),
      );
      const places = placeBodies(source, new Map());
      const placed = (name: string) => places.get(name)?.slice(12, 15) ?? [];
      const expected = source.bodies.flatMap(({ name, inertial }) =>
        inertial === undefined ? [] : [[name, inertial.mass, ...inertial.center, ...placed(name)]],
      );
      // Between the two joints of the arm there is a body of a milligram.
      const between = ['swing_body', 1e-6, 0, 0, 0, ...placed('1st arm')];
      expect(rounded(bodies)).toEqual(rounded([...expected, between]));
      expect(rounded(joints)).toEqual([
        ['PhysicsFixedJoint', 'left_base_fixed'],
        ['PhysicsPrismaticJoint', 'reach', 0, 0.3],
        ['PhysicsRevoluteJoint', 'curl'],
        ['PhysicsRevoluteJoint', 'swing', -57.29578, 114.59156],
        ['PhysicsSphericalJoint', 'neck'],
      ]);
      expect(apart).toBeLessThan(1e-6);
      const scene = await loadMjcf('machine.xml', createRendererContext(memoryFiles(await machineFiles())));
      expect(triangles).toBe(statisticsOf(scene, undefined).triangles);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function rounded(bodies: readonly (readonly (string | number | undefined)[])[]): unknown[] {
  return bodies
    .map((body) => body.map((value) => (typeof value === 'number' ? Number(value.toFixed(5)) + 0 : value)))
    .sort((a, b) => String(a[0]).localeCompare(String(b[0])) || String(a[1]).localeCompare(String(b[1])));
}
