import { describe, expect, test } from 'vitest';
import type { Joint, Mechanism } from '../../../formats/src/model/mechanism.ts';
import { loadMesh } from '../../../formats/src/read.ts';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { readUsdMechanism } from '../../../formats/src/usd/mechanism.ts';
import { convertModel } from '../../src/convert/convert.ts';
import { createRendererContext } from '../../src/host/renderer-context.ts';

const filesOf = (text: string) => memoryFiles(new Map([['a.usda', new TextEncoder().encode(text)]]));

async function read(text: string): Promise<Mechanism> {
  return readUsdMechanism('a.usda', createRendererContext(filesOf(text)));
}

interface Written {
  readonly joint?: string;
  readonly more?: string;
  readonly box?: string;
  readonly stage?: string;
}

const body = (name: string, z: number, box = '', schemas = '') => `
  def Xform "${name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"${schemas}])
  {
    double3 xformOp:translate = (0, 0, ${z})
    uniform token[] xformOpOrder = ["xformOp:translate"]
    float physics:mass = 2
    def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {
      double size = 0.2
      ${box}
    }
  }`;

const hinge = (said = '', schemas = '', name = 'j', between = ['a', 'b']) => `
  def PhysicsRevoluteJoint "${name}" (prepend apiSchemas = [${schemas}])
  {
    rel physics:body0 = </w/${between[0]}>
    rel physics:body1 = </w/${between[1]}>
    uniform token physics:axis = "Y"
    point3f physics:localPos0 = (0, 0, 0.1)
    point3f physics:localPos1 = (0, 0, -0.1)
    ${said}
  }`;

/** Two boxes above each other, and what connects them. */
const stage = ({ joint = hinge(), more = '', box = '', stage: units = 'metersPerUnit = 1' }: Written) =>
  `#usda 1.0\n(\n  upAxis = "Z"\n  ${units}\n)\ndef Xform "w"\n{${body('a', 0, box)}${body('b', 0.2, box)}\n${joint}\n${more}\n}\n`;

async function jointOf(joint: string, more = ''): Promise<Joint | undefined> {
  const { bodies } = await read(stage({ joint, more }));
  return bodies.find(({ name }) => name === 'b')?.joints[0];
}

const losses = ({ losses: all }: Mechanism) => all.map(({ what, names }) => [what, ...names].join(' '));

