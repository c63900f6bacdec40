import {
  IDENTITY,
  type Matrix4,
  multiply,
  rollPitchYaw,
  rotation,
  translation,
  unit,
  type Vector3,
} from '../model/matrix.ts';
import type { Front, Instance, RobotCounts } from '../model/scene.ts';
import type { Budget } from '../reading/limits.ts';
import { childNamed, childrenNamed, numbersOf, type XmlElement } from '../reading/xml-elements.ts';

/** The `<origin>` of a joint, visual or collision. */
export function originOf(element: XmlElement): Matrix4 {
  const origin = childNamed(element, 'origin');
  const [x = 0, y = 0, z = 0] = numbersOf(origin?.attributes.xyz, [0, 0, 0]);
  const [roll = 0, pitch = 0, yaw = 0] = numbersOf(origin?.attributes.rpy, [0, 0, 0]);
  return multiply(translation(x, y, z), rollPitchYaw(roll, pitch, yaw));
}

/** How one link is attached to another. */
export interface RobotJoint {
  readonly name: string;
  readonly type: 'fixed' | 'hinge' | 'slide' | 'other';
  readonly parent: string;
  readonly child: string;
  /** From the frame of the joint to that of its parent. */
  readonly origin: Matrix4;
  /** From the frame of its child to that of the joint, if these differ. */
  readonly childOrigin?: Matrix4;
  /** In the frame of the joint, of any length. */
  readonly axis: Vector3;
  /** In radians or metres; undefined for a joint without limits. */
  readonly limits?: readonly [lower: number, upper: number] | undefined;
  /** Its value in a picture. */
  readonly rest: number;
  /** It follows another joint: `multiplier` times its value, plus `offset`. */
  readonly mimics?:
    | { readonly joint: string; readonly multiplier: number; readonly offset: number }
    | undefined;
}

/** The motion of a joint at a value in radians or metres. */
export function motionOf({ type, axis }: Pick<RobotJoint, 'type' | 'axis'>, value: number): Matrix4 {
  if (value === 0) return IDENTITY;
  switch (type) {
    case 'slide': {
      const [x, y, z] = unit(axis);
      return translation(x * value, y * value, z * value);
    }
    case 'hinge':
      return rotation(axis, value);
    default:
      return IDENTITY;
  }
}

/** The transform of a link to the frame of the robot's root, and how it can move. */
export interface PlacedLink {
  readonly transform: Matrix4;
  /** The same for all links that are fixed to each other; 0 for those that are fixed to the root. */
  readonly part: number;
  /** How many movable joints are between it and the root. */
  readonly joints: number;
}

/** A link that nothing moves. */
export const ROOT: PlacedLink = { transform: IDENTITY, part: 0, joints: 0 };

/** Places the links of a robot, by name. A link that is the child of two joints keeps the first. */
export function placeLinks(robot: XmlElement, budget: Budget): Map<string, PlacedLink> {
  const joints = readJoints(robot);
  const byParent = Map.groupBy(joints, (joint) => joint.parent);
  const children = new Set(joints.map((joint) => joint.child));
  const placed = new Map<string, PlacedLink>();
  const links = childrenNamed(robot, 'link').map(({ attributes }) => attributes.name ?? '');
  // A parent that is not a link is the world, which some files do not declare.
  for (const name of [...links, ...byParent.keys()]) {
    if (!children.has(name)) placed.set(name, ROOT);
  }
  const waiting = [...placed.keys()];
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    const base = placed.get(parent) ?? ROOT;
    for (const joint of byParent.get(parent) ?? []) {
      const { child, origin, rest, type } = joint;
      if (placed.has(child)) continue;
      budget.spend('nodes', 1);
      const isFixed = type === 'fixed';
      placed.set(child, {
        transform: multiply(base.transform, multiply(origin, motionOf(joint, rest))),
        part: isFixed ? base.part : placed.size,
        joints: base.joints + (isFixed ? 0 : 1),
      });
      waiting.push(child);
    }
  }
  return placed;
}

const TYPES: Readonly<Record<string, RobotJoint['type']>> = {
  fixed: 'fixed',
  revolute: 'hinge',
  continuous: 'hinge',
  prismatic: 'slide',
};

export function readJoints(robot: XmlElement): RobotJoint[] {
  return childrenNamed(robot, 'joint').map(readJoint);
}

function readJoint(element: XmlElement): RobotJoint {
  const [x = 1, y = 0, z = 0] = numbersOf(childNamed(element, 'axis')?.attributes.xyz, [1, 0, 0]);
  const limits = limitsOf(element);
  const mimic = childNamed(element, 'mimic')?.attributes;
  return {
    name: element.attributes.name ?? '',
    type: TYPES[element.attributes.type ?? ''] ?? 'other',
    parent: childNamed(element, 'parent')?.attributes.link ?? '',
    child: childNamed(element, 'child')?.attributes.link ?? '',
    origin: originOf(element),
    axis: [x, y, z],
    limits,
    rest: limits === undefined ? 0 : restBetween(limits),
    mimics: mimic && {
      joint: mimic.joint ?? '',
      multiplier: numbersOf(mimic.multiplier, [1])[0] ?? 1,
      offset: numbersOf(mimic.offset, [0])[0] ?? 0,
    },
  };
}

function limitsOf(element: XmlElement): [number, number] | undefined {
  if (element.attributes.type !== 'revolute' && element.attributes.type !== 'prismatic') return undefined;
  const limit = childNamed(element, 'limit');
  const [lower = 0] = numbersOf(limit?.attributes.lower, [0]);
  const [upper = 0] = numbersOf(limit?.attributes.upper, [0]);
  return [lower, upper];
}

/** Zero, or the middle of limits that exclude it. */
export function restBetween([lower, upper]: readonly [number, number]): number {
  return lower > upper || (lower <= 0 && upper >= 0) ? 0 : (lower + upper) / 2;
}

/** A shape in the frame of the link that carries it. */
export interface LinkShape {
  readonly link: string;
  readonly instance: Instance;
}

/** Links connected by joints, Z up. */
/** An argument of a robot in macros that chooses among robots, or switches something. */
export interface RobotParameter {
  readonly name: string;
  readonly value: string;
  /** What else it can be, and `value`. */
  readonly values: readonly string[];
}

export interface JointedRobot {
  readonly links: readonly string[];
  readonly joints: readonly RobotJoint[];
  readonly shapes: readonly LinkShape[];
  /** Transforms of links without a parent; links that are not listed are at the origin. */
  readonly roots?: ReadonlyMap<string, Matrix4>;
  readonly front: Front;
  /** Mass of all links, in kilograms. */
  readonly mass: number;
  /** Of a robot in macros. */
  readonly parameters?: readonly RobotParameter[];
}

/** Counts the links of a robot and what can move. */
export function countRobot({
  links,
  joints,
  mass,
}: Pick<JointedRobot, 'links' | 'joints' | 'mass'>): RobotCounts {
  const movable = joints.filter(({ type, mimics }) => (type === 'hinge' || type === 'slide') && !mimics);
  return { bodies: links.length, joints: movable.length, mass };
}
