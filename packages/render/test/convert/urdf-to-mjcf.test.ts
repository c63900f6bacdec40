import { expect, test } from 'vitest';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { Unrenderable } from '../../../formats/src/reading/errors.ts';
import { convertModel } from '../../src/convert/convert.ts';
import { towerStl } from '../models/robots.ts';

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

/** A prism with six sides, one corner of which is dented. */
const BRACKET = `${[0, 1].flatMap((z) => ['0 0', '2 0', '2 1', '1 1', '1 2', '0 2'].map((at) => `v ${at} ${z}`)).join('\n')}
f 6 5 4 3 2 1
f 7 8 9 10 11 12
f 1 2 8 7
f 2 3 9 8
f 3 4 10 9
f 4 5 11 10
f 5 6 12 11
f 6 1 7 12`;

/** Converts a robot of these elements, which may refer to `tower.stl` and `bracket.obj`. */
async function converted(elements: string) {
  const robot = `<robot name="walker">${elements}</robot>`;
  const files = new Map([
    ['walker.urdf', new TextEncoder().encode(robot)],
    ['meshes/tower.stl', towerStl()],
    ['meshes/bracket.obj', new TextEncoder().encode(BRACKET)],
    ['meshes/labelled.obj', new TextEncoder().encode(`${BRACKET}\nusemtl label\nf 1 2 3`)],
  ]);
  const request = { kind: 'urdf', format: 'urdf', entry: 'walker.urdf', files: memoryFiles(files) };
  const { losses, proof, files: written, entry } = await convertModel({ ...request, target: 'mjcf' });
  return { losses, proof, written, xml: text(written.get(entry)) };
}

const inertial = (
  mass: string,
  inertia = 'ixx="0.2" iyy="0.3" izz="0.4" ixy="0.01" ixz="-0.02" iyz="0.03"',
) =>
  `<inertial><origin xyz="0.1 -0.2 0.3" rpy="0.4 0.5 0.6"/><mass value="${mass}"/><inertia ${inertia}/></inertial>`;
const link = (name: string, content = inertial('2')) => `<link name="${name}">${content}</link>`;
const joint = (name: string, type: string, parent: string, child: string, more = '') =>
  `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/><origin xyz="0.1 0.2 0.3" rpy="0.3 -0.2 0.1"/><axis xyz="0 0.6 0.8"/>${more}</joint>`;
const RANGE = '<limit lower="-1" upper="2" effort="30" velocity="4"/>';

test('a walker keeps the mass of its base, which floats, and the proof says how exactly', async () => {
  const { xml, proof, losses } = await converted(
    link('base') +
      link('leg') +
      joint('hip', 'revolute', 'base', 'leg', `${RANGE}<dynamics damping="0.5" friction="0.1"/>`),
  );
  expect(xml).toContain('<freejoint name="base_free"/>');
  expect(xml.match(/mass="2"/g)).toHaveLength(2);
  expect(xml).toContain('range="-1 2" damping="0.5" frictionloss="0.1" actuatorfrcrange="-30 30"');
  expect(xml).toContain('<motor name="hip" joint="hip" ctrlrange="-30 30"/>');
  expect(proof.map(({ what }) => what)).toEqual([
    'masses of bodies, relative',
    'centres of mass, in metres',
    'inertias of bodies, relative',
    'limits, damping and friction of joints',
    'armature, springs, effort and speed of joints, relative',
    'bodies that float in one of both',
    'gravity, relative',
    'gains and limits of actuators, relative',
    'pairs of bodies that collide only in one of both',
    'triangles seen',
    'kinds, sizes, places and winding of what is seen, relative',
    'kinds, sizes, places and winding of collision shapes, relative',
    'frames of 2 bodies in 1000 random poses, in metres',
  ]);
  expect(losses).toEqual([{ what: 'velocity limit', names: ['hip'], why: 'MuJoCo has none for joints' }]);
});