describe('a joint of USD', () => {
  test('has limits on one side, which every format keeps', async () => {
    const text = stage({ joint: hinge('float physics:lowerLimit = -45') });
    const limits = (await read(text)).bodies[1]?.joints[0]?.limits;
    expect(limits).toEqual([-Math.PI / 4, Infinity]);
    for (const target of ['mjcf', 'urdf', 'sdf', 'glb', 'usd'] as const) {
      const request = { kind: 'mesh', format: 'usd', entry: 'a.usda', files: filesOf(text), target };
      const { proof } = await convertModel(request);
      for (const { what, measured, bound } of proof) expect(measured, what).toBeLessThanOrEqual(bound);
    }
  });

  test.each([
    ['as high as low', 'float physics:lowerLimit = 0\n    float physics:upperLimit = 0', []],
    ['crossed', 'float physics:lowerLimit = 1\n    float physics:upperLimit = -1', []],
    ['elsewhere', 'float physics:lowerLimit = -45\n    float physics:upperLimit = -45', ['limits j']],
  ])('with limits that are %s is rigid', async (_name, limits, lost) => {
    const mechanism = await read(stage({ joint: hinge(limits) }));
    expect(mechanism.bodies.map(({ name, parent, joints }) => [name, parent, joints.length])).toEqual([
      ['a', undefined, 1],
      ['b', 'a', 0],
    ]);
    expect(losses(mechanism)).toEqual(lost);
  });

  test('that is no part of an articulation is the one that is cut, and keeps its bodies apart', async () => {
    const third = body('c', 0.4) + hinge('', '', 'k', ['b', 'c']);
    const loop = hinge('uniform bool physics:excludeFromArticulation = true', '', 'loop', ['c', 'a']);
    const { bodies, excluded, losses: all } = await read(stage({ more: third + loop }));
    expect(bodies.map(({ name, parent }) => [name, parent])).toEqual([
      ['a', undefined],
      ['b', 'a'],
      ['c', 'b'],
    ]);
    expect(excluded).toEqual([['c', 'a']]);
    expect(all.map(({ what, names }) => [what, names])).toEqual([['joint', ['loop']]]);
  });

  test('may stand beside others that hold the same bodies: they apply in the order of the file', async () => {
    const across = hinge('float physics:lowerLimit = -10', '', 'k').replace('axis = "Y"', 'axis = "X"');
    const slide = hinge('', '', 'l').replace('PhysicsRevoluteJoint', 'PhysicsPrismaticJoint');
    const mechanism = await read(stage({ more: across + slide }));
    expect(mechanism.bodies[1]?.joints).toMatchObject([
      { name: 'j', type: 'hinge', axis: [0, 1, 0], anchor: [0, 0, -0.1] },
      { name: 'k', type: 'hinge', axis: [1, 0, 0], limits: [-Math.PI / 18, Infinity] },
      { name: 'l', type: 'slide', axis: [0, 1, 0] },
    ]);
    expect(losses(mechanism)).toEqual([]);
  });

  test('of which another has the axis holds as that one does, like the hinges of a door', async () => {
    const mechanism = await read(stage({ more: hinge('', '', 'k') }));
    expect(mechanism.bodies[1]?.joints.map(({ name }) => name)).toEqual(['j']);
    expect(losses(mechanism)).toEqual(['joint k']);
  });

  test('that is switched off holds nothing', async () => {
    const { bodies } = await read(stage({ joint: hinge('bool physics:jointEnabled = false') }));
    expect(bodies.map(({ joints }) => joints[0]?.type)).toEqual(['free', 'free']);
  });

  test('with several axes moves along and around them in turn', async () => {
    const limit = (axis: string, low: string, high: string) =>
      `float limit:${axis}:physics:low = ${low}\n    float limit:${axis}:physics:high = ${high}`;
    const locked = ['transY', 'transZ', 'rotX'];
    const schemas = [...locked, 'transX', 'rotZ'].map((axis) => `"PhysicsLimitAPI:${axis}"`);
    const several = hinge(
      `${locked.map((axis) => limit(axis, '1', '-1')).join('\n')}
      ${limit('transX', '-0.5', 'inf')}\n${limit('rotZ', '-90', '45')}`,
      [...schemas, '"PhysicsDriveAPI:rotZ"'].join(', '),
    ).replace('PhysicsRevoluteJoint', 'PhysicsJoint');
    const text = stage({ joint: several });
    const mechanism = await read(
      text.replace('uniform token physics:axis = "Y"', 'float drive:rotZ:physics:stiffness = 3'),
    );
    expect(mechanism.bodies[1]?.joints).toMatchObject([
      { name: 'j_transX', type: 'slide', axis: [1, 0, 0], limits: [-0.5, Infinity] },
      { name: 'j_rotY', type: 'hinge', axis: [0, 1, 0], anchor: [0, 0, -0.1] },
      { name: 'j_rotZ', type: 'hinge', axis: [0, 0, 1], limits: [-Math.PI / 2, Math.PI / 4] },
    ]);
    expect(mechanism.actuators).toMatchObject([{ joint: 'j_rotZ', type: 'position' }]);
    const request = {
      kind: 'mesh',
      format: 'usd',
      entry: 'a.usda',
      files: filesOf(text),
      target: 'mjcf',
    } as const;
    expect((await convertModel(request)).proof.every(({ measured, bound }) => measured <= bound)).toBe(true);
  });

  test('drives as far as an actuator can, and what it cannot is named', async () => {
    const drive = (said: Readonly<Record<string, string | number>>) =>
      Object.entries(said)
        .map(([name, value]) =>
          name === 'type'
            ? `uniform token drive:angular:physics:type = "${value}"`
            : `float drive:angular:physics:${name} = ${value}`,
        )
        .join('\n');
    const driven = async (said: Parameters<typeof drive>[0]) =>
      read(stage({ joint: hinge(drive(said), '"PhysicsDriveAPI:angular"') }));
    const servo = await driven({ stiffness: 2, maxForce: 7, targetPosition: 30, type: 'acceleration' });
    expect(servo.actuators).toMatchObject([{ type: 'position', forceRange: [-7, 7], kp: 360 / Math.PI }]);
    expect(losses(servo)).toEqual(['drive:angular:physics:type j', 'drive:angular:physics:targetPosition j']);
    const speed = await driven({ damping: 2, maxForce: 9, targetVelocity: 1 });
    expect(speed.actuators).toMatchObject([{ type: 'velocity', forceRange: [-9, 9], kv: 360 / Math.PI }]);
    expect(losses(speed)).toEqual(['drive:angular:physics:targetVelocity j']);
    const brake = await driven({ damping: 2 });
    expect(brake.actuators).toEqual([]);
    expect(brake.bodies[1]?.joints[0]?.damping).toBeCloseTo(360 / Math.PI, 9);
  });

  test.each([
    [
      'PhysX',
      '"PhysxJointAPI"',
      'physxJoint:armature',
      'physxJoint:jointFriction',
      'physxJoint:maxJointVelocity',
    ],
    ['Newton', '"NewtonJointAPI"', 'newton:armature', 'newton:friction', 'newton:velocityLimit'],
  ])(
    'has the armature, friction and speed that %s gives it',
    async (_name, schema, armature, friction, speed) => {
      const said = `float ${armature} = 0.02\n    float ${friction} = 0.05\n    float ${speed} = 90`;
      expect(await jointOf(hinge(said, schema))).toMatchObject({
        armature: 0.02,
        friction: 0.05,
        velocity: Math.PI / 2,
      });
    },
  );

  test('has what MuJoCo gives it', async () => {
    const said =
      'double mjc:armature = 0.02\n double mjc:damping = 3\n double mjc:frictionloss = 0.1\n double mjc:stiffness = 4\n double mjc:springref = 90\n double mjc:actuatorfrcrange:min = -5\n double mjc:actuatorfrcrange:max = 6';
    expect(await jointOf(hinge(said, '"MjcJointAPI"'))).toMatchObject({
      armature: 0.02,
      damping: 3,
      friction: 0.1,
      stiffness: 4,
      springReference: Math.PI / 2,
      effort: 6,
    });
  });

  test.each([
    [
      'PhysX',
      '"PhysxMimicJointAPI:rotY"',
      'rel physxMimicJoint:rotY:referenceJoint = </w/j>\n float physxMimicJoint:rotY:gearing = 0.5\n float physxMimicJoint:rotY:offset = 90',
    ],
    [
      'Newton',
      '"NewtonMimicAPI"',
      'rel newton:mimicJoint = </w/j>\n float newton:mimicCoef1 = -0.5\n float newton:mimicCoef0 = -90',
    ],
  ])('follows another as %s says', async (_name, schema, said) => {
    const follower = body('c', 0.4) + hinge(said, schema, 'k', ['b', 'c']);
    const text = stage({ more: follower });
    const mechanism = await read(text);
    const mimics = { joint: 'j', multiplier: -0.5, offset: -Math.PI / 2 };
    expect(mechanism.bodies[2]?.joints[0]?.mimics).toEqual(mimics);
    expect(mechanism.losses).toEqual([]);
    const scene = await loadMesh('a.usda', createRendererContext(filesOf(text)));
    expect(scene.robot).toMatchObject({ bodies: 3, joints: 1 });
  });
});

