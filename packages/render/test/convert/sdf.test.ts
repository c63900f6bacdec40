import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { Unrenderable } from '../../../formats/src/reading/errors.ts';
import { readSdfMechanism } from '../../../formats/src/sdf/mechanism.ts';
import { canRun } from '../../../sdk/test/credentials/needed-programs.ts';
import { type ConversionTarget, convertModel } from '../../src/convert/convert.ts';
import { createRendererContext } from '../../src/host/renderer-context.ts';
import { inFolder } from '../models/folder.ts';
import { MECHANISM } from '../models/mechanism.ts';

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

async function converted(kind: string, content: string, target: ConversionTarget) {
  const entry = `model.${kind}`;
  const files = memoryFiles(new Map([[entry, new TextEncoder().encode(content)]]));
  const { files: written, ...conversion } = await convertModel({ kind, format: kind, entry, files, target });
  return { ...conversion, written, xml: text(written.get(conversion.entry)) };
}

function mechanismOf(content: string) {
  const files = memoryFiles(new Map([['model.sdf', new TextEncoder().encode(content)]]));
  return readSdfMechanism('model.sdf', createRendererContext(files));
}

const model = (content: string) => `<sdf version="1.9"><model name="m">${content}</model></sdf>`;
const link = (name: string, content = '') =>
  `<link name="${name}"><inertial><pose>0.1 0 0 0.3 0 0</pose><mass>2</mass><inertia><ixx>.1</ixx><iyy>.2</iyy><izz>.25</izz></inertia></inertial>${content}</link>`;
const joint = (name: string, type: string, content = '', axis = '<xyz>0 0 1</xyz>') =>
  `<joint name="${name}" type="${type}">${content}<axis>${axis}</axis></joint>`;

test('a mechanism of MuJoCo becomes a model of SDFormat that moves alike, with balls, springs and followers', async () => {
  const { xml, losses, proof, written } = await converted('mjcf', MECHANISM, 'sdf');
  expect(proof.filter(({ measured, bound }) => measured > bound)).toEqual([]);
  expect([...written.keys()]).toEqual(['model.sdf', 'model.config']);
  expect(xml).toContain('<joint name="shoulder" type="ball">');
  expect(xml).toContain('<spring_stiffness>3</spring_stiffness>');
  expect(xml).toContain('<mimic joint="wrist">');
  expect(losses.map(({ what }) => what)).toEqual(expect.arrayContaining(['tendon', 'armature', 'name']));
});

test('a model without a name gets one, which SDFormat wants', async () => {
  const { xml } = await converted('urdf', '<robot name=""><link name="a"/></robot>', 'sdf');
  expect(xml).toContain('<model name="model">');
});

test.each(['urdf', 'sdf'] as const)('the texture of a simple shape is a loss by name in %s', async (as) => {
  const { losses } = await converted(
    'mjcf',
    `<mujoco><asset><texture name="t" type="2d" builtin="checker" width="8" height="8"/><material name="m" texture="t"/></asset>
    <worldbody><body><freejoint/><geom name="crate" type="box" size="1 1 1" material="m"/></body></worldbody></mujoco>`,
    as,
  );
  expect(losses).toContainEqual(expect.objectContaining({ what: 'texture', names: ['crate'] }));
});

test('a model of SDFormat becomes one of MuJoCo: poses in other frames, joints apart from their links, universal joints', async () => {
  const { xml, losses } = await converted(
    'sdf',
    model(
      `<pose>0 0 1 0 0 0</pose>${link('base')}<frame name="rim" attached_to="base"><pose>0.5 0 0 0 0 1</pose></frame>
      ${link('arm', '<pose relative_to="rim">0.2 0 0 0.1 0 0</pose><sensor name="eye" type="camera"/>')}
      ${link('hand', '<pose>1 1 0 0 0 0</pose>')}
      ${joint('waist', 'revolute', '<parent>base</parent><child>arm</child><pose>-0.1 0 0 0 0 0</pose>', '<xyz expressed_in="__model__">1 0 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>7</effort></limit>')}
      <joint name="cross" type="universal"><parent>arm</parent><child>hand</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>`,
    ),
    'mjcf',
  );
  expect(xml).toContain('<freejoint name="base_free"/>');
  expect(xml).toMatch(
    /<joint name="waist" type="hinge" pos="-0\.\d+ [^"]+" axis="[^"]+" range="-1 2" actuatorfrcrange="-7 7"\/>/,
  );
  expect(xml).toMatch(/<joint name="cross" [^>]+>\s+<joint name="cross_2"/);
  expect(losses).toEqual([{ what: 'sensor', names: ['eye'], why: 'sensors are not converted' }]);
});

const turned = '<pose>0 0 0 0 0 1.5707963267948966</pose>';
/** A joint about X of this frame, and the link that it holds, which is turned by a quarter about Z. */
const about = (frame: string) =>
  `${link('base')}<frame name="rim" attached_to="base">${turned}</frame><link name="arm">${turned}</link>
  ${joint('x', 'continuous', '<parent>base</parent><child>arm</child>', `<xyz${frame}>1 0 0</xyz><limit><lower>-1</lower><upper>1</upper></limit>`)}`;

test.each([
  ['its joint', '1.9', '', [1, 0, 0]],
  ['the model', '1.9', ' expressed_in="__model__"', [0, -1, 0]],
  ['a frame of the model', '1.9', ' expressed_in="rim"', [1, 0, 0]],
  ['a link', '1.11', ' expressed_in="base"', [0, -1, 0]],
  ['the model, before version 1.5', '1.4', '', [0, -1, 0]],
])(
  'the axis of a joint is that of %s, and a joint without an end has no limits',
  async (_of, version, frame, axis) => {
    const { bodies } = await mechanismOf(model(about(frame)).replace('1.9', version));
    const [hinge] = bodies.find(({ name }) => name === 'arm')?.joints ?? [];
    expect(hinge?.axis.map((part) => Math.round(part * 1e6) / 1e6 + 0)).toEqual(axis);
    expect(hinge?.limits).toBeUndefined();
  },
);