test('an arm whose root is called world stands still, and what it holds overlaps its neighbour without a collision', async () => {
  const box = (name: string) =>
    link(name, `${inertial('1')}<collision><geometry><box size="1 1 1"/></geometry></collision>`);
  const { xml } = await converted(
    `<link name="world"/>${box('stand')}${box('arm')}${joint('foot', 'fixed', 'world', 'stand')}${joint('waist', 'continuous', 'stand', 'arm')}`,
  );
  expect(xml).not.toContain('freejoint');
  expect(xml).toContain('<exclude body1="stand" body2="arm"/>');
});

test.each(['floating', 'planar', 'prismatic', 'continuous', 'fixed'])(
  'a %s joint moves its link as URDF says',
  async (type) => {
    const { proof } = await converted(
      link('base') +
        link('middle') +
        link('end') +
        joint('first', type, 'base', 'middle', RANGE) +
        joint('last', 'revolute', 'middle', 'end', RANGE),
    );
    expect(proof.every(({ measured, bound }) => measured <= bound)).toBe(true);
  },
);

test('a joint that follows another is an equality, and a joint that closes a loop is a loss by name', async () => {
  const { xml, losses } = await converted(
    ['base', 'left', 'right'].map((name) => link(name)).join('') +
      joint('open', 'revolute', 'base', 'left', RANGE) +
      joint(
        'follow',
        'revolute',
        'base',
        'right',
        `${RANGE}<mimic joint="open" multiplier="-0.5" offset="0.25"/>`,
      ) +
      joint('close', 'fixed', 'left', 'right'),
  );
  expect(xml).toContain('<joint joint1="follow" joint2="open" polycoef="0.25 -0.5 0 0 0"/>');
  expect(losses).toContainEqual({ what: 'joint', names: ['close'], why: expect.stringContaining('loop') });
});

test('links of a robot that are inside of each other at rest pass through each other, by name', async () => {
  const ball = `${inertial('1')}<collision><geometry><sphere radius="1"/></geometry></collision>`;
  const { xml, losses } = await converted(
    link('base', ball) +
      link('arm') +
      link('hand', ball) +
      joint('shoulder', 'continuous', 'base', 'arm') +
      joint('wrist', 'continuous', 'arm', 'hand'),
  );
  expect(xml).toContain('<exclude body1="base" body2="hand"/>');
  expect(losses.map(({ what, names }) => [what, names])).toEqual([['collision', ['base hand']]]);
});

test('the inertia of a link of a tenth of a microgram is kept', async () => {
  const flea = inertial('1e-10', 'ixx="2e-16" iyy="2e-16" izz="2e-16" ixy="0" ixz="0" iyz="0"');
  const { xml } = await converted(link('dog') + link('flea', flea) + joint('hair', 'fixed', 'dog', 'flea'));
  expect(xml).toMatch(/mass="1e-10" diaginertia="[12]\.?\d*e-16 [12]\.?\d*e-16 [12]\.?\d*e-16"/);
});

test('a robot that cannot be at zero has a keyframe in which its joints are within their limits', async () => {
  const knee = '<limit lower="-2" upper="-1" effort="30" velocity="4"/>';
  const { xml } = await converted(
    link('base') +
      ['thigh', 'shank', 'spring'].map((name) => link(name)).join('') +
      joint('hip', 'revolute', 'base', 'thigh', RANGE) +
      joint('knee', 'revolute', 'thigh', 'shank', knee) +
      joint('follow', 'continuous', 'base', 'spring', '<mimic joint="knee" multiplier="2" offset="0.5"/>'),
  );
  expect(xml).toContain('<key name="rest" qpos="0 0 0 1 0 0 0 0 -1.5 -2.5"/>');
});

