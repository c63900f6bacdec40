import { expect, test } from 'vitest';
import type { WantedParts } from '../../../formats/src/format.ts';
import { compileModel } from '../../../formats/src/mjcf/compile.ts';
import { readMjcfMechanism } from '../../../formats/src/mjcf/mechanism.ts';
import { copyModelFiles } from '../../../formats/src/mjcf/model-files.ts';
import { loadMjcf } from '../../../formats/src/mjcf/read.ts';
import { type Bounds, boundsOf } from '../../../formats/src/model/bounds.ts';
import {
  IDENTITY,
  type Matrix4,
  multiply,
  rotation,
  transformPoints,
  translation,
} from '../../../formats/src/model/matrix.ts';
import type { Body, Mechanism } from '../../../formats/src/model/mechanism.ts';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { withMujoco } from '../../src/host/mujoco.ts';
import { createRendererContext } from '../../src/host/renderer-context.ts';
import { towerStl } from '../models/robots.ts';

const MESH = '<asset><mesh name="tower" file="tower.stl" scale="0.1 0.1 0.1"/></asset>';

async function read(text: string, wanted?: WantedParts): Promise<Mechanism> {
  return readMjcfMechanism('a.xml', context(text), wanted);
}

function context(text: string) {
  const xml = new TextEncoder().encode(`<mujoco model="example">${text}</mujoco>`);
  return createRendererContext(
    memoryFiles(
      new Map([
        ['a.xml', xml],
        ['tower.stl', towerStl()],
      ]),
    ),
  );
}

const CHAIN = `<compiler angle="radian"/><worldbody>
  <body name="base" pos="0.1 0.2 0.3" euler="0.3 -0.2 0.5">
    <geom size="0.1"/>
    <body name="upper" pos="0 0 0.4" euler="0 0.4 0">
      <joint name="yaw" axis="0 1 2" pos="0.05 0 0.1" range="-1 2" ref="0.25" damping="0.5" armature="0.01"
        frictionloss="0.2" stiffness="3" springref="0.1" actuatorfrcrange="-20 15"/>
      <joint name="lift" type="slide" axis="1 0 1"/>
      <inertial pos="0.01 0.02 0.03" mass="2" fullinertia="0.03 0.02 0.04 0.001 0.002 -0.003"/>
      <body name="hand" pos="0.2 0 0" quat="0.8 0.2 -0.4 0.1">
        <joint name="wrist" type="ball" pos="0 0.1 0"/>
        <geom size="0.1 0.2 0.3" type="box" mass="1"/>
      </body>
    </body>
  </body>
  <body name="ball" pos="1 2 3"><freejoint name="loose"/><geom size="0.1"/></body>
</worldbody>`;

test('a chain of joints carries its bodies where MuJoCo carries them', async () => {
  const { bodies } = await read(CHAIN);
  const values = { yaw: 0.9, lift: -0.3 };
  const positions = placesOf(bodies, values);
  const expected = await positionsInMujoco(CHAIN, [0.9, -0.3, 1, 0, 0, 0]);
  for (const [name, position] of expected) {
    const found = positions.get(name)?.slice(12, 15) ?? [];
    expect(Math.hypot(...found.map((value, axis) => value - (position[axis] ?? 0)))).toBeLessThan(1e-12);
  }
  expect([...expected.keys()]).toEqual(['base', 'upper', 'hand', 'ball']);
});

test('a joint keeps what moves, brakes, limits and drives it', async () => {
  const { bodies } = await read(CHAIN);
  expect(bodies.flatMap(({ joints }) => joints.map(({ name, type }) => [name, type]))).toEqual([
    ['yaw', 'hinge'],
    ['lift', 'slide'],
    ['wrist', 'ball'],
    ['loose', 'free'],
  ]);
  expect(bodies[1]?.joints[0]).toEqual({
    name: 'yaw',
    type: 'hinge',
    anchor: [0.05, 0, 0.1],
    axis: [0, 1 / Math.sqrt(5), 2 / Math.sqrt(5)],
    reference: 0.25,
    limits: [-1, 2],
    damping: 0.5,
    friction: 0.2,
    armature: 0.01,
    stiffness: 3,
    springReference: 0.1,
    effort: 20,
    velocity: undefined,
  });
  expect(bodies[1]?.joints[1]?.limits).toBeUndefined();
});

