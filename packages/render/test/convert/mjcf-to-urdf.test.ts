import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CLIENTS_PYTHON, missingPythonClients } from '../../../../test/python-clients.ts';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { canRun } from '../../../sdk/test/credentials/needed-programs.ts';
import { convertModel } from '../../src/convert/convert.ts';
import { inFolder } from '../models/folder.ts';
import { MECHANISM } from '../models/mechanism.ts';

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

async function converted(mjcf: string) {
  const files = memoryFiles(new Map([['robot.xml', new TextEncoder().encode(mjcf)]]));
  const request = { kind: 'mjcf', format: 'mjcf', entry: 'robot.xml', files, target: 'urdf' } as const;
  const { losses, proof, files: written, entry } = await convertModel(request);
  return { losses, proof, written, xml: text(written.get(entry)) };
}

test('a mechanism of MuJoCo becomes links and joints at the same places, which move alike for a second', async () => {
  const { proof } = await converted(MECHANISM);
  expect(proof.map(({ what }) => what)).toContain(
    'frames after a second of simulation without contacts, in metres',
  );
  expect(proof.filter(({ measured, bound }) => measured > bound)).toEqual([]);
});

test('what URDF cannot say is a loss by name', async () => {
  const { losses } = await converted(MECHANISM);
  const named = Object.fromEntries(losses.map(({ what, names }) => [what, names]));
  expect(named).toMatchObject({
    tendon: ['pull'],
    sensor: ['angle'],
    keyframe: ['home'],
    plane: ['floor', 'floor_collision'],
    ball: ['shoulder'],
    armature: ['wrist'],
    spring: ['wrist'],
    ellipsoid: ['head'],
    actuator: ['drive'],
    exclude: ['trunk hand'],
  });
});

test('several joints of a body hang on links in between that weigh a milligram', async () => {
  const { xml } = await converted(MECHANISM);
  expect(xml.match(/<joint name="shoulder_[xyz]" type="continuous">/g)).toHaveLength(3);
  expect(xml).toMatch(/<link name="lift_link">\s+<inertial>\s+<mass value="0.000001"\/>/);
  expect(xml).toMatch(/<mimic joint="wrist" multiplier="-0.5" offset="0\.3\d*"\/>/);
});

test('a robot that floats by itself is its own root, and others float in the world', async () => {
  const body = (name: string) =>
    `<body name="${name}" pos="0 0 1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>`;
  const alone = await converted(`<mujoco><worldbody>${body('a')}</worldbody></mujoco>`);
  expect(alone.xml).not.toContain('world');
  expect(alone.losses).toContainEqual({
    what: 'pose',
    names: ['a'],
    why: 'a root that floats begins at the origin',
  });
  const two = await converted(`<mujoco><worldbody>${body('a')}${body('b')}</worldbody></mujoco>`);
  expect(two.xml.match(/type="floating"/g)).toHaveLength(2);
  expect(two.losses.filter(({ what }) => what === 'pose')).toEqual([]);
});

test('a mesh with a texture becomes OBJ with a material, and what it collides with STL', async () => {
  const mjcf = `<mujoco><asset>
    <mesh name="../../sheet" vertex="0 0 0 1 0 0 0 1 0 0 0 1" texcoord="0 0 1 0 0 1 1 1"/>
    <texture name="checks" type="2d" builtin="checker" width="8" height="8" rgb1="1 0 0" rgb2="0 0 1"/>
    <material name="checks" texture="checks"/></asset>
    <worldbody><body name="sheet"><geom type="mesh" mesh="../../sheet" material="checks"/></body></worldbody></mujoco>`;
  const { written, xml } = await converted(mjcf);
  expect([...written.keys()]).toEqual([
    'robot.urdf',
    'meshes/texture_1.png',
    'meshes/_.._sheet.obj',
    'meshes/_.._sheet.mtl',
    'meshes/_.._sheet_collision.stl',
  ]);
  expect(xml).toContain('filename="meshes/_.._sheet.obj"');
  expect(text(written.get('meshes/_.._sheet.mtl'))).toContain('map_Kd texture_1.png');
});

describe.runIf(canRun('URDF', missingPythonClients()))('in other readers of URDF', () => {
  test('links are where MuJoCo has them, to a micrometre, and weigh what they weigh there', async () => {
    const { written } = await converted(MECHANISM);
    const files = new Map(written).set('robot.xml', new TextEncoder().encode(MECHANISM));
    const answer = inFolder(files, (folder) =>
      execFileSync(
        CLIENTS_PYTHON,
        [
          fileURLToPath(new URL('urdf-oracle.py', import.meta.url)),
          `${folder}/robot.urdf`,
          `${folder}/robot.xml`,
        ],
        { encoding: 'utf8' },
      ),
    );
    const { offsets, masses } = JSON.parse(answer.trim().split('\n').at(-1) ?? '');
    expect(Object.keys(offsets)).toEqual(['yourdfpy', 'pinocchio', 'pybullet']);
    for (const offset of Object.values(offsets)) expect(offset).toBeLessThan(1e-6);
    // With the links in between, of a milligram each.
    for (const mass of Object.values(masses)) expect(mass).toBeCloseTo(masses.mujoco, 4);
  });
});