test('visuals and collision shapes are apart, meshes are shared, and a missing mesh is a loss by name', async () => {
  const mesh = (file: string, scale = '1 1 1') =>
    `<geometry><mesh filename="package://walker/meshes/${file}" scale="${scale}"/></geometry>`;
  const { xml, written, losses } = await converted(
    link(
      'base',
      `${inertial('1')}<visual>${mesh('tower.stl')}<material name="red"><color rgba="1 0 0 1"/></material></visual><visual>${mesh('tower.stl', '1 -2 1')}</visual><visual>${mesh('gone.stl')}</visual><collision>${mesh('tower.stl')}</collision>`,
    ),
  );
  expect([...written.keys()]).toEqual(['model.xml', 'meshes/tower.stl', 'meshes/tower_2.stl']);
  expect(xml).toContain('<geom name="base_visual" class="visual" type="mesh" mesh="tower" rgba="1 0 0 1"/>');
  expect(xml).toContain('<geom name="base_collision" class="collision" type="mesh" mesh="tower"/>');
  expect(losses).toEqual([
    { what: 'mesh', names: ['package://walker/meshes/gone.stl'], why: 'no such file' },
  ]);
});

test('a collision mesh that is hollow collides as its hull, by name, and a convex one is the same', async () => {
  const mesh = (file: string) =>
    `<collision name="${file}"><geometry><mesh filename="package://walker/meshes/${file}"/></geometry></collision>`;
  const { losses } = await converted(
    link('base', `${inertial('1')}${mesh('tower.stl')}${mesh('bracket.obj')}`),
  );
  expect(losses).toEqual([
    { what: 'collision mesh', names: ['bracket.obj'], why: expect.stringContaining('convex hull') },
  ]);
});

test('of a collision mesh in several materials only the flat parts are lost, by name', async () => {
  const mesh = '<collision><geometry><mesh filename="meshes/labelled.obj"/></geometry></collision>';
  const { xml, losses } = await converted(link('tower', inertial('2') + mesh));
  expect(losses).toContainEqual(
    expect.objectContaining({ what: 'collision mesh', why: expect.stringContaining('flat') }),
  );
  expect(xml.match(/<geom [^>]*mesh="/g)).toHaveLength(1);
});

test('a link that no body could be is changed as little as MuJoCo needs, by name', async () => {
  const { xml, losses } = await converted(
    link('base') +
      link('ghost', '') +
      link('plate', inertial('1', 'ixx="0.1" iyy="0.1" izz="0.5" ixy="0" ixz="0" iyz="0"')) +
      joint('first', 'continuous', 'base', 'ghost') +
      joint('second', 'fixed', 'base', 'plate'),
  );
  expect(losses.map(({ what, names }) => [what, names])).toEqual([
    ['inertia', ['plate']],
    ['mass', ['ghost']],
  ]);
  expect(xml).toContain('mass="0.000001"');
});

const CHAIN = Array.from({ length: 600 }, (_, at) => at);

test.each([
  [
    'links in a circle',
    link('a') + link('b') + joint('x', 'fixed', 'a', 'b') + joint('y', 'fixed', 'b', 'a'),
    'no link is the root: they hang in a circle',
  ],
  ['a mass that is not a number', link('a', inertial('nan')), 'mass of a is not a number: nan'],
  ['a negative mass', link('a', inertial('-1')), 'the mass of a is -1'],
  ['an inertia without end', link('a', inertial('1', 'ixx="1e999"')), 'ixx of a is not a number: 1e999'],
  ['two links of one name', link('a') + link('a'), 'two links are called a'],
  [
    'a joint that holds nothing',
    link('a') + joint('x', 'fixed', 'a', 'b'),
    'the child of x is not a link: b',
  ],
  [
    'a chain without end',
    CHAIN.map((at) => link(`l${at}`) + (at > 0 ? joint(`j${at}`, 'fixed', `l${at - 1}`, `l${at}`) : '')).join(
      '',
    ),
    'nested deeper than 480 levels',
  ],
])('a robot with %s is refused in words', async (_name, elements, message) => {
  await expect(converted(elements)).rejects.toThrow(new Unrenderable(message));
});
