import {
  IDENTITY,
  inverse,
  type Matrix4,
  multiply,
  rollPitchYaw,
  rotated,
  translation,
  type Vector3,
} from '../model/matrix.ts';
import { childNamed, childrenNamed, numbersOf, type XmlElement } from '../reading/xml-elements.ts';
import { type RobotJoint, restBetween } from '../urdf/links.ts';

const DEGREE = Math.PI / 180;

/**
 * The `<pose>` of an element: `x y z roll pitch yaw`, in degrees if it says so. Quaternions are not supported. An included
 * model has two, the first that of its `<include>`.
 */
export function poseOf(element: XmlElement): Matrix4 {
  return childrenNamed(element, 'pose').reduce((matrix, { text, attributes }) => {
    const [x = 0, y = 0, z = 0, ...angles] = numbersOf(text, [0, 0, 0, 0, 0, 0]);
    const unit = attributes.degrees === 'true' ? DEGREE : 1;
    const [roll = 0, pitch = 0, yaw = 0] = angles.map((angle) => angle * unit);
    return multiply(matrix, multiply(translation(x, y, z), rollPitchYaw(roll, pitch, yaw)));
  }, IDENTITY);
}

/** Elements of a model that have a pose and that others can name. */
const FRAMES: ReadonlySet<string> = new Set(['link', 'frame', 'joint', 'model', 'include']);
/** Cycles of frames that refer to each other are cut after this many steps. */
const MAX_STEPS = 64;

/**
 * Poses in a model by SDFormat 1.7 and later: relative to the model, for a joint to its child, or as `relative_to` says.
 * `model::link` names a link of a model in this one.
 */
export class ModelFrames {
  readonly #byName = new Map<string, XmlElement>();
  readonly #inner = new Map<XmlElement, ModelFrames>();

  constructor(model: XmlElement) {
    for (const child of model.children) {
      const { name } = child.attributes;
      if (FRAMES.has(child.name) && name !== undefined) this.#byName.set(name, child);
    }
  }

  /** From the frame of an element to that of its model. */
  transformOf(element: XmlElement, steps = 0): Matrix4 {
    const own = poseOf(element);
    const named = baseOf(element);
    const base =
      named === undefined || steps > MAX_STEPS ? undefined : this.#named(named, element, steps + 1);
    return base === undefined ? own : multiply(base, own);
  }

  #named(name: string, from: XmlElement, steps: number): Matrix4 | undefined {
    const found = this.#byName.get(name);
    if (found !== undefined) return found === from ? undefined : this.transformOf(found, steps);
    for (const [inside, model] of this.#modelsNaming(name)) {
      let inner = this.#inner.get(model);
      if (inner === undefined) {
        inner = new ModelFrames(model);
        this.#inner.set(model, inner);
      }
      const within = inner.#named(inside, from, steps + 1);
      if (within !== undefined) return multiply(this.transformOf(model, steps), within);
    }
    return undefined;
  }

  /** The models that a name can lead into, with the name there: by its first part, or because they are merged. */
  *#modelsNaming(name: string): Generator<[string, XmlElement]> {
    const end = name.indexOf('::');
    const scoped = end < 0 ? undefined : this.#byName.get(name.slice(0, end));
    if (scoped?.name === 'model') yield [name.slice(end + 2), scoped];
    for (const child of this.#byName.values()) if (child.attributes.merge === 'true') yield [name, child];
  }
}

/** The name of the frame that the pose of an element is relative to. */
function baseOf(element: XmlElement): string | undefined {
  const named =
    childNamed(element, 'pose')?.attributes.relative_to ??
    // Older versions named the frame by another attribute.
    childNamed(element, 'pose')?.attributes.frame ??
    element.attributes.attached_to ??
    (element.name === 'joint' ? childNamed(element, 'child')?.text : undefined);
  return named === '' || named === '__model__' ? undefined : named;
}

/** The links of a model that joints move, each with how many joints are between it and a link that cannot move. */
export function jointsAbove(model: XmlElement): ReadonlyMap<string, number> {
  const parents = new Map<string, string>();
  for (const joint of childrenNamed(model, 'joint')) {
    const [parent, child] = [childNamed(joint, 'parent')?.text, childNamed(joint, 'child')?.text];
    if (joint.attributes.type !== 'fixed' && parent !== undefined && child !== undefined) {
      parents.set(child, parent);
    }
  }
  const counts = new Map<string, number>();
  for (const child of parents.keys()) {
    let count = 0;
    for (let at: string | undefined = child; at !== undefined && count < MAX_STEPS; at = parents.get(at))
      count++;
    counts.set(child, count - 1);
  }
  return counts;
}

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

/** The limits of an `<axis>`; undefined for one that goes on. */
export function limitsOf(axis: XmlElement | undefined): [number, number] | undefined {
  const limit = childNamed(axis, 'limit');
  const [lower = -Infinity] = numbersOf(childNamed(limit, 'lower')?.text, [-Infinity]);
  const [upper = Infinity] = numbersOf(childNamed(limit, 'upper')?.text, [Infinity]);
  return lower > -UNLIMITED && upper < UNLIMITED ? [lower, upper] : undefined;
}

/** The axis in the frame of the joint; files can also give it in that of the model. */
export function axisOf(axis: XmlElement | undefined, joint: Matrix4): Vector3 {
  const xyz = childNamed(axis, 'xyz');
  const [x = 0, y = 0, z = 1] = numbersOf(xyz?.text, [0, 0, 1]);
  const isOfModel =
    xyz?.attributes.expressed_in === '__model__' ||
    /^(?:true|1)$/.test(childNamed(axis, 'use_parent_model_frame')?.text ?? '');
  return isOfModel ? rotated(inverse(joint), [x, y, z]) : [x, y, z];
}
