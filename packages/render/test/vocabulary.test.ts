import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { kindOf, tellWords } from '../../../test/tallies.ts';
import type { Meaning, Vocabulary } from '../../formats/src/model/vocabulary.ts';
import { readMechanism } from '../../formats/src/read.ts';
import { Budget } from '../../formats/src/reading/limits.ts';
import { parseXml, type XmlElement } from '../../formats/src/reading/xml-elements.ts';
import { SDF } from '../../formats/src/sdf/vocabulary.ts';
import { URDF } from '../../formats/src/urdf/vocabulary.ts';
import { canRun } from '../../sdk/test/credentials/needed-programs.ts';
import { createRendererContext } from '../src/host/renderer-context.ts';
import { memoryFiles } from '../src/index.ts';

/** What is lost of a file, by name: what it is, what carries it, and why. */
async function lossesOf(kind: 'urdf' | 'sdf', content: string) {
  const context = createRendererContext(memoryFiles(new Map([['r', new TextEncoder().encode(content)]])));
  const { losses } = await readMechanism({ kind, entry: 'r' }, context, { roles: [] });
  return losses.map(({ what, names, why }) => `${what} of ${names.join(', ')}: ${why}`);
}

const isTree = (meaning: Meaning): meaning is Vocabulary =>
  typeof meaning === 'object' && !('why' in meaning);

describe('the vocabulary of URDF', () => {
  // Everything that urdf.xsd and the wiki of ROS describe.
  const whole = `<robot name="r" version="1.0">
    <link name="a" type="t"><inertial><origin xyz="0 0 0" rpy="0 0 0"/><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
      <visual name="v"><origin xyz="0 0 0" rpy="0 0 0"/><geometry><box size="1 1 1"/></geometry><material name="m"><color rgba="1 1 1 1"/><texture filename="t.png"/></material></visual>
      <collision name="c"><origin/><geometry><mesh filename="a.stl" scale="1 1 1"/></geometry><verbose value="1"/></collision></link>
    <link name="b"><visual><geometry><cylinder radius="1" length="1"/></geometry></visual><visual><geometry><sphere radius="1"/></geometry></visual></link>
    <joint name="j" type="revolute"><origin/><parent link="a"/><child link="b"/><axis xyz="1 0 0"/><calibration rising="0" falling="0" reference_position="0"/>
      <dynamics damping="1" friction="1"/><limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="j" multiplier="1" offset="0"/></joint>
    <material name="m"><color rgba="1 1 1 1"/></material></robot>`;

  test('is read, but for what is said to be lost', async () => {
    expect(await lossesOf('urdf', whole)).toEqual([]);
  });

  test('has a meaning for each word', () => {
    const meanings = new Map<string, Meaning | undefined>();
    const visit = (element: XmlElement, vocabulary: Vocabulary, path: string) => {
      for (const name of Object.keys(element.attributes))
        meanings.set(`${path}@${name}`, vocabulary[`@${name}`]);
      for (const child of element.children) {
        const meaning = vocabulary[child.name];
        meanings.set(`${path}${child.name}`, meaning);
        if (meaning !== undefined && isTree(meaning)) visit(child, meaning, `${path}${child.name}/`);
      }
    };
    visit(parseXml(new TextEncoder().encode(whole), new Budget()), URDF, '');
    tellWords('URDF', [...meanings.values()].map(kindOf));
    expect([...meanings].filter(([, meaning]) => meaning === undefined)).toEqual([]);
    expect(meanings.size).toBeGreaterThan(40);
  });

  test('of controllers, newer versions and simulators is named', async () => {
    const robot = `<robot name="r"><link name="a"/><link name="b"/><transmission name="t"/><ros2_control name="c"/>
      <joint name="j" type="prismatic"><parent link="a"/><child link="b"/><limit lower="0" upper="1" effort="1" velocity="1" jerk="3"/>
        <safety_controller k_velocity="1"/><brand_new/></joint>
      <gazebo reference="b"><mu1>0.05</mu1><turnGravityOff>true</turnGravityOff><selfCollide>false</selfCollide><material>Gazebo/Red</material></gazebo>
      <gazebo reference="j"><springStiffness>50</springStiffness></gazebo>
      <gazebo><static>true</static><plugin name="p"/></gazebo>
      <mujoco><compiler settotalmass="20" discardvisual="false"/><option gravity="0 0 -5" timestep="0.004" solver="CG"/></mujoco><drake:joint name="d"/></robot>`;
    expect((await lossesOf('urdf', robot)).sort()).toEqual([
      'brand_new of j: it is not known here',
      'compiler/@settotalmass of r: it is for MuJoCo alone',
      'drake:joint of d: it is an extension of another program',
      'limit/@jerk of j: joints have no limit of jerk',
      'mu1 of b: it is for Gazebo alone',
      'option/@solver of r: it is for MuJoCo alone',
      'plugin of p: it is a program of Gazebo',
      'ros2_control of c: it describes a controller',
      'safety_controller of j: it describes a controller',
      'springStiffness of j: it is for Gazebo alone',
      'static of r: it is for Gazebo alone',
      'transmission of t: it describes a controller',
      'turnGravityOff of b: it is the same for all links',
    ]);
  });
});

