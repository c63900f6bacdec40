import { expect, test } from 'vitest';
import { memoryFiles } from '../../formats/src/reading/asset-files.ts';
import { compileMjcf } from '../src/check-models.ts';
import { ARM, GRIPPER, WALKER } from './models/simulated.ts';

/** What is found in a model: the codes, or MuJoCo's refusal. */
async function findingsIn(xml: string): Promise<string[]> {
  const files = memoryFiles(new Map([['robot.xml', new TextEncoder().encode(xml)]]));
  const { issues, simulations } = await compileMjcf(['robot.xml'], files, {});
  return [
    ...issues.map(() => 'does-not-compile'),
    ...simulations.flatMap(({ problems }) => problems.map(({ code }) => code)),
  ];
}

/** A good robot with one text in it replaced by another. */
function withFault(robot: string, text: string, fault: string): string {
  if (!robot.includes(text)) throw new Error(`the robot has no ${text}`);
  return robot.replaceAll(text, fault);
}

test.each([
  ['an arm', ARM],
  ['a walker', WALKER],
  ['a gripper', GRIPPER],
])('%s that is sound has no problem', async (_name, robot) => {
  expect(await findingsIn(robot)).toEqual([]);
});

test('a range that does not limit its joint is none', async () => {
  const limited = 'range="0 2.4" limited="true"';
  expect(ARM).toContain(limited);
  expect(await findingsIn(ARM.replace(limited, 'range="1.5 2.4" limited="false"'))).toEqual([]);
});

test('stiff servos without a limit, that brake as hard as they push, put in what an arm gains', async () => {
  const servos = '<general gaintype="fixed" biastype="affine" gainprm="2000" biasprm="0 -2000 -200"/>';
  const arm = ARM.replace('<position kp="100" forcerange="-60 60"/>', servos)
    .replace('timestep="0.002"', 'timestep="0.002" integrator="implicitfast"')
    .replace('damping="2" armature="0.05"', 'damping="0"')
    .replaceAll('<position name', '<general name');
  expect(await findingsIn(arm)).toEqual([]);
});

test('a motor that says nothing of its range does not throw the finger that it moves', async () => {
  const finger = `<mujoco>
    <worldbody>
      <body name="finger">
        <joint name="knuckle" axis="0 1 0" range="-20 90"/>
        <geom type="box" size=".005 .005 .02" pos="0 0 .02" mass=".01"/>
      </body>
    </worldbody>
    <actuator><motor name="knuckle" joint="knuckle" gear="20"/></actuator>
  </mujoco>`;
  expect(await findingsIn(finger)).toEqual([]);
});

test('what an arm gains beyond what its motors put in is found while they run', async () => {
  const arm = ARM.replace('damping="2"', 'damping="-1"')
    .replace('timestep="0.002"', 'timestep="0.002" gravity="0 0 0"')
    .replace('<position kp="100" forcerange="-60 60"/>', '<motor ctrllimited="true" ctrlrange="-5 5"/>')
    .replaceAll(/<position (name="\w+" joint="\w+").*\/>/g, '<motor $1/>')
    .replace(' ctrl=".4 .9 0"', '');
  expect(await findingsIn(arm)).toContain('simulation-gains-energy');
});

test('legs that mirror each other are alike wherever on their axes the joints are', async () => {
  const leg = (side: string, y: number, axis: number) =>
    `<body name="${side}_leg" pos="0 ${y} -.2">
       <joint name="${side}_hip_roll" axis="${axis} 0 0" pos="${axis * 0.08} 0 0" range="-.3 1" damping="1"/>
       <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".03" mass="1"/>
     </body>`;
  const torso = `<mujoco>
    <compiler angle="radian"/>
    <worldbody>
      <body name="torso" pos="0 0 1">
        <geom type="box" size=".1 .1 .1" mass="4"/>${leg('left', 0.1, 1)}${leg('right', -0.1, -1)}
      </body>
    </worldbody>
  </mujoco>`;
  expect(await findingsIn(torso)).toEqual([]);
});

const KEY = 'ctrl=".4 .9 0"';
const FLOOR = '<geom name="floor" type="plane" size="2 2 .1"/>';
const CUP = '<geom type="cylinder" size=".03 .04" mass=".1"/>';
const TRUNK = '.03 .09 .1';
const THIGH = '.003 .003 .0005';