test.each(['inner::tip', 'inner', 'inner::arm', 'here'])(
  'a joint can hold %s of a model in the model, which is placed by one of its frames',
  async (child) => {
    const inner = `<model name="inner" placement_frame="tip"><pose>0 0 5 0 0 0</pose>
      ${link('arm')}<frame name="tip" attached_to="arm"><pose>0 0 2 0 0 0</pose></frame></model>`;
    const content = `${link('base')}${inner}<frame name="here" attached_to="inner::tip"/>${joint('x', 'revolute', `<parent>base</parent><child>${child}</child>`)}`;
    const { bodies, losses } = await mechanismOf(model(content));
    const arm = bodies.find(({ name }) => name === 'inner::arm');
    expect([arm?.parent, arm?.pose[14], arm?.joints[0]?.anchor[2]]).toEqual([
      'base',
      3,
      /tip|here/.test(child) ? 2 : 0,
    ]);
    expect(losses).toEqual([]);
  },
);

test('a limit that is too far away for SDFormat is none', async () => {
  const { xml } = await converted(
    'mjcf',
    '<mujoco><worldbody><body name="a"><joint axis="0 1 0" range="-1e10 90"/><geom size="1"/></body></worldbody></mujoco>',
    'sdf',
  );
  expect(xml).toContain('<upper>1.57');
  expect(xml).not.toContain('<lower>-1.7');
});

test('links of a static model stand in the world, and links without a mass weigh a kilogram', async () => {
  const { xml } = await converted('sdf', model(`<static>true</static>${link('wall')}`), 'mjcf');
  expect(xml).not.toContain('joint');
  const loose = await converted('sdf', model('<link name="ball"/>'), 'mjcf');
  expect(loose.xml).toContain('mass="1" diaginertia="1 1 1"');
});

test('links of a model pass through each other unless it says otherwise', async () => {
  const shape = '<collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry></collision>';
  const two = link('a', shape) + link('b', shape);
  expect((await converted('sdf', model(two), 'mjcf')).xml).toContain('<exclude body1="a" body2="b"/>');
  const solid = await converted('sdf', model(`<self_collide>true</self_collide>${two}`), 'mjcf');
  expect(solid.xml).not.toContain('exclude');
});

test.each([
  ['of no link', ''],
  ['of frames in a circle', '<frame name="b" attached_to="c"/><frame name="c" attached_to="b"/>'],
])('a joint %s is a loss by name', async (_name, frames) => {
  const held = joint('x', 'fixed', '<parent>a</parent><child>b</child>');
  const { losses } = await converted('sdf', model(link('a') + frames + held), 'mjcf');
  expect(losses).toEqual([{ what: 'joint', names: ['x'], why: 'the link that it holds is not there' }]);
});

test('links of an included model that is merged are links of the model around it', async () => {
  const files = new Map([
    [
      'm.sdf',
      model(
        `${link('base')}<include merge="true"><uri>model://eye</uri><pose>0 0 1 0 0 0</pose></include>${joint('x', 'revolute', '<parent>base</parent><child>lens</child>')}`,
      ),
    ],
    ['eye/model.sdf', model(link('lens'))],
    ['eye/model.config', '<model><name>eye</name><sdf version="1.9">model.sdf</sdf></model>'],
  ]);
  const source = memoryFiles(
    new Map([...files].map(([path, content]) => [path, new TextEncoder().encode(content)])),
  );
  const request = { kind: 'sdf', format: 'sdf', entry: 'm.sdf', files: source, target: 'mjcf' } as const;
  const { files: written, losses } = await convertModel(request);
  expect(losses).toEqual([]);
  expect(text(written.get('model.xml'))).toContain('<body name="lens" pos="0 0 1">');
});

test('a joint that closes a circle is cut, and named', async () => {
  const joints =
    joint('x', 'fixed', '<parent>a</parent><child>b</child>') +
    joint('y', 'fixed', '<parent>b</parent><child>a</child>');
  const { losses } = await converted('sdf', model(link('a') + link('b') + joints), 'mjcf');
  expect(losses).toContainEqual(expect.objectContaining({ what: 'joint', names: ['x'] }));
});

test.each([
  [
    'a mass that is not a number',
    '<link name="a"><inertial><mass>nan</mass></inertial></link>',
    'mass of a is not a number: nan',
  ],
  ['no links', '', 'it has no bodies'],
])('a model with %s is refused in words', async (_name, content, message) => {
  const refused = converted('sdf', model(content), 'mjcf');
  await expect(refused).rejects.toThrow(Unrenderable);
  await expect(refused).rejects.toThrow(message);
});

const missing = existsSync('/usr/bin/ign') ? [] : ['ignition-tools'];

describe.runIf(canRun('SDFormat', missing))('in the library of SDFormat', () => {
  test('a converted mechanism is valid', async () => {
    // Debian has a library from before joints that follow others.
    const { written } = await converted('mjcf', MECHANISM.replace(/<equality>.*<\/equality>/, ''), 'sdf');
    const answer = inFolder(written, (folder) =>
      execFileSync('ign', ['sdf', '--check', `${folder}/model.sdf`], { encoding: 'utf8', stdio: 'pipe' }),
    );
    expect(answer.trim()).toBe('Valid.');
  });
});
