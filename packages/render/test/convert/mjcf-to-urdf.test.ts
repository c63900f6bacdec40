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

const ARM = (joint: string, more = '') =>
  `<worldbody><body name="a" pos="0 0 1" ${more}><joint name="j" axis="0 1 0" ${joint}/>
    <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/><body name="b" pos=".3 0 0"><joint name="k" axis="0 1 0" damping=".02"/>
    <geom type="capsule" fromto="0 0 0 .2 0 .1" size=".02"/></body></body></worldbody>`;

const SWINGS: [what: string, mjcf: string][] = [
  ['an arm on a spring', `<mujoco>${ARM('stiffness="3" springref="20" damping=".1"')}</mujoco>`],
  ['an arm with a heavy rotor', `<mujoco>${ARM('armature=".2" damping=".1"')}</mujoco>`],
  ['an arm without weight', `<mujoco>${ARM('damping=".1"', 'gravcomp="1"')}</mujoco>`],
  [
    'an arm on the moon',
    `<mujoco><option gravity="0 0 -1.62" timestep=".0005" integrator="implicitfast"/>${ARM('damping=".1"')}</mujoco>`,
  ],
  ['an arm under water', `<mujoco><option density="1000" viscosity=".1"/>${ARM('damping=".1"')}</mujoco>`],
  [
    'an arm on a tendon',
    `<mujoco>${ARM('damping=".1"')}<tendon><fixed stiffness="2" springlength=".3"><joint joint="j" coef="1"/></fixed></tendon></mujoco>`,
  ],
  [
    'an arm whose end is held',
    `<mujoco>${ARM('damping=".1"')}<equality><weld body1="b"/></equality></mujoco>`,
  ],
];

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

  test.each(SWINGS)(
    'the proof says where %s swings in MuJoCo, and where what it became does',
    async (_what, mjcf) => {
      const { proof, written } = await converted(mjcf);
      const files = new Map(written).set('robot.xml', new TextEncoder().encode(mjcf));
      const answer = inFolder(files, (folder) =>
        execFileSync(
          CLIENTS_PYTHON,
          [
            fileURLToPath(new URL('simulation-oracle.py', import.meta.url)),
            `${folder}/robot.xml`,
            `${folder}/robot.urdf`,
          ],
          { encoding: 'utf8' },
        ),
      );
      const [source, result] = JSON.parse(answer.trim().split('\n').at(-1) ?? '');
      expect(result.mass).toBeCloseTo(source.mass, 5);
      const said = proof.map(({ what }) => what).find((what) => what.includes('in the source'));
      const [, joint = '', one, other] =
        / (\w+) is at (\S+) rad in the source and (\S+) rad here/.exec(said ?? '') ?? [];
      expect(Number(one)).toBeCloseTo(source.joints[joint], 2);
      expect(Number(other)).toBeCloseTo(result.joints[joint], 2);
    },
  );
});
