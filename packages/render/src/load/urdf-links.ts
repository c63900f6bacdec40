import type { Budget } from '../limits.ts';
import { IDENTITY, type Matrix4, multiply, rollPitchYaw, rotation, translation } from '../matrix.ts';
import { childNamed, childrenNamed, numbersOf, type XmlElement } from './xml.ts';

/** The `<origin>` of a joint, visual or collision. */
export function originOf(element: XmlElement): Matrix4 {
  const origin = childNamed(element, 'origin');
  const [x = 0, y = 0, z = 0] = numbersOf(origin?.attributes.xyz, [0, 0, 0]);
  const [roll = 0, pitch = 0, yaw = 0] = numbersOf(origin?.attributes.rpy, [0, 0, 0]);
  return multiply(translation(x, y, z), rollPitchYaw(roll, pitch, yaw));
}

interface Joint {
  readonly parent: string;
  readonly child: string;
  readonly transform: Matrix4;
  readonly isFixed: boolean;
}

/** Where a link lies in the frame of the robot's root, and what moves it. */
export interface PlacedLink {
  readonly transform: Matrix4;
  /** The same for all links that are fixed to each other; 0 for those that are fixed to the root. */
  readonly part: number;
  /** How many joints that move lie between it and the root. */
  readonly joints: number;
}

/** What nothing moves. */
export const ROOT: PlacedLink = { transform: IDENTITY, part: 0, joints: 0 };

/** The links of a robot by name. A link that two joints claim keeps the first. */
export function placeLinks(robot: XmlElement, budget: Budget): Map<string, PlacedLink> {
  const joints = childrenNamed(robot, 'joint').map(readJoint);
  const byParent = Map.groupBy(joints, (joint) => joint.parent);
  const children = new Set(joints.map((joint) => joint.child));
  const placed = new Map<string, PlacedLink>();
  const links = childrenNamed(robot, 'link').map(({ attributes }) => attributes.name ?? '');
  // A parent that is no link is the world, which some files do not declare.
  for (const name of [...links, ...byParent.keys()]) {
    if (!children.has(name)) placed.set(name, ROOT);
  }
  const waiting = [...placed.keys()];
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    const base = placed.get(parent) ?? ROOT;
    for (const { child, transform, isFixed } of byParent.get(parent) ?? []) {
      if (placed.has(child)) continue;
      budget.spend('nodes', 1);
      placed.set(child, {
        transform: multiply(base.transform, transform),
        part: isFixed ? base.part : placed.size,
        joints: base.joints + (isFixed ? 0 : 1),
      });
      waiting.push(child);
    }
  }
  return placed;
}

function readJoint(element: XmlElement): Joint {
  return {
    parent: childNamed(element, 'parent')?.attributes.link ?? '',
    child: childNamed(element, 'child')?.attributes.link ?? '',
    transform: multiply(originOf(element), restMotion(element)),
    isFixed: element.attributes.type === 'fixed',
  };
}

/** The motion of a joint at rest: none, or to the middle of its limits where these leave out zero. */
function restMotion(element: XmlElement): Matrix4 {
  const limit = childNamed(element, 'limit');
  const [lower = 0, upper = 0] = [
    ...numbersOf(limit?.attributes.lower, [0]),
    ...numbersOf(limit?.attributes.upper, [0]),
  ];
  const value = lower > upper || (lower <= 0 && upper >= 0) ? 0 : (lower + upper) / 2;
  if (value === 0) return IDENTITY;
  const [x = 1, y = 0, z = 0] = numbersOf(childNamed(element, 'axis')?.attributes.xyz, [1, 0, 0]);
  switch (element.attributes.type) {
    case 'prismatic': {
      const length = Math.hypot(x, y, z) || 1;
      return translation((x / length) * value, (y / length) * value, (z / length) * value);
    }
    case 'revolute':
      return rotation([x, y, z], value);
    default:
      return IDENTITY;
  }
}
