import { LossList } from '../model/losses.ts';
import {
  cross,
  IDENTITY,
  type Matrix4,
  multiply,
  rotation,
  translation,
  turnOf,
  type Vector3,
} from '../model/matrix.ts';
import type { Actuator, Joint, Mechanism } from '../model/mechanism.ts';
import type { Loss } from '../verdicts.ts';
import { customData, displayName, number, type Prim, schemas, text, tuple } from './write-layer.ts';

/** The two prims that a joint holds together, and where the frame of the second is in that of the first at rest. */
export interface JointPlace {
  readonly name: string;
  readonly first: string;
  readonly second: string;
  readonly pose: Matrix4;
  /** The articulation begins with this joint. */
  readonly isRoot: boolean;
  /** The path of the joint of the same type that it follows. */
  readonly leader?: string | undefined;
}

const DEGREES = 180 / Math.PI;

export function fixedJointPrim({ name, first, second, pose, isRoot }: JointPlace): Prim {
  return {
    type: 'PhysicsFixedJoint',
    name,
    metadata: [schemas(...rootSchemas(isRoot))],
    properties: [...rootProperties(isRoot), ...sides([first, pose], [second, IDENTITY])],
  };
}

/** The schemas of where an articulation begins. */
export function rootSchemas(isRoot: boolean): string[] {
  return isRoot ? ['PhysicsArticulationRootAPI', 'NewtonArticulationRootAPI'] : [];
}

/** Bodies collide with each other but for those that a joint connects, and pairs that are left out. */
export function rootProperties(isRoot: boolean): string[] {
  return isRoot ? ['bool newton:selfCollisionEnabled = true'] : [];
}

/** A hinge, a slide or a ball, with a drive for what actuators, springs and dampers do. */
export function movingJointPrim(joint: Joint, place: JointPlace, servo?: Actuator): Prim {
  const { name, first, second, pose, isRoot, leader } = place;
  const anchor = translation(...joint.anchor);
  const common = [schemas(...rootSchemas(isRoot), 'MjcJointAPI'), displayName(name, joint.name)];
  if (joint.type === 'ball' || joint.type === 'free')
    return {
      type: 'PhysicsSphericalJoint',
      name,
      metadata: [...common, customData(customOf(joint))],
      properties: [...rootProperties(isRoot), ...sides([first, multiply(pose, anchor)], [second, anchor])],
    };
  const isHinge = joint.type === 'hinge';
  const scale = isHinge ? DEGREES : 1;
  const [x, y, z] = joint.axis.map((part) => -joint.reference * part) as [number, number, number];
  // At rest a joint has its reference value, and at zero both frames agree.
  const zero = isHinge ? rotation(joint.axis, -joint.reference) : translation(x, y, z);
  const { axis, turn } = axisAlong(joint.axis);
  const drive = driveOf(joint, servo);
  const freedom = isHinge ? 'angular' : 'linear';
  const driven = (what: string, value: number) => `float drive:${freedom}:physics:${what} = ${number(value)}`;
  const forNewton = newtonProperties(joint, scale);
  return {
    type: isHinge ? 'PhysicsRevoluteJoint' : 'PhysicsPrismaticJoint',
    name,
    metadata: [
      schemas(
        ...rootSchemas(isRoot),
        'MjcJointAPI',
        drive && `PhysicsDriveAPI:${freedom}`,
        forNewton.length > 0 && 'NewtonJointAPI',
        leader !== undefined && 'NewtonMimicAPI',
      ),
      displayName(name, joint.name),
      customData(customOf(joint, servo)),
    ],
    properties: [
      ...rootProperties(isRoot),
      `uniform token physics:axis = "${axis}"`,
      ...sides([first, [anchor, zero, turn].reduce(multiply, pose)], [second, multiply(anchor, turn)]),
      joint.limits && `float physics:lowerLimit = ${number(joint.limits[0] * scale)}`,
      joint.limits && `float physics:upperLimit = ${number(joint.limits[1] * scale)}`,
      ...(drive === undefined
        ? []
        : [
            `uniform token drive:${freedom}:physics:type = "force"`,
            driven('stiffness', drive.stiffness / scale),
            driven('damping', drive.damping / scale),
            driven('targetPosition', drive.target * scale),
            drive.most === undefined ? undefined : driven('maxForce', drive.most),
          ]),
      ...forNewton,
      ...(leader === undefined ? [] : mimicProperties(leader, joint.mimics, scale)),
    ],
  };
}

/** What UsdPhysics has no word for; `scale` leads from radians or metres to the unit of the joint. */
function newtonProperties({ armature, friction, velocity = 0 }: Joint, scale: number): string[] {
  return Object.entries({ armature, friction, velocityLimit: velocity * scale })
    .filter(([, value]) => value !== 0)
    .map(([name, value]) => `float newton:${name} = ${number(value)}`);
}

function mimicProperties(leader: string, mimics: Joint['mimics'], scale: number): string[] {
  return [
    `rel newton:mimicJoint = <${leader}>`,
    `float newton:mimicCoef0 = ${number((mimics?.offset ?? 0) * scale)}`,
    `float newton:mimicCoef1 = ${number(mimics?.multiplier ?? 1)}`,
  ];
}

