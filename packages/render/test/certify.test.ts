import sharp from 'sharp';
import { expect, test } from 'vitest';
import { Unrenderable } from '../../formats/src/reading/errors.ts';
import { certifyAsset } from '../src/certify-asset.ts';
import { MUJOCO_VERSION, memoryFiles } from '../src/index.ts';
import { ARM, WALKER } from './models/simulated.ts';

const certify = (text: string, kind = 'mjcf', entry = 'robot.xml') =>
  certifyAsset({
    kind,
    format: undefined,
    entry,
    files: memoryFiles(new Map([[entry, new TextEncoder().encode(text)]])),
  });

test.each([
  ['an arm', ARM],
  ['a walker', WALKER],
])('%s that is sound is certified without a problem, with what MuJoCo simulated', async (_name, robot) => {
  const { certification } = await certify(robot);
  expect(certification).toMatchObject({ mujoco: MUJOCO_VERSION, problems: [], losses: [] });
  expect(certification.rest?.seconds).toBeCloseTo(10);
  expect(certification.control?.energy.length).toBeGreaterThan(10);
});

test('the run is a short animation, and the same bytes each time', async () => {
  const [one, other] = [await certify(ARM), await certify(ARM)];
  expect(await sharp(one.animation).metadata()).toMatchObject({
    format: 'webp',
    width: 192,
    height: 192,
    loop: 0,
  });
  expect(Buffer.from(other.animation!).equals(Buffer.from(one.animation!))).toBe(true);
});

test('a robot that stands still is one picture for as long, and one that moves is many', async () => {
  const { animation } = await certify(ARM);
  const { pages = 0, delay = [] } = await sharp(animation).metadata();
  expect(Math.max(...delay)).toBeGreaterThan(500);
  expect(delay.reduce((sum, one) => sum + one, 0)).toBe(2_400);
  const frame = (page: number) => sharp(animation, { page }).raw().toBuffer();
  expect((await frame(1)).equals(await frame(pages - 1))).toBe(false);
});

test('a surface of five thousand triangles looks like what it approximates', async () => {
  const body = (geom: string) => `<mujoco><asset><mesh name="ball" builtin="sphere" params="4"/></asset>
    <worldbody><body><freejoint/><geom ${geom} mass="1"/></body></worldbody></mujoco>`;
  const [fine, exact] = await Promise.all(
    ['type="mesh" mesh="ball"', 'type="sphere" size="1"'].map(async (geom) => {
      const { animation } = await certify(body(geom));
      return sharp(animation).ensureAlpha().raw().toBuffer();
    }),
  );
  const distances = fine!.map((value, index) => Math.abs(value - exact![index]!));
  expect(distances.reduce((sum, one) => sum + one, 0) / distances.length).toBeLessThan(1);
});

test('a robot that explodes is simulated until then', async () => {
  const { certification } = await certify(
    ARM.replace('kp="100"', 'kp="1e9"').replace('forcerange="-60 60"', ''),
  );
  expect(certification.problems.map(({ code }) => code)).toContain('simulation-unstable');
  expect(certification.control?.seconds).toBeLessThan(10);
});

test('a model that MuJoCo rejects has that as its problem, and no picture', async () => {
  const { certification, animation } = await certify('<mujoco><worldbody><body/></worldbody></mujoco>');
  expect(certification.problems).toEqual([]);
  const rejected = await certify('<mujoco><worldbody><geom size="-1"/></worldbody></mujoco>');
  expect(rejected.certification.problems.map(({ code }) => code)).toEqual(['mjcf-does-not-compile']);
  expect([animation, rejected.animation]).toEqual([undefined, undefined]);
});

test('a model without anything to see has no picture', async () => {
  const { animation } = await certify(
    '<mujoco><worldbody><body><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>',
  );
  expect(animation).toBeUndefined();
});

test('a robot in URDF is simulated as the MJCF that it becomes', async () => {
  const pendulum = `<robot name="pendulum"><link name="base"/><link name="bob">
    <inertial><origin xyz="0 0 -.5"/><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 -.5"/><geometry><box size=".1 .1 1"/></geometry></visual></link>
    <joint name="hinge" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>`;
  const { certification } = await certify(pendulum, 'urdf', 'pendulum.urdf');
  expect(certification.problems).toEqual([]);
  expect(certification.rest?.seconds).toBeCloseTo(10);
});

test('fingers in URDF whose joints may be far too strong for them are not thrown apart', async () => {
  const link = (name: string, mass: number, moment: number) => `<link name="${name}">
    <inertial><origin xyz="0 0 .02"/><mass value="${mass}"/>
    <inertia ixx="${moment}" iyy="${moment}" izz="${moment}" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 .02"/><geometry><box size=".01 .01 .04"/></geometry></collision></link>`;
  const joint = (name: string, parent: string, child: string) => `<joint name="${name}" type="revolute">
    <origin xyz="0 0 .05"/><parent link="${parent}"/><child link="${child}"/><axis xyz="0 1 0"/>
    <limit lower="-.2" upper="1.5" effort="20" velocity="5"/></joint>`;
  const hand = `<robot name="hand"><link name="world"/>${link('palm', 1, 1e-3)}
    <joint name="mount" type="fixed"><parent link="world"/><child link="palm"/></joint>
    ${link('proximal', 0.01, 2e-6)}${joint('knuckle', 'palm', 'proximal')}
    ${link('tip', 0.005, 1e-6)}${joint('end', 'proximal', 'tip')}</robot>`;
  const { certification } = await certify(hand, 'urdf', 'hand.urdf');
  expect(certification.problems).toEqual([]);
  expect(certification.control?.seconds).toBeCloseTo(10);
});

test('what is no robot is refused', async () => {
  await expect(certify('solid cube', 'mesh', 'cube.stl')).rejects.toThrow(Unrenderable);
  await expect(certify('<robot>', 'urdf', 'broken.urdf')).rejects.toThrow(Unrenderable);
});