/** Where Debian keeps the descriptions of SDFormat by `libsdformat`. */
const FOLDER = '/usr/share/sdformat12/1.9';

describe.runIf(canRun('SDFormat', existsSync(FOLDER) ? [] : ['libsdformat-dev']))(
  'the vocabulary of SDFormat',
  () => {
    const description = (file: string): XmlElement =>
      parseXml(readFileSync(`${FOLDER}/${file}`), new Budget());

    /** Whatever a description has, and what the vocabulary says of it. */
    function* described(
      element: XmlElement,
      vocabulary: Vocabulary,
      path: string,
    ): Generator<[path: string, meaning: Meaning | undefined]> {
      for (const child of element.children) {
        const { filename, name = filename ? description(filename).attributes.name : undefined } =
          child.attributes;
        if (!['attribute', 'element', 'include'].includes(child.name) || name === undefined) continue;
        const key = child.name === 'attribute' ? `@${name}` : name;
        const meaning = vocabulary[key] ?? vocabulary['*'];
        yield [`${path}/${key}`, meaning];
        if (meaning !== undefined && isTree(meaning))
          yield* described(filename ? description(filename) : child, meaning, `${path}/${key}`);
      }
    }

    test('is read, named as lost or means nothing, to the last attribute', () => {
      const words = [
        ...described(description('root.sdf'), SDF.root, 'sdf'),
        ...described(description('model.sdf'), SDF.model, 'model'),
      ];
      tellWords(
        'SDFormat',
        words.map(([, meaning]) => kindOf(meaning)),
      );
      expect(words.filter(([, meaning]) => meaning === undefined)).toEqual([]);
    });
  },
);

test('what SDFormat says and no other format can hold is named, and what is newer too', async () => {
  const content = `<sdf version="1.12"><world name="w"><gravity>0 0 -3.7</gravity><wind/><plugin name="p" filename="f"/><model name="m">
    <link name="a"><gravity>false</gravity><enable_wind>0</enable_wind><sensor name="eye" type="camera"/><brand_new/>
      <collision name="c"><geometry><box><size>1 1 1</size></box></geometry><surface><friction><ode><mu>1</mu><slip1>0.1</slip1></ode></friction>
        <contact><ode><kp>1</kp></ode></contact></surface></collision></link></model></world></sdf>`;
  expect((await lossesOf('sdf', content)).sort()).toEqual([
    'brand_new of a: it is not known here',
    'gravity of a: it is the same for all links',
    'ode of c: how shapes touch is for the simulator to say',
    'plugin of p: it is a program of Gazebo',
    'sensor of eye: sensors are not converted',
    'slip1 of c: friction does not depend on speed',
    'wind of w: there is no air to move in',
  ]);
});

test('gravity and time step of a robot are those that it says', async () => {
  const physicsOf = async (kind: 'urdf' | 'sdf', content: string) => {
    const context = createRendererContext(memoryFiles(new Map([['r', new TextEncoder().encode(content)]])));
    return (await readMechanism({ kind, entry: 'r' }, context)).physics;
  };
  const urdf = (mujoco: string) => physicsOf('urdf', `<robot name="r"><link name="a"/>${mujoco}</robot>`);
  const sdf = (world: string) =>
    physicsOf('sdf', `<sdf version="1.9">${world}<model name="m"><link name="a"/></model></sdf>`);
  expect(await urdf('')).toEqual({ gravity: [0, 0, -9.81], timestep: undefined });
  expect(await urdf('<mujoco><option gravity="0 0 -5" timestep="0.004"/></mujoco>')).toEqual({
    gravity: [0, 0, -5],
    timestep: 0.004,
  });
  expect(
    await sdf(
      '<world name="w"><gravity>0 0 -3.7</gravity><physics><max_step_size>0.01</max_step_size></physics></world>',
    ),
  ).toEqual({ gravity: [0, 0, -3.7], timestep: 0.01 });
  expect(await sdf('<world name="w"/>')).toEqual({ gravity: [0, 0, -9.8], timestep: undefined });
});

test('what a robot says that is unknown is listed up to a bound', async () => {
  const unknown = Array.from({ length: 3_000 }, (_, at) => `<x${at}/>`).join('');
  expect(await lossesOf('urdf', `<robot name="r"><link name="a"/>${unknown}</robot>`)).toHaveLength(1_000);
});
