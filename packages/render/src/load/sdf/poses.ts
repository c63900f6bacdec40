import { type Matrix4, multiply, rollPitchYaw, translation } from '../../matrix.ts';
import { childNamed, childrenNamed, numbersOf, type XmlElement } from '../xml.ts';

const DEGREE = Math.PI / 180;

/** The `<pose>` of an element: `x y z roll pitch yaw`, in degrees if it says so. Quaternions are not supported. */
export function poseOf(element: XmlElement): Matrix4 {
  const pose = childNamed(element, 'pose');
  const [x = 0, y = 0, z = 0, ...angles] = numbersOf(pose?.text, [0, 0, 0, 0, 0, 0]);
  const unit = pose?.attributes.degrees === 'true' ? DEGREE : 1;
  const [roll = 0, pitch = 0, yaw = 0] = angles.map((angle) => angle * unit);
  return multiply(translation(x, y, z), rollPitchYaw(roll, pitch, yaw));
}

/** Elements of a model that have a pose and that others can name. */
const FRAMES: ReadonlySet<string> = new Set(['link', 'frame', 'joint', 'model', 'include']);
/** Cycles of frames that refer to each other are cut after this many steps. */
const MAX_STEPS = 64;

/** Poses in a model by SDFormat 1.7: relative to the model, for a joint to its child, or as `relative_to` says. */
export class ModelFrames {
  readonly #byName = new Map<string, XmlElement>();

  constructor(model: XmlElement) {
    for (const child of model.children) {
      const { name } = child.attributes;
      if (FRAMES.has(child.name) && name !== undefined) this.#byName.set(name, child);
    }
  }

  /** From the frame of an element to that of its model. */
  transformOf(element: XmlElement, steps = 0): Matrix4 {
    const own = poseOf(element);
    const base = this.#baseOf(element);
    if (base === undefined || base === element || steps > MAX_STEPS) return own;
    return multiply(this.transformOf(base, steps + 1), own);
  }

  #baseOf(element: XmlElement): XmlElement | undefined {
    const named =
      childNamed(element, 'pose')?.attributes.relative_to ??
      // Older versions named the frame by another attribute.
      childNamed(element, 'pose')?.attributes.frame ??
      element.attributes.attached_to ??
      (element.name === 'joint' ? childNamed(element, 'child')?.text : undefined);
    return named ? this.#byName.get(named) : undefined;
  }
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