test('a body keeps its inertia along its own axes', async () => {
  const upper = (await read(CHAIN)).bodies[1];
  expect(upper?.inertial?.mass).toBe(2);
  expect(upper?.inertial?.center).toEqual([0.01, 0.02, 0.03]);
  const expected = [0.03, 0.02, 0.04, 0.001, 0.002, -0.003];
  upper?.inertial?.inertia.forEach((value, at) => {
    expect(value).toBeCloseTo(expected[at] ?? 0, 12);
  });
});

test('a geom is to look at, to collide with, or both, and read for what is wanted', async () => {
  const text = `<worldbody>
    <geom name="floor" type="plane" size="2 2 0.1"/>
    <body name="b">
      <geom name="both" size="0.1" friction="0.7" rgba="1 0 0 1"/>
      <geom name="seen" type="capsule" size="0.1 0.2" contype="0" conaffinity="0"/>
      <geom name="felt" type="cylinder" size="0.1 0.2" group="3"/>
      <geom name="neither" size="0.1" group="3" contype="0" conaffinity="0"/>
    </body></worldbody>`;
  const { bodies } = await read(text);
  const shapes = bodies.map(({ name, shapes: own }) => [name, own.map((one) => [one.name, one.role])]);
  expect(shapes).toEqual([
    [
      'world',
      [
        ['floor', 'visual'],
        ['floor_collision', 'collision'],
      ],
    ],
    [
      'b',
      [
        ['both', 'visual'],
        ['both_collision', 'collision'],
        ['seen', 'visual'],
        ['felt', 'collision'],
      ],
    ],
  ]);
  const [, seenAlone] = (await read(text, { roles: ['visual'] })).bodies;
  expect(seenAlone?.shapes.map(({ name }) => name)).toEqual(['both', 'seen']);
  const [both, collision, seen, felt] = bodies[1]?.shapes ?? [];
  expect(both?.material?.baseColor).toEqual([1, 0, 0, 1]);
  expect(collision?.friction).toBe(0.7);
  expect(seen?.form).toEqual({ type: 'capsule', radius: 0.1, length: 0.4 });
  expect(felt?.form).toEqual({ type: 'cylinder', radius: 0.1, length: 0.4 });
});

test('a mesh keeps the frame of its file and is there once', async () => {
  const twice = `${MESH}<worldbody><body name="b" pos="1 0 0">
    <geom type="mesh" mesh="tower" pos="0 0 0.5" euler="0 30 0"/><geom type="mesh" mesh="tower" pos="0 0 1.5"/>
    </body></worldbody>`;
  const shapes = (await read(twice)).bodies[0]?.shapes.filter(({ role }) => role === 'visual') ?? [];
  expect(new Set(shapes.map(({ form }) => form)).size).toBe(1);
  // MuJoCo turns a mesh to its axes of inertia; this one was placed upright.
  const upright = shapes[1]?.pose.map((value) => Math.round(value * 1e6) / 1e6 + 0);
  expect(upright).toEqual(translation(0, 0, 1.5).map((value) => value + 0));
  const { instances } = await loadMjcf('a.xml', context(twice));
  const seen = instances.map(({ geometry, transform }) => transformPoints(transform, geometry.positions));
  const kept = shapes.map(({ form, pose }) => {
    const points = form.type === 'mesh' ? form.parts[0]?.geometry.positions : undefined;
    return transformPoints(multiply(translation(1, 0, 0), pose), points ?? new Float32Array());
  });
  expect(boundsOf(kept)).toEqual(roughly(boundsOf(seen)));
});

