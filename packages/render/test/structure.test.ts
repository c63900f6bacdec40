import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { tellCases } from '../../../test/tallies.ts';
import { readMechanism } from '../../formats/src/read.ts';
import { canRun } from '../../sdk/test/credentials/needed-programs.ts';
import { createRendererContext } from '../src/host/renderer-context.ts';
import { memoryFiles } from '../src/index.ts';
import { inFolder } from './models/folder.ts';

async function faultsOf(kind: 'urdf' | 'sdf', content: string) {
  const entry = `robot.${kind}`;
  const context = createRendererContext(memoryFiles(new Map([[entry, new TextEncoder().encode(content)]])));
  const { faults } = await readMechanism({ kind, entry }, context, { roles: [], packages: 'absent' });
  return faults;
}

const BOX = '<geometry><box size="1 1 1"/></geometry>';
const robot = (content: string, attributes = 'name="r"') => `<robot ${attributes}>${content}</robot>`;
const part = (name: string, content = '') => `<link name="${name}">${content}</link>`;
const two = part('a') + part('b');
const LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>';
const hinge = (content = LIMIT, name = 'j', parent = 'a', child = 'b', type = 'revolute') =>
  `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/>${content}</joint>`;
const inertial = (mass: string, inertia = 'ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"') =>
  part('a', `<inertial><mass ${mass}/><inertia ${inertia}/></inertial>`);

/** Robots that are sound, by what they have. */
const SOUND: Readonly<Record<string, string>> = {
  'one link': robot(part('a', `<visual>${BOX}</visual>`)),
  'a joint with its limit': robot(two + hinge()),
  'a fixed joint': robot(two + hinge('', 'j', 'a', 'b', 'fixed')),
  'a continuous joint without a limit': robot(two + hinge('', 'j', 'a', 'b', 'continuous')),
  'a frame without mass': robot(inertial('value="0"', 'ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"')),
  'a follower': robot(
    `${two + part('c') + hinge()}${hinge(`${LIMIT}<mimic joint="j" multiplier="-1"/>`, 'k', 'b', 'c')}`,
  ),
  'a named material': robot(
    `<material name="m"><color rgba="1 0 0 1"/></material>${part('a', `<visual>${BOX}<material name="m"/></visual>`)}`,
  ),
};

/** Robots that `urdfdom` refuses, and the words that say why. */
const REFUSED: Readonly<Record<string, readonly [robot: string, words: string]>> = {
  'no name': [robot(part('a'), ''), 'no name'],
  'no links': [robot(''), 'no links'],
  'two roots': [robot(two + part('c') + hinge()), '2 roots: a, c'],
  'no root': [robot(two + hinge() + hinge(LIMIT, 'k', 'b', 'a')), 'circle'],
  'a link twice': [robot(part('a') + part('a')), 'two links are called a'],
  'a joint twice': [
    robot(two + part('c') + hinge() + hinge(LIMIT, 'j', 'a', 'c')),
    'two joints are called j',
  ],
  'a material twice': [
    robot(`<material name="m"><color rgba="1 0 0 1"/></material>`.repeat(2) + part('a')),
    'two materials are called m',
  ],
  'a parent that is not there': [robot(two + hinge(LIMIT, 'j', 'z')), 'parent of j is not a link: z'],
  'a child that is not there': [
    robot(part('a') + hinge(LIMIT, 'j', 'a', 'z')),
    'child of j is not a link: z',
  ],
  'an unknown type': [robot(two + hinge(LIMIT, 'j', 'a', 'b', 'hinge')), 'unknown type: hinge'],
  'a hinge without a limit': [robot(two + hinge('')), 'has no limit'],
  'a limit without effort': [
    robot(two + hinge('<limit lower="0" upper="1" velocity="1"/>')),
    'effort of j is missing',
  ],
  'a limit without velocity': [
    robot(two + hinge('<limit lower="0" upper="1" effort="1"/>')),
    'velocity of j is missing',
  ],
  'a word for a limit': [
    robot(two + hinge('<limit lower="low" upper="1" effort="1" velocity="1"/>')),
    'lower of j is not a number: low',
  ],
  'a word for a mass': [robot(inertial('value="heavy"')), 'mass of a is not a number: heavy'],
  'no mass': [
    robot(part('a', '<inertial><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>')),
    'mass of a is missing',
  ],
  'half an inertia': [robot(inertial('value="1"', 'ixx="1" iyy="1" izz="1"')), 'ixy of a is missing'],
  'an origin of two numbers': [
    robot(two + hinge(`${LIMIT}<origin xyz="1 2"/>`)),
    'xyz of j is not 3 numbers: 1 2',
  ],
  'an axis of words': [robot(two + hinge(`${LIMIT}<axis xyz="0 0 z"/>`)), 'xyz of j is not 3 numbers'],
  'a visual without geometry': [robot(part('a', '<visual/>')), 'a visual of a has no geometry'],
  'an unknown form': [
    robot(part('a', '<visual><geometry><cone/></geometry></visual>')),
    'unknown form: cone',
  ],
  'a sphere without radius': [
    robot(part('a', '<visual><geometry><sphere/></geometry></visual>')),
    'radius of a is missing',
  ],
  'a mesh without a file': [
    robot(part('a', '<visual><geometry><mesh/></geometry></visual>')),
    'names no file',
  ],
  'a follower of nothing': [robot(two + hinge(`${LIMIT}<mimic/>`)), 'follows a joint that does not exist'],
  'dynamics that say nothing': [robot(two + hinge(`${LIMIT}<dynamics/>`)), 'neither damping nor friction'],
};

