import { IDENTITY, inverse, type Matrix4, multiply, rotated, type Vector3 } from '../../matrix.ts';
import { type RobotJoint, restBetween } from '../urdf-links.ts';
import { childNamed, numbersOf, type XmlElement } from '../xml.ts';
import type { ModelFrames } from './poses.ts';

/** Limits from this value on, in radians or metres, mean none. */
const UNLIMITED = 1e6;

const TYPES: Readonly<Record<string, RobotJoint['type']>> = {
  fixed: 'fixed',
  revolute: 'hinge',
  continuous: 'hinge',
  prismatic: 'slide',
};

/** What reading a joint requires of its model. */
interface Surroundings {
  /** Prefix of the names of the model's links. */
  readonly scope: string;
  /** From the frame of the model to that of the world. */
  readonly transform: Matrix4;
  readonly frames: ModelFrames;
  /** From the frame of each link to that of the world. */
  readonly links: ReadonlyMap<string, Matrix4>;
}

export function readJoint(
  element: XmlElement,
  { scope, transform, frames, links }: Surroundings,
): RobotJoint {
  const nameOf = (part: string) => `${scope}${childNamed(element, part)?.text ?? ''}`;
  const own = frames.transformOf(element);
  const placed = multiply(transform, own);
  const [parent, child] = [nameOf('parent'), nameOf('child')];
  const axis = childNamed(element, 'axis');
  const limits = limitsOf(axis);
  return {
    name: `${scope}${element.attributes.name ?? ''}`,
    type: TYPES[element.attributes.type ?? ''] ?? 'other',
    parent: links.has(parent) ? parent : 'world',
    child,
    origin: multiply(inverse(links.get(parent) ?? IDENTITY), placed),
    childOrigin: multiply(inverse(placed), links.get(child) ?? placed),
    axis: axisOf(axis, own),
    limits,
    rest: limits === undefined ? 0 : restBetween(limits),
  };
}

export function massOf(link: XmlElement): number {
  return numbersOf(childNamed(childNamed(link, 'inertial'), 'mass')?.text, [0])[0] ?? 0;
}

function limitsOf(axis: XmlElement | undefined): [number, number] | undefined {
  const limit = childNamed(axis, 'limit');
  const [lower = -Infinity] = numbersOf(childNamed(limit, 'lower')?.text, [-Infinity]);
  const [upper = Infinity] = numbersOf(childNamed(limit, 'upper')?.text, [Infinity]);
  return lower > -UNLIMITED && upper < UNLIMITED ? [lower, upper] : undefined;
}

/** The axis in the frame of the joint; files can also give it in that of the model. */
function axisOf(axis: XmlElement | undefined, joint: Matrix4): Vector3 {
  const xyz = childNamed(axis, 'xyz');
  const [x = 0, y = 0, z = 1] = numbersOf(xyz?.text, [0, 0, 1]);
  const isOfModel =
    xyz?.attributes.expressed_in === '__model__' ||
    /^(?:true|1)$/.test(childNamed(axis, 'use_parent_model_frame')?.text ?? '');
  return isOfModel ? rotated(inverse(joint), [x, y, z]) : [x, y, z];
}