test('a joint that follows none is named', async () => {
  const said = 'rel physxMimicJoint:rotY:referenceJoint = </w/gone>';
  const mechanism = await read(stage({ joint: hinge(said, '"PhysxMimicJointAPI:rotY"') }));
  expect(mechanism.bodies[1]?.joints[0]?.mimics).toBeUndefined();
  expect(losses(mechanism)).toEqual(['coupled joint j']);
});

describe('what collides in USD', () => {
  const colliding = ({ bodies }: Mechanism) =>
    bodies.map(({ shapes }) => shapes.filter(({ role }) => role === 'collision').length);
  const group = (name: string, members: string, said: string) => `
  def PhysicsCollisionGroup "${name}" (prepend apiSchemas = ["CollectionAPI:colliders"])
  {
    rel collection:colliders:includes = [${members}]
    ${said}
  }`;
  const apart = 'def Xform "nothing" {\n  }';

  test('is nothing that is switched off', async () => {
    expect(colliding(await read(stage({})))).toEqual([1, 1]);
    expect(colliding(await read(stage({ box: 'bool physics:collisionEnabled = false' })))).toEqual([0, 0]);
  });

  test.each([
    [
      'a group that does not collide with itself',
      group('g', '</w/a>, </w/b>', 'rel physics:filteredGroups = </w/g>'),
      true,
    ],
    [
      'groups of which one filters the other',
      group('g', '</w/a>', 'rel physics:filteredGroups = </w/h>') + group('h', '</w/b>', ''),
      true,
    ],
    [
      'groups that are one by their name',
      group('g', '</w/a>', 'string physics:mergeGroup = "m"\n    rel physics:filteredGroups = </w/h>') +
        group('h', '</w/b>', 'string physics:mergeGroup = "m"'),
      true,
    ],
    [
      'a group that collides with none but itself',
      group(
        'g',
        '</w/a>',
        'bool physics:invertFilteredGroups = true\n    rel physics:filteredGroups = </w/g>',
      ),
      true,
    ],
    [
      'a group that collides with none but the other',
      group(
        'g',
        '</w/a>',
        'bool physics:invertFilteredGroups = true\n    rel physics:filteredGroups = </w/h>',
      ) + group('h', '</w/b>', ''),
      false,
    ],
  ])('is not both of two bodies in %s', async (_name, groups, isExcluded) => {
    const { excluded, losses: all } = await read(stage({ joint: apart, more: groups }));
    expect(excluded).toEqual(isExcluded ? [['a', 'b']] : []);
    expect(all.map(({ what }) => what)).toEqual(isExcluded ? [] : ['PhysicsCollisionGroup']);
  });

  test('is not both of a pair that is filtered, whether it names bodies, their shapes or what they are in', async () => {
    const filtering = (prim: string, target: string) => {
      const [before = '', after = ''] = stage({ joint: apart }).split(`"${prim}"`);
      const schemas = /apiSchemas = \[([^\]]*)\]/.exec(after.slice(0, after.indexOf('{')))?.[1];
      const all = ['"PhysicsFilteredPairsAPI"', ...(schemas === undefined ? [] : [schemas])].join(', ');
      const inside = after.slice(after.indexOf('{') + 1);
      return `${before}"${prim}" (prepend apiSchemas = [${all}])\n{\nrel physics:filteredPairs = <${target}>${inside}`;
    };
    expect((await read(filtering('a', '/w/b'))).excluded).toEqual([['a', 'b']]);
    expect((await read(filtering('b', '/w/a/box'))).excluded).toEqual([['b', 'a']]);
    expect((await read(filtering('w', '/w'))).excluded).toEqual([['b', 'a']]);
    const empty = await read(filtering('a', '/w/nothing'));
    expect(empty.excluded).toEqual([]);
    expect(losses(empty)).toEqual(['physics:filteredPairs /w/nothing']);
  });

  test.each(['physxArticulation:enabledSelfCollisions', 'newton:selfCollisionEnabled'])(
    'are no two bodies of an articulation with %s off',
    async (property) => {
      const text = stage({}).replace(
        'def Xform "w"\n{',
        `def Xform "w" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])\n{\n  bool ${property} = false`,
      );
      expect((await read(text)).excluded).toEqual([['a', 'b']]);
      expect((await read(text.replace('= false', '= true'))).excluded).toEqual([]);
    },
  );

  test('slides as its material says', async () => {
    const material = `def Material "m" (prepend apiSchemas = ["PhysicsMaterialAPI"])\n{\n float physics:dynamicFriction = 0.3\n float physics:staticFriction = 0.4\n}`;
    const mechanism = await read(stage({ more: material, box: 'rel material:binding:physics = </w/m>' }));
    const [box] = mechanism.bodies[0]?.shapes.filter(({ role }) => role === 'collision') ?? [];
    expect(box?.friction).toBe(0.3);
    expect(losses(mechanism)).toEqual(['physics:staticFriction m']);
  });

  test.each([
    ['boundingCube', { type: 'box', size: [2, 4, 6].map((side) => expect.closeTo(side, 5)) }],
    ['boundingSphere', { type: 'sphere', radius: expect.closeTo(Math.hypot(1, 2, 3), 5) }],
    ['convexHull', { type: 'mesh' }],
  ])('is a mesh as its %s', async (approximation, form) => {
    const mesh = `def Xform "m" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
    {
      def Mesh "mesh" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"])
      {
        uniform token physics:approximation = "${approximation}"
        point3f[] points = [(0, 0, 0), (2, 0, 0), (0, 4, 0), (0, 0, 6)]
        int[] faceVertexCounts = [3, 3, 3, 3]
        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
      }
    }`;
    const { bodies } = await read(stage({ more: mesh }));
    const shape = bodies.find(({ name }) => name === 'm')?.shapes.find(({ role }) => role === 'collision');
    expect(shape?.form).toMatchObject(form);
    if (approximation !== 'convexHull') expect(shape?.pose.slice(12, 15)).toEqual([1, 2, 3]);
  });
});