/** What is done to which robot, and the code by which it is found. */
const FAULTS: [fault: string, code: string, robot: string, text: string, replacement: string][] = [
  ['a link without mass', 'does-not-compile', ARM, 'mass=".6"', 'mass="0"'],
  ['a negative mass', 'does-not-compile', WALKER, 'mass=".3"', 'mass="-.3"'],
  ['an inertia that no body has', 'does-not-compile', WALKER, TRUNK, '.03 .03 .1'],
  ['an inertia of zero', 'does-not-compile', WALKER, TRUNK, '0 0 0'],
  ['swapped limits', 'does-not-compile', ARM, 'range="0 2.4" limited', 'range="2.4 0" limited'],
  ['a trunk of a thousand times its inertia', 'inertia-implausible', WALKER, TRUNK, '30 90 100'],
  ['a trunk of a thousandth of its inertia', 'inertia-implausible', WALKER, TRUNK, '3e-5 9e-5 1e-4'],
  ['thighs of a thousand times their inertia', 'inertia-implausible', WALKER, THIGH, '3 3 .5'],
  ['thighs of a millionth of their inertia', 'inertia-implausible', WALKER, THIGH, '3e-9 3e-9 5e-10'],
  ['the inertia of a placeholder', 'inertia-implausible', WALKER, THIGH, '.1 .1 .1'],
  ['the inertia of a unit cube', 'inertia-implausible', WALKER, TRUNK, '1 1 1'],
  ['a mass in tonnes', 'inertia-implausible', WALKER, 'mass="6"', 'mass=".006"'],
  ['a mass in grams', 'inertia-implausible', WALKER, 'mass="6"', 'mass="6000"'],
  ['limits in degrees', 'limits-implausible', ARM, 'range="-1.5 1.5" limited', 'range="-86 86" limited'],
  [
    'limits of knees in degrees',
    'limits-implausible',
    WALKER,
    'range="-2 -.1" limited',
    'range="-115 -6" limited',
  ],
  ['radians that are read as degrees', 'starts-outside-limits', WALKER, '<compiler angle="radian"/>', ''],
  ['a keyframe without controls', 'keyframe-not-held', ARM, KEY, ''],
  ['a keyframe with the controls of another', 'keyframe-not-held', ARM, KEY, 'ctrl="-1 2 0"'],
  [
    'limits that exclude the start',
    'starts-outside-limits',
    ARM,
    'range="0 2.4" limited',
    'range="1.5 2.4" limited',
  ],
  ['limits of mirrored knees', 'starts-outside-limits', WALKER, 'range="-2 -.1"', 'range=".1 2"'],
  [
    'a keyframe of another robot',
    'starts-outside-limits',
    WALKER,
    '.5 -1 .5 -1 .5 -1 .5 -1"',
    '.5 1 .5 1 .5 1 .5 1"',
  ],
  ['a slide in millimetres', 'starts-outside-limits', GRIPPER, 'range=".015 .07"', 'range="15 70"'],
  [
    'a floor that nothing touches',
    'falls-through-floor',
    WALKER,
    'name="floor"',
    'name="floor" contype="0" conaffinity="0"',
  ],
  [
    'a floor of other contacts',
    'falls-through-floor',
    WALKER,
    'name="floor"',
    'name="floor" contype="2" conaffinity="2"',
  ],
  [
    'a cup that nothing touches',
    'falls-through-floor',
    ARM,
    CUP,
    CUP.replace('/>', ' contype="0" conaffinity="0"/>'),
  ],
  [
    'a block of other contacts',
    'falls-through-floor',
    GRIPPER,
    'mass=".05"',
    'mass=".05" contype="2" conaffinity="2"',
  ],
  [
    'contacts that are switched off',
    'falls-through-floor',
    WALKER,
    '<option timestep="0.002"/>',
    '<option timestep="0.002"><flag contact="disable"/></option>',
  ],
  ['no floor', 'nothing-below', WALKER, FLOOR, ''],
  ['no table', 'nothing-below', ARM, FLOOR, ''],
  ['a floor above the robot', 'starts-in-collision', WALKER, 'name="floor"', 'name="floor" pos="0 0 .5"'],
  ['feet deep in the floor', 'starts-in-collision', WALKER, '0 0 .365 1', '0 0 .3 1'],
  ['a cup in the floor', 'starts-in-collision', ARM, '.5 .3 .04 1', '.5 .3 -.02 1'],
  ['a cup inside of the arm', 'starts-in-collision', ARM, '.5 .3 .04 1', '.07 0 .32 1'],
  ['a block inside of a finger', 'starts-in-collision', GRIPPER, 'pos="0 0 .0255"', 'pos=".04 0 .15"'],
  [
    'links that overlap',
    'starts-in-collision',
    ARM,
    'type="box" size=".03 .02 .03"',
    'type="sphere" size=".4"',
  ],
  [
    'a mesh in millimetres',
    'starts-in-collision',
    ARM,
    'size=".03 .02 .03" pos="0 0 .03"',
    'size="30 20 30" pos="0 0 30"',
  ],
  ['a negative gain', 'actuator-misses-target', ARM, 'kp="100"', 'kp="-100"'],
  [
    'a gear of the wrong sign',
    'actuator-misses-target',
    ARM,
    'joint="elbow" ctrl',
    'joint="elbow" gear="-1" ctrl',
  ],
  [
    'a servo in degrees',
    'actuator-misses-target',
    ARM,
    'joint="elbow" ctrlrange="0 2.4"',
    'joint="elbow" ctrlrange="0 137"',
  ],
  [
    'servos without strength',
    'actuator-misses-target',
    ARM,
    'forcerange="-60 60"',
    'forcerange="-.001 .001"',
  ],
  ['servos that only push', 'actuator-misses-target', ARM, 'forcerange="-60 60"', 'forcerange="0 60"'],
  ['two servos on one joint', 'actuator-misses-target', ARM, 'joint="wrist" ctrl', 'joint="elbow" ctrl'],
  ['a step of a tenth of a second', 'actuator-misses-target', ARM, 'timestep="0.002"', 'timestep="0.1"'],
  [
    'a servo beyond its limits',
    'actuator-misses-target',
    ARM,
    'joint="wrist" ctrlrange="-2 2"',
    'joint="wrist" ctrlrange="-9 9"',
  ],
  ['too stiff servos', 'simulation-unstable', ARM, 'kp="100" forcerange="-60 60"', 'kp="1e7"'],
  ['too strong motors', 'joint-passes-limit', GRIPPER, 'ctrlrange="-5 5"', 'ctrlrange="-1e7 1e7"'],
  ['damping against the motion', 'simulation-gains-energy', ARM, 'damping="2"', 'damping="-2"'],
  [
    'a coupling that starts apart',
    'simulation-gains-energy',
    GRIPPER,
    'joint2="right_slide"',
    'joint2="right_slide" polycoef=".2 1 0 0 0"',
  ],
  ['springs against the rest', 'joint-passes-limit', WALKER, 'damping="1"', 'damping="0" stiffness="-500"'],
  [
    'limits that give way',
    'joint-passes-limit',
    ARM,
    'range="-2 2" limited="true"',
    'range="-2 2" limited="true" damping=".01" solreflimit="2 1" solimplimit=".01 .01 .001"',
  ],
  ['no damping', 'actuator-misses-target', ARM, 'damping="2"', 'damping="0"'],
  ['no damping in legs', 'actuator-misses-target', WALKER, 'damping="1"', 'damping="0"'],
  [
    'a flipped axis',
    'joint-unlike-twin',
    WALKER,
    'front_left_knee" axis="0 1 0"',
    'front_left_knee" axis="0 -1 0"',
  ],
  [
    'a flipped hip',
    'joint-unlike-twin',
    WALKER,
    'rear_right_hip" axis="0 1 0"',
    'rear_right_hip" axis="0 -1 0"',
  ],
  [
    'a mirrored range',
    'joint-unlike-twin',
    WALKER,
    'front_left_knee" axis="0 1 0" range="-2 -.1"',
    'front_left_knee" axis="0 1 0" range=".1 2"',
  ],
  ['weight upwards', 'gravity-unusual', WALKER, 'timestep="0.002"', 'timestep="0.002" gravity="0 0 9.81"'],
  ['weight sidewards', 'gravity-unusual', WALKER, 'timestep="0.002"', 'timestep="0.002" gravity="0 -9.81 0"'],
  [
    'weight in millimetres',
    'gravity-unusual',
    WALKER,
    'timestep="0.002"',
    'timestep="0.002" gravity="0 0 -9810"',
  ],
  ['too little memory', 'simulation-unstable', WALKER, '<compiler', '<size memory="20K"/><compiler'],
  [
    'a turned axis',
    'joint-unlike-twin',
    WALKER,
    'front_left_knee" axis="0 1 0"',
    'front_left_knee" axis="0 0 1"',
  ],
  [
    'a trunk heavier than lead',
    'mass-implausible',
    WALKER,
    'mass="6" diaginertia=".03 .09 .1"',
    'mass="600" diaginertia="3 9 10"',
  ],
];

test.each(FAULTS)('%s is found as %s', async (_fault, code, robot, text, replacement) => {
  expect(await findingsIn(withFault(robot, text, replacement))).toContain(code);
});

test('a robot that another model of its asset includes is simulated within that model alone', async () => {
  const files = memoryFiles(
    new Map(
      Object.entries({
        'robot.xml': WALKER.replace(FLOOR, ''),
        'scene.xml': `<mujoco><include file="robot.xml"/><worldbody>${FLOOR}</worldbody></mujoco>`,
      }).map(([path, xml]) => [path, new TextEncoder().encode(xml)]),
    ),
  );
  const { simulations } = await compileMjcf(['robot.xml', 'scene.xml'], files, {});
  expect(simulations).toMatchObject([{ file: 'scene.xml', problems: [], rest: { seconds: 10 } }]);
});

test('the same model behaves the same each time', async () => {
  const files = memoryFiles(new Map([['robot.xml', new TextEncoder().encode(GRIPPER)]]));
  const run = async () => {
    const { simulations } = await compileMjcf(['robot.xml'], files, {});
    return simulations.map(({ speed: _, ...simulation }) => simulation);
  };
  const first = await run();
  expect(await run()).toEqual(first);
  expect(first).toHaveLength(1);
});