test('actuators are motors and servos, equalities of joints are mimics, and the rest is lost by name', async () => {
  const { actuators, bodies, excluded, losses } = await read(`<worldbody>
      <site name="mark"/><camera name="eye"/>
      <body name="a"><joint name="p" ref="10"/><geom size="0.1"/><body name="b"><joint name="q"/><geom size="0.1"/></body></body>
    </worldbody>
    <tendon><fixed name="rope"><joint joint="p" coef="1"/></fixed></tendon>
    <contact><exclude body1="a" body2="b"/></contact>
    <equality><joint name="follow" joint1="q" joint2="p" polycoef="0.5 2 0 0 0"/>
      <joint name="bend" joint1="p" joint2="q" polycoef="0 1 1 0 0"/><weld name="glue" body1="a"/></equality>
    <actuator><motor name="m" joint="p" gear="3" ctrlrange="-1 1"/>
      <position name="s" joint="q" kp="5" kv="0.5" forcerange="-2 2"/><velocity name="v" joint="q" kv="4"/>
      <motor name="pull" tendon="rope"/><general name="odd" joint="p" biastype="affine" gainprm="3" biasprm="0 -7 0"/>
    </actuator>
    <sensor><jointpos name="feel" joint="p"/></sensor>
    <keyframe><key name="home"/></keyframe>`);
  expect(actuators).toEqual([
    { name: 'm', joint: 'p', type: 'motor', range: [-1, 1], forceRange: undefined, gear: 3, kp: 0, kv: 0 },
    {
      name: 's',
      joint: 'q',
      type: 'position',
      range: undefined,
      forceRange: [-2, 2],
      gear: 1,
      kp: 5,
      kv: 0.5,
    },
    {
      name: 'v',
      joint: 'q',
      type: 'velocity',
      range: undefined,
      forceRange: undefined,
      gear: 1,
      kp: 0,
      kv: 4,
    },
    {
      name: 'odd',
      joint: 'p',
      type: 'position',
      range: undefined,
      forceRange: undefined,
      gear: 1,
      kp: 7,
      kv: 0,
    },
  ]);
  const ten = (10 * Math.PI) / 180;
  const follower = bodies[1]?.joints[0]?.mimics;
  expect(follower?.joint).toBe('p');
  expect(follower?.multiplier).toBe(2);
  expect(follower?.offset).toBeCloseTo(0.5 - 2 * ten, 12);
  expect(excluded).toEqual([['a', 'b']]);
  expect(losses.map(({ what, names }) => `${what}: ${names.join(', ')}`)).toEqual([
    'tendon: rope',
    'keyframe: home',
    'sensor: feel',
    'site: mark',
    'camera: eye',
    'equality: bend, glue',
    'actuator: pull',
    'actuator: odd',
  ]);
});

function roughly(bounds: Bounds): Record<string, unknown> {
  return Object.fromEntries(Object.entries(bounds).map(([side, value]) => [side, expect.closeTo(value, 6)]));
}

/** Where bodies are with these values of hinges and slides. */
function placesOf(bodies: readonly Body[], values: Readonly<Record<string, number>>): Map<string, Matrix4> {
  const places = new Map<string, Matrix4>();
  for (const { name, parent, pose, joints } of bodies) {
    let place = multiply((parent && places.get(parent)) || IDENTITY, pose);
    for (const joint of joints) {
      const [x, y, z] = joint.axis;
      const moved = (values[joint.name] ?? joint.reference) - joint.reference;
      const [ax, ay, az] = joint.anchor;
      if (joint.type === 'slide') place = multiply(place, translation(x * moved, y * moved, z * moved));
      if (joint.type === 'hinge')
        place = [translation(ax, ay, az), rotation(joint.axis, moved), translation(-ax, -ay, -az)].reduce(
          multiply,
          place,
        );
    }
    places.set(name, place);
  }
  return places;
}

function positionsInMujoco(text: string, qpos: readonly number[]): Promise<Map<string, number[]>> {
  return withMujoco(async (mujoco) => {
    const model = compileModel(mujoco, await copyModelFiles(mujoco, 'a.xml', context(text)));
    const data = new mujoco.MjData(model);
    (data.qpos as Float64Array).set(qpos);
    mujoco.mj_kinematics(model, data);
    const positions = new Map<string, number[]>();
    for (const name of ['base', 'upper', 'hand', 'ball']) {
      const body = mujoco.mj_name2id(model, 1, name);
      positions.set(name, Array.from((data.xpos as Float64Array).subarray(body * 3, body * 3 + 3)));
    }
    data.delete();
    model.delete();
    return positions;
  });
}