/** What `urdfdom` lets pass and no simulator can do. */
const IMPOSSIBLE: Readonly<Record<string, readonly [robot: string, words: string]>> = {
  'two parents': [
    robot(two + part('c') + hinge() + hinge(LIMIT, 'k', 'a', 'c') + hinge(LIMIT, 'l', 'b', 'c')),
    'c hangs on two joints: k and l',
  ],
  'a circle beside the tree': [
    robot(part('r') + two + hinge() + hinge(LIMIT, 'k', 'b', 'a')),
    'go round in a circle',
  ],
  'an axis without length': [
    robot(two + hinge(`${LIMIT}<axis xyz="0 0 0"/>`)),
    'the axis of j has no length',
  ],
  'reversed limits': [
    robot(two + hinge('<limit lower="1" upper="-1" effort="1" velocity="1"/>')),
    'the limits of j are reversed: 1 is above -1',
  ],
  'negative damping': [
    robot(two + hinge(`${LIMIT}<dynamics damping="-1"/>`)),
    'the damping of j is negative: -1',
  ],
  'a negative mass': [robot(inertial('value="-1"')), 'the mass of a is -1'],
  'moments that no body has': [
    robot(inertial('value="1"', 'ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"')),
    'no body has the inertia of a: 1, 1, 3, 0, 0, 0',
  ],
};

describe('a robot in URDF', () => {
  test.each(Object.entries(SOUND))('with %s has no fault', async (_name, content) => {
    expect(await faultsOf('urdf', content)).toEqual([]);
  });

  test.each(Object.entries({ ...REFUSED, ...IMPOSSIBLE }))(
    'with %s has a fault, and where it is',
    async (_name, [content, words]) => {
      const faults = await faultsOf('urdf', `\n${content}`);
      expect(faults.map(({ message }) => message).join('; ')).toContain(words);
      expect(faults[0]).toMatchObject({ file: 'robot.urdf', line: 2 });
    },
  );

  test('is read as far as it makes sense, whatever its faults are', async () => {
    for (const [content] of Object.values({ ...REFUSED, ...IMPOSSIBLE })) {
      const context = createRendererContext(memoryFiles(new Map([['r.urdf', Buffer.from(content)]])));
      const { bodies } = await readMechanism({ kind: 'urdf', entry: 'r.urdf' }, context);
      expect(new Set(bodies.map(({ name }) => name)).size).toBe(bodies.length);
    }
  });
});

