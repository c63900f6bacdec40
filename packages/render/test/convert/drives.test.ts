import { expect, test } from 'vitest';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { readUsdMechanism } from '../../../formats/src/usd/mechanism.ts';
import { convertModel } from '../../src/convert/convert.ts';
import { createRendererContext } from '../../src/host/renderer-context.ts';

async function toUsd(actuators: string, joint = '') {
  const xml = `<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" ${joint}/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/></body></worldbody><actuator>${actuators}</actuator></mujoco>`;
  const files = memoryFiles(new Map([['a.xml', new TextEncoder().encode(xml)]]));
  const conversion = await convertModel({
    kind: 'mjcf',
    format: undefined,
    entry: 'a.xml',
    files,
    target: 'usd',
  });
  const { entry, files: written, losses, proof } = conversion;
  const read = await readUsdMechanism(entry, createRendererContext(memoryFiles(written)));
  return {
    proof,
    joint: read.bodies[0]?.joints[0],
    drives: read.actuators,
    losses: losses.map(({ what, names }) => [what, ...names].join(' ')),
  };
}

test('a servo becomes the drive of its joint, and a motor beside it is lost by name', async () => {
  const { drives, losses } = await toUsd(
    '<position name="s" joint="j" kp="9" kv="2"/><motor name="m" joint="j" gear="3" ctrlrange="-2 2"/>',
  );
  expect(drives).toMatchObject([{ joint: 'j', type: 'position', kp: 9, kv: 2 }]);
  expect(losses).toEqual(['actuator m', 'name s']);
});

test('a servo for speed and one for position are one drive with the gains of both', async () => {
  const { drives, losses } = await toUsd(
    '<position name="p" joint="j" kp="9"/><velocity name="v" joint="j" kv="2"/>',
  );
  expect(drives).toMatchObject([{ type: 'position', kp: 9, kv: 2 }]);
  expect(losses).toEqual(['actuator p v', 'name p']);
});

test('a force that is larger one way is the larger of both, and named', async () => {
  const { drives, losses, proof } = await toUsd('<position name="j" joint="j" kp="100" forcerange="-1 9"/>');
  expect(drives).toMatchObject([{ forceRange: [-9, 9] }]);
  expect(losses).toEqual(['forcerange j']);
  expect(proof.at(-1)?.what).toMatch(/j is at .* in the source and .* here: forcerange is lost$/);
});

test('a gear is that of the joint: gains, forces and controls are scaled', async () => {
  const { drives, losses } = await toUsd(
    '<position name="j" joint="j" kp="10" kv="1" gear="-2" ctrlrange="-1 3" forcerange="-5 5"/>',
  );
  expect(drives).toMatchObject([{ kp: 40, kv: 4, range: [-1.5, 0.5], forceRange: [-10, 10], gear: 1 }]);
  expect(losses).toEqual(['gear j', 'control range j']);
});

test('a motor alone leaves its force to its joint', async () => {
  const { drives, joint, losses } = await toUsd(
    '<general name="m" joint="j" gear="2" gainprm="5" ctrlrange="-1 1" forcerange="-4 4"/>',
  );
  expect(drives).toEqual([]);
  expect(joint?.effort).toBe(8);
  expect(losses).toEqual(['actuator m']);
});

test('a servo for speed keeps the spring and the damper of its joint beside it', async () => {
  const { drives, joint } = await toUsd(
    '<velocity name="j" joint="j" kv="3"/>',
    'stiffness="2" springref="20" damping="0.5"',
  );
  expect(drives).toMatchObject([{ type: 'velocity', kp: 0, kv: 3 }]);
  expect(joint).toMatchObject({ stiffness: 2, damping: 0.5 });
});

test('a general actuator that is a servo with another control goes to the same place', async () => {
  const { drives, losses } = await toUsd(
    '<general name="j" joint="j" biastype="affine" gainprm="0.5" biasprm="0 -100 -10" ctrlrange="0 200"/>',
  );
  expect(drives).toMatchObject([{ type: 'position', kp: 100, kv: 10, range: [0, 1] }]);
  expect(losses).toEqual(['actuator j', 'control range j']);
});

test.each([
  '<position joint="j" kp="4" timeconst="0.1"/><position joint="j" kp="5"/><motor joint="j"/>',
  '<position joint="j" kp="4" ctrlrange="-1 1"/>',
  '<velocity joint="j" kv="0.5" forcerange="-1 7"/><motor joint="j" ctrlrange="-3 1"/>',
  '<motor joint="j" gear="50" ctrlrange="-1 1"/><motor joint="j" ctrlrange="0 2"/>',
  '<intvelocity joint="j" kp="5" actrange="0 1"/><damper joint="j" kv="3" ctrlrange="0 1"/>',
  '<general joint="j" biastype="affine" biasprm="1 -2 0" gainprm="2"/><position joint="j" kp="3" gear="0"/>',
])('actuators %s refuse no conversion', async (actuators) => {
  for (const joint of [
    '',
    'damping="0.2"',
    'stiffness="4" springref="10" armature="0.1"',
    'actuatorfrcrange="-1 2"',
  ]) {
    const { proof } = await toUsd(actuators, joint);
    for (const { what, measured, bound } of proof) expect(measured, what).toBeLessThanOrEqual(bound);
  }
});
