import {
  compose,
  IDENTITY,
  inverse,
  type Matrix4,
  multiply,
  rollPitchYaw,
  rotated,
  translation,
  type Vector3,
} from '../model/matrix.ts';
import { circular } from '../model/tree.ts';
import { childNamed, numbersOf, type XmlElement } from '../reading/xml-elements.ts';

const DEGREE = Math.PI / 180;

/** The `<pose>` of an element: `x y z roll pitch yaw`, in degrees if it says so, or a place and a quaternion. */
export function poseOf(element: XmlElement): Matrix4 {
  const pose = childNamed(element, 'pose');
  if (pose === undefined) return IDENTITY;
  const { degrees, rotation_format: format } = pose.attributes;
  const [x = 0, y = 0, z = 0, ...turn] = numbersOf(pose.text, [0, 0, 0, 0, 0, 0, 0]);
  if (format === 'quat_xyzw') {
    const [i = 0, j = 0, k = 0, w = 0] = turn;
    const length = Math.hypot(i, j, k, w);
    return compose(
      [x, y, z],
      length === 0 ? [0, 0, 0, 1] : [i / length, j / length, k / length, w / length],
      [1, 1, 1],
    );
  }
  const unit = isTrue(degrees) ? DEGREE : 1;
  const [roll = 0, pitch = 0, yaw = 0] = turn.map((angle) => angle * unit);
  return multiply(translation(x, y, z), rollPitchYaw(roll, pitch, yaw));
}

/** A truth value of SDFormat. */
export function isTrue(text: string | undefined): boolean {
  return ['true', '1'].includes(text?.trim().toLowerCase() ?? '');
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
  readonly #merged: readonly XmlElement[];
  readonly #canonical: string | undefined;

  constructor(model: XmlElement) {
    for (const child of model.children) {
      const { name } = child.attributes;
      if (!FRAMES.has(child.name) || name === undefined) continue;
      // Before version 1.7 a joint could have the name of a link, which then meant the link.
      if (child.name !== 'joint' || !this.#byName.has(name)) this.#byName.set(name, child);
    }
    this.#merged = [...this.#byName.values()].filter(({ attributes }) => attributes.merge === 'true');
    this.#canonical = model.attributes.canonical_link || undefined;
  }

  /** From the frame of an element to that of its model. */
  transformOf(element: XmlElement, steps = 0): Matrix4 {
    const own = poseOf(element);
    const named = baseOf(element);
    const base =
      named === undefined || steps > MAX_STEPS ? undefined : this.#named(named, element, steps + 1);
    return base === undefined ? own : multiply(base, own);
  }

  /** From the frame with a name to that of the model; undefined if there is none. */
  transformOfNamed(name: string): Matrix4 | undefined {
    return this.#named(name, undefined, 0);
  }

  /** One frame of each circle in which frames are placed relative to themselves. */
  circular(): Set<string> {
    return circular(new Map([...this.#byName].map(([name, element]) => [name, baseOf(element)])));
  }

  #named(name: string, from: XmlElement | undefined, steps: number): Matrix4 | undefined {
    if (steps > MAX_STEPS) return undefined;
    const found = this.#byName.get(name);
    if (found !== undefined) return found === from ? undefined : this.#frameOf(found, steps);
    for (const [inside, model] of this.#modelsNaming(name)) {
      const within = this.#framesIn(model).#named(inside, from, steps + 1);
      if (within !== undefined) return multiply(this.#frameOf(model, steps), within);
    }
    return undefined;
  }

  /** Like `transformOf`, but for a model that is placed by one of its frames, its own frame. */
  #frameOf(element: XmlElement, steps: number): Matrix4 {
    const { placement_frame: placement } = element.attributes;
    const placed = placement && this.#framesIn(element).#named(placement, undefined, steps + 1);
    const transform = this.transformOf(element, steps);
    return placed ? multiply(transform, inverse(placed)) : transform;
  }

  /** The link that carries a frame, by its name in the model: the link itself, or what a frame, joint or model is on. */
  linkOf(name: string, steps = 0): string | undefined {
    if (steps > MAX_STEPS) return undefined;
    if (name === '__model__') return this.#canonicalLink(steps);
    const found = this.#byName.get(name);
    if (found?.name === 'link') return name;
    if (found?.name === 'frame') return this.linkOf(found.attributes.attached_to || '__model__', steps + 1);
    if (found?.name === 'joint') return this.linkOf(childNamed(found, 'child')?.text ?? '', steps + 1);
    const ways = found?.name === 'model' ? [['__model__', found] as const] : this.#modelsNaming(name);
    for (const [inside, model] of ways) {
      const link = this.#framesIn(model).linkOf(inside, steps + 1);
      if (link !== undefined)
        return this.#merged.includes(model) ? link : `${model.attributes.name}::${link}`;
    }
    return undefined;
  }

  #canonicalLink(steps: number): string | undefined {
    const parts = [...this.#byName.values()];
    const first = ['link', 'model'].flatMap((kind) => parts.filter((part) => part.name === kind))[0];
    return this.linkOf(this.#canonical ?? first?.attributes.name ?? '', steps + 1);
  }

  #framesIn(model: XmlElement): ModelFrames {
    const known = this.#inner.get(model) ?? new ModelFrames(model);
    this.#inner.set(model, known);
    return known;
  }

  /** The models that a name can lead into, with the name there: by its first part, or because they are merged. */
  *#modelsNaming(name: string): Generator<[string, XmlElement]> {
    const end = name.indexOf('::');
    const scoped = end < 0 ? undefined : this.#byName.get(name.slice(0, end));
    if (scoped?.name === 'model') yield [name.slice(end + 2), scoped];
    for (const model of this.#merged) yield [name, model];
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

/** Limits from this value on, in radians or metres, mean none. */
const UNLIMITED = 1e6;

/** The limits of an `<axis>`; undefined for one that goes on. */
export function limitsOf(axis: XmlElement | undefined): [number, number] | undefined {
  const limit = childNamed(axis, 'limit');
  const [lower = -Infinity] = numbersOf(childNamed(limit, 'lower')?.text, [-Infinity]);
  const [upper = Infinity] = numbersOf(childNamed(limit, 'upper')?.text, [Infinity]);
  return limitsBetween(lower, upper);
}

/** Limits as SDFormat has them; undefined for none. */
export function limitsBetween(lower: number, upper: number): [number, number] | undefined {
  if (lower <= -UNLIMITED && upper >= UNLIMITED) return undefined;
  return [lower <= -UNLIMITED ? -Infinity : lower, upper >= UNLIMITED ? Infinity : upper];
}

/**
 * The axis in the frame of a joint, which is `joint` in its model. It can be given in another frame, and before version 1.5
 * it was given in that of the model.
 */
export function axisOf(
  axis: XmlElement | undefined,
  joint: Matrix4,
  { frames, minorVersion }: { readonly frames: ModelFrames; readonly minorVersion: number },
): Vector3 {
  const xyz = childNamed(axis, 'xyz');
  const [x = 0, y = 0, z = 1] = numbersOf(xyz?.text, [0, 0, 1]);
  const isOfModel = minorVersion < 5 || isTrue(childNamed(axis, 'use_parent_model_frame')?.text);
  const named = isOfModel ? '__model__' : (xyz?.attributes.expressed_in ?? '');
  const frame = named === '__model__' ? IDENTITY : frames.transformOfNamed(named);
  return frame === undefined ? [x, y, z] : rotated(multiply(inverse(joint), frame), [x, y, z]);
}