describe.runIf(canRun('URDF', existsSync('/usr/bin/check_urdf') ? [] : ['liburdfdom-tools']))(
  'the library of URDF',
  () => {
    const accepts = (content: string) =>
      inFolder(new Map([['r.urdf', new TextEncoder().encode(content)]]), (folder) => {
        const { status, stderr } = spawnSync('check_urdf', [`${folder}/r.urdf`], { encoding: 'utf8' });
        // What it cannot parse of a link it leaves out, with an error.
        return status === 0 && !/Error:/.test(stderr);
      });

    test('opens the robots without faults, and refuses the others', () => {
      const differing = [
        ...Object.entries(SOUND).filter(([, content]) => !accepts(content)),
        ...Object.entries(REFUSED).filter(([, [content]]) => accepts(content)),
      ];
      tellCases('urdfdom', Object.keys({ ...SOUND, ...REFUSED }).length, differing.length);
      expect(differing).toEqual([]);
    });
  },
);

const CUBE = '<visual name="v"><geometry><box><size>1 1 1</size></box></geometry></visual>';
const sdf = (content: string, attributes = 'name="m"') =>
  `<sdf version="1.9"><model ${attributes}>${content}</model></sdf>`;
const body = (name: string, content = CUBE) => `<link name="${name}">${content}</link>`;
const pair = body('a') + body('b');
const AXIS = '<axis><xyz>0 0 1</xyz></axis>';
const turn = (content = AXIS, name = 'j', parent = 'a', child = 'b', type = 'revolute') =>
  `<joint name="${name}" type="${type}"><parent>${parent}</parent><child>${child}</child>${content}</joint>`;

/** Models that are sound, by what they have. */
const SOUND_MODELS: Readonly<Record<string, string>> = {
  'one link': sdf(body('a')),
  'a joint': sdf(pair + turn()),
  'a joint to the world': sdf(body('a') + turn(AXIS, 'j', 'world', 'a')),
  'a joint on a frame': sdf(`${pair}<frame name="f" attached_to="a"/>${turn(AXIS, 'j', 'f')}`),
  'a model inside': sdf(`<model name="n">${body('a')}</model>`),
  'a static model without links': sdf('<static>true</static>'),
  'a pose with a quaternion': sdf(body('a', `<pose rotation_format="quat_xyzw">0 0 0 0 0 0 1</pose>${CUBE}`)),
};