describe('the world of a stage', () => {
  const scene = (said: string, schemas = '') =>
    `def PhysicsScene "scene" (prepend apiSchemas = [${schemas}])\n  {\n    ${said}\n  }`;
  const gravity = async (said: string, units?: string) =>
    (await read(stage({ more: scene(said), ...(units && { stage: units }) }))).physics.gravity;

  test('pulls as its scene says, else as the earth does', async () => {
    expect(await gravity('')).toEqual([0, 0, -9.81]);
    expect(await gravity('float physics:gravityMagnitude = 1.62')).toEqual([0, 0, -1.62]);
    expect(await gravity('vector3f physics:gravityDirection = (0, 2, 0)')).toEqual([0, 9.81, 0]);
    expect(await gravity('float physics:gravityMagnitude = -inf')).toEqual([0, 0, -9.81]);
    expect(await gravity('float physics:gravityMagnitude = 981', 'metersPerUnit = 0.01')).toEqual([
      0, 0, -9.81,
    ]);
    expect(await gravity('bool newton:gravityEnabled = false')).toEqual([0, 0, 0]);
  });

  test('with Y up pulls down', async () => {
    const text = stage({ more: scene('vector3f physics:gravityDirection = (0, -1, 0)') });
    const { physics } = await read(text.replace('upAxis = "Z"', 'upAxis = "Y"'));
    expect(physics.gravity.map((part) => part + 0)).toEqual([0, 0, -9.81]);
  });

  test('is written as it was read', async () => {
    const said =
      'vector3f physics:gravityDirection = (1, 0, 0)\n    float physics:gravityMagnitude = 1.5\n    double mjc:option:timestep = 0.004';
    const files = filesOf(stage({ more: scene(said, '"MjcSceneAPI"') }));
    const request = { kind: 'mesh', format: 'usd', entry: 'a.usda', files, target: 'usd' } as const;
    const { entry, files: written } = await convertModel(request);
    const { physics } = await readUsdMechanism(entry, createRendererContext(memoryFiles(written)));
    expect(physics).toEqual({ gravity: [1.5, 0, 0], timestep: 0.004 });
  });
});

describe('of what USD says nothing is dropped in silence', () => {
  test.each([
    ['a property that nobody knows', 'float physics:wobble = 1', 'physics:wobble box'],
    ['one of a simulator', 'float physxWobble:wobble = 1', 'physxWobble:wobble box'],
    ['one of a schema that is not applied', 'float physics:restitution = 0.5', 'physics:restitution box'],
    ['one that has no effect', 'float physxCollision:restOffset = 0', undefined],
    ['one that has', 'float physxCollision:restOffset = 0.1', 'physxCollision:restOffset box'],
  ])('%s', async (_name, said, lost) => {
    expect(losses(await read(stage({ box: said })))).toEqual(lost === undefined ? [] : [lost]);
  });
});