/** What USD cannot say of joints. */
export function jointLosses({ bodies, actuators }: Pick<Mechanism, 'bodies' | 'actuators'>): Loss[] {
  const losses = new LossList();
  const servos = new Map(actuators.map((servo) => [servo.joint, servo]));
  const joints = bodies.flatMap((body) => body.joints);
  const types = new Map(joints.map(({ name, type }) => [name, type]));
  for (const joint of joints) {
    const { name, type, armature, damping, effort, friction, velocity, mimics, stiffness } = joint;
    const hasDrive = type === 'hinge' || type === 'slide';
    if (damping !== 0 && !hasDrive) losses.add('damping', name, KEPT_AS_DATA);
    if (stiffness !== 0 && !hasDrive) losses.add('spring', name, KEPT_AS_DATA);
    const keptForNewton = hasDrive ? KEPT_FOR_NEWTON : KEPT_AS_DATA;
    if (armature !== 0) losses.add('armature', name, keptForNewton);
    if (friction !== 0) losses.add('joint friction', name, keptForNewton);
    if (velocity !== undefined) losses.add('velocity limit', name, keptForNewton);
    if (effort !== undefined && isBraked(joint)) losses.add('effort', name, KEPT_AS_DATA);
    const servo = servos.get(name);
    if (servo !== undefined && servo.name !== name)
      losses.add('name', servo.name, 'a drive of USD is called as its joint');
    if (servo?.range !== undefined) losses.add('control range', name, KEPT_AS_DATA);
    if (mimics !== undefined)
      losses.add('coupled joint', name, types.get(mimics.joint) === type ? KEPT_FOR_NEWTON : KEPT_AS_DATA);
  }
  return losses.all;
}

export const KEPT_AS_DATA = 'USD has none; kept as custom data';
const KEPT_FOR_NEWTON = 'UsdPhysics has none; kept in the schema of Newton, and as custom data';

function sides(...[[first, frame0], [second, frame1]]: [[string, Matrix4], [string, Matrix4]]): string[] {
  const place = (side: 0 | 1, frame: Matrix4) => {
    const [x, y, z, w] = turnOf(frame);
    return [
      `point3f physics:localPos${side} = ${tuple([frame[12], frame[13], frame[14]])}`,
      `quatf physics:localRot${side} = ${tuple([w, x, y, z])}`,
    ];
  };
  return [
    `rel physics:body0 = <${first}>`,
    `rel physics:body1 = <${second}>`,
    ...place(0, frame0),
    ...place(1, frame1),
  ];
}

const AXES: readonly [axis: string, vector: Vector3][] = [
  ['X', [1, 0, 0]],
  ['Y', [0, 1, 0]],
  ['Z', [0, 0, 1]],
];

/** An axis of USD, and the turn that leads from it to a vector of length 1. */
function axisAlong(vector: Vector3): { axis: string; turn: Matrix4 } {
  const named = AXES.find(([, axis]) => axis.every((part, at) => part === vector[at]));
  if (named !== undefined) return { axis: named[0], turn: IDENTITY };
  const [x] = vector;
  if (x < -1 + 1e-12) return { axis: 'X', turn: rotation([0, 0, 1], Math.PI) };
  const normal = cross([1, 0, 0], vector);
  return { axis: 'X', turn: rotation(normal, Math.atan2(Math.hypot(...normal), x)) };
}

/** In newtons, metres and radians. */
interface Drive {
  readonly stiffness: number;
  readonly damping: number;
  readonly target: number;
  readonly most: number | undefined;
}

/** One drive for all that acts on a joint: its servo with its damper, or its spring and damper alone. */
function driveOf(joint: Joint, servo: Actuator | undefined): Drive | undefined {
  const { reference, springReference, effort } = joint;
  const isHeld = servo !== undefined && servo.kp > 0;
  const stiffness = isHeld ? servo.kp : joint.stiffness;
  const damping = (servo?.kv ?? 0) + joint.damping;
  if (servo === undefined && effort === undefined && stiffness === 0 && damping === 0) return undefined;
  const target = isHeld || stiffness === 0 ? reference : springReference;
  // A limit would hold for a spring and a damper, too.
  const most = servo === undefined && !isBraked(joint) ? effort : servo?.forceRange?.[1];
  return { stiffness, damping, target, most };
}

function isBraked({ stiffness, damping }: Joint): boolean {
  return stiffness !== 0 || damping !== 0;
}

/** What a drive mixes, or USD has no schema for, as a reader of ours finds it again. */
export function customOf(joint: Joint, servo?: Actuator): string[] {
  const { armature, damping, effort, friction, stiffness, springReference, velocity, mimics } = joint;
  const kept = (name: string, value: number | undefined) =>
    value === undefined || value === 0 ? [] : [`double ${name} = ${number(value)}`];
  return [
    ...kept('armature', armature),
    ...(servo !== undefined ? [`double damping = ${number(damping)}`] : kept('damping', damping)),
    ...kept('friction', friction),
    ...kept('stiffness', stiffness),
    ...kept('springReference', springReference),
    ...kept('velocity', velocity),
    ...(isBraked(joint) ? kept('effort', effort) : []),
    ...(servo?.range === undefined ? [] : [`double2 controlRange = ${tuple(servo.range)}`]),
    ...(mimics === undefined
      ? []
      : [
          `string mimics = ${text(mimics.joint)}`,
          `double multiplier = ${number(mimics.multiplier)}`,
          `double offset = ${number(mimics.offset)}`,
        ]),
  ];
}