/** Models that `libsdformat` refuses, and the words that say why. */
const REFUSED_MODELS: Readonly<Record<string, readonly [model: string, words: string]>> = {
  'no links': [sdf(''), 'm has no links'],
  'a link twice': [sdf(body('a') + body('a')), 'two elements are called a'],
  'a joint with the name of its link': [sdf(pair + turn(AXIS, 'b')), 'two elements are called b'],
  'a name that is kept': [sdf(body('world')), 'keeps for itself'],
  'a child that is not there': [
    sdf(body('a') + turn(AXIS, 'j', 'a', 'z')),
    'the child of j is not in its model: z',
  ],
  'a parent that is not there': [
    sdf(body('a') + turn(AXIS, 'j', 'z', 'a')),
    'the parent of j is not in its model: z',
  ],
  'a joint from a link to itself': [sdf(body('a') + turn(AXIS, 'j', 'a', 'a')), 'j holds a to itself'],
  'an unknown type': [sdf(pair + turn(AXIS, 'j', 'a', 'b', 'hinge')), 'unknown type: hinge'],
  'an axis without length': [
    sdf(pair + turn('<axis><xyz>0 0 0</xyz></axis>')),
    'the axis of j has no length',
  ],
  'a pose relative to nothing': [
    sdf(body('a', '<pose relative_to="z"/>')),
    'relative to z, which is not in its model',
  ],
  'a pose relative to itself': [sdf(body('a', '<pose relative_to="a"/>')), 'relative to itself'],
  'poses in a circle': [
    sdf(body('a', '<pose relative_to="b"/>') + body('b', '<pose relative_to="a"/>')),
    'go round in a circle',
  ],
  'frames in a circle': [
    sdf(`${body('a')}<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>`),
    'go round in a circle',
  ],
  'a frame on nothing': [sdf(`${body('a')}<frame name="f" attached_to="z"/>`), 'which is not in its model'],
  'no such canonical link': [
    sdf(body('a'), 'name="m" canonical_link="z"'),
    'canonical link of m is not in it: z',
  ],
  'a word for a size': [sdf(body('a', CUBE.replace('1 1 1', '1 x 1'))), 'size of v is not 3 numbers: 1 x 1'],
  'a word for a mass': [
    sdf(body('a', '<inertial><mass>heavy</mass></inertial>')),
    'mass of a is not a number: heavy',
  ],
  'half a pose': [sdf(body('a', '<pose>1 2 3</pose>')), 'pose of a is not 6 numbers: 1 2 3'],
  'a word for a truth': [
    sdf(`${body('a')}<static>yes</static>`),
    'static of m is neither true nor false: yes',
  ],
  'a negative mass': [sdf(body('a', '<inertial><mass>-1</mass></inertial>')), 'the mass of a is -1'],
  'moments that no body has': [
    sdf(
      body(
        'a',
        '<inertial><inertia><ixx>1</ixx><iyy>1</iyy><izz>5</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>',
      ),
    ),
    'no body has the inertia of a',
  ],
  'no version': ['<sdf><model name="m"><link name="a"/></model></sdf>', 'which version'],
  'a link without a name': [sdf('<link/>'), 'a link has no name'],
};

describe('a model in SDFormat', () => {
  test.each(Object.entries(SOUND_MODELS))('with %s has no fault', async (_name, content) => {
    expect(await faultsOf('sdf', content)).toEqual([]);
  });

  test.each(
    Object.entries({
      ...REFUSED_MODELS,
      'reversed limits': [
        sdf(pair + turn('<axis><xyz>0 0 1</xyz><limit><lower>2</lower><upper>1</upper></limit></axis>')),
        'the limits of j are reversed: 2 is above 1',
      ] as const,
    }),
  )('with %s has a fault, and where it is', async (_name, [content, words]) => {
    const faults = await faultsOf('sdf', `\n${content}`);
    expect(faults.map(({ message }) => message).join('; ')).toContain(words);
    expect(faults[0]).toMatchObject({ file: 'robot.sdf', line: 2 });
  });
});

test('a joint can have the name of its link before version 1.7, as libsdformat warns, and stands on it', async () => {
  const before = sdf(body('a', '<pose>0 0 1 0 0 0</pose>') + body('b') + turn(AXIS, 'a', 'b', 'a'));
  expect(await faultsOf('sdf', before.replace('1.9', '1.6'))).toEqual([]);
});

describe.runIf(canRun('SDFormat', existsSync('/usr/bin/ign') ? [] : ['ignition-tools']))(
  'the library of SDFormat',
  () => {
    const accepts = (content: string) =>
      inFolder(new Map([['r.sdf', new TextEncoder().encode(content)]]), (folder) => {
        const { stdout, stderr } = spawnSync('ign', ['sdf', '--check', `${folder}/r.sdf`], {
          encoding: 'utf8',
        });
        return stdout.trim() === 'Valid.' && !/Error \[|Error Code|Error:/.test(stderr);
      });

    test('opens the models without faults, and refuses the others', () => {
      const differing = [
        ...Object.entries(SOUND_MODELS).filter(([, content]) => !accepts(content)),
        ...Object.entries(REFUSED_MODELS).filter(([, [content]]) => accepts(content)),
      ];
      tellCases('libsdformat', Object.keys({ ...SOUND_MODELS, ...REFUSED_MODELS }).length, differing.length);
      expect(differing).toEqual([]);
    });
  },
);
