import { expect, test } from 'vitest';
import type { Joint, Mechanism } from '../../../formats/src/model/mechanism.ts';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { forUrdf } from '../../../formats/src/urdf/adapt.ts';
import { readMoving, type Source, trialOf } from '../../src/convert/motion.ts';
import { simulationLines } from '../../src/convert/simulation.ts';
import { createRendererContext } from '../../src/host/renderer-context.ts';

const ARM = (joint = '', more = '') => `<mujoco><worldbody><body name="a" pos="0 0 1">
  <joint name="j" axis="0 1 0" damping="0.1" ${joint}/><geom size="0.05" type="capsule" fromto="0 0 0 0.4 0 0"/></body></worldbody>${more}</mujoco>`;

function read(text: string): Promise<Source> {
  const files = memoryFiles(new Map([['a.xml', new TextEncoder().encode(text)]]));
  return readMoving('a.xml', createRendererContext(files), false);
}

function withJoint(mechanism: Mechanism, changed: Partial<Joint>): Mechanism {
  const bodies = mechanism.bodies.map((body) => ({
    ...body,
    joints: body.joints.map((joint) => ({ ...joint, ...changed })),
  }));
  return { ...mechanism, bodies };
}

function lines(source: Source, result = forUrdf(source.mechanism)) {
  return simulationLines(source, forUrdf(source.mechanism), result, trialOf(source, false));
}

test('what moves alike is proved in one line', async () => {
  const [line, ...more] = await lines(await read(ARM()));
  expect(line?.what).toBe('frames after a second of simulation without contacts, in metres');
  expect(line?.measured).toBeLessThan(1e-9);
  expect(more).toEqual([]);
});

test('a difference by what is lost is said with its names and numbers, and what is kept is proved', async () => {
  const source = await read(ARM('stiffness="5" springref="30"', '<option wind="9 0 0" density="20"/>'));
  const [kept, difference] = await lines(source);
  expect(kept?.measured).toBeLessThan(1e-9);
  expect(difference?.what).toMatch(
    /^after a second without contacts j is at [\d.]+ rad in the source and [\d.]+ rad here: option\/@wind, option\/@density, spring are lost$/,
  );
  expect(difference?.measured).toBeGreaterThan(0.1);
});

test('a difference for which nothing is lost is refused', async () => {
  const source = await read(ARM());
  const result = withJoint(forUrdf(source.mechanism), { damping: 0.3 });
  await expect(lines(source, result)).rejects.toThrow(/not proved: frames after a second/);
});

test('what explains the way of calculating explains no other difference', async () => {
  const source = await read(ARM('', '<option integrator="implicitfast" solver="CG"/>'));
  const result = withJoint(forUrdf(source.mechanism), { damping: 0.3 });
  await expect(lines(source, result)).rejects.toThrow(/not proved: frames after a second/);
});

test.each<[string, (mechanism: Mechanism) => Mechanism]>([
  ['damping', (mechanism) => withJoint(mechanism, { damping: 0.2 })],
  ['armature', (mechanism) => withJoint(mechanism, { armature: 0.1 })],
  ['stiffness', (mechanism) => withJoint(mechanism, { stiffness: 4 })],
  ['friction', (mechanism) => withJoint(mechanism, { friction: 1 })],
  ['limits', (mechanism) => withJoint(mechanism, { limits: [-0.1, 0.1] })],
  ['gravity', (mechanism) => ({ ...mechanism, physics: { ...mechanism.physics, gravity: [0, 0, -9] } })],
])('a model whose %s was misread is refused, although other things are lost', async (_what, misread) => {
  const source = await read(ARM('stiffness="5" springref="30"', '<option wind="9 0 0" density="20"/>'));
  const wrong = { ...source, mechanism: misread(source.mechanism) };
  await expect(lines(wrong)).rejects.toThrow(/not proved: frames after a second/);
});

test.each([
  ['polynomial springs and damping', 'stiffness="5 9" springref="30"', ''],
  [
    'friction and limits with numbers for the solver',
    'range="-20 20" frictionloss="0.1" solreflimit="0.2 1" solimpfriction="0.2 0.3"',
    '',
  ],
  [
    'wind, water and another way of calculating',
    '',
    '<option density="900" viscosity="0.2" wind="1 2 3" integrator="RK4" timestep="0.004"/>',
  ],
  ['weights that are switched off', '', '<option gravity="1 2 3"><flag gravity="disable"/></option>'],
  [
    'springs, dampers and limits that are switched off',
    'stiffness="5" springref="30" range="-9 9"',
    '<option><flag spring="disable" damper="disable" limit="disable"/></option>',
  ],
  [
    'a tendon with a spring and limits',
    '',
    '<tendon><fixed stiffness="4" damping="1" springlength="0.5" limited="true" range="-0.1 0.1"><joint joint="j" coef="1"/></fixed></tendon>',
  ],
  ['an equality that is no coupling', '', '<equality><joint joint1="j" polycoef="0.3 0 0 0 0"/></equality>'],
  [
    'muscles, cylinders and filters',
    '',
    '<actuator><muscle joint="j" lengthrange="0 1"/><cylinder joint="j" bias="3 2 1"/><position joint="j" kp="9" timeconst="0.1"/></actuator>',
  ],
])(
  '%s are taken out of a model, which then moves as the mechanism that is read of it',
  async (_what, joint, more) => {
    const source = await read(ARM(joint, more));
    const proof = await lines(source);
    expect(proof[0]?.measured).toBeLessThan(1e-6);
  },
);

test('a model with very short steps is simulated for a part of a second', async () => {
  const [line] = await lines(await read(ARM('', '<option timestep="1e-6"/>')));
  expect(line?.what).toBe('frames after 0.01 seconds of simulation without contacts, in metres');
});
