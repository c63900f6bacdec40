import { cross, IDENTITY, unit, type Vector3 } from '../model/matrix.ts';
import { type Actuator, type Body, type Joint, PLAIN_JOINT } from '../model/mechanism.ts';
import { WORLD } from '../model/tree.ts';
import { toMessageText } from '../reading/asset-files.ts';
import { Unrenderable } from '../reading/errors.ts';
import { childNamed, childrenNamed, numbersOf, type XmlElement } from '../reading/xml-elements.ts';
import type { Loss } from '../verdicts.ts';
import { type RobotJoint, readJoints } from './links.ts';

type Attachment = Pick<Body, 'parent' | 'pose' | 'joints'>;

/** The joints of a robot, by the links that they hold. */
export class UrdfJoints {
  readonly #byChild = new Map<string, { readonly joint: RobotJoint; readonly element: XmlElement }>();
  readonly #links: ReadonlySet<string>;
  readonly #loops: string[] = [];
  readonly #withoutRange: string[] = [];
  readonly #unknownMimics: string[] = [];
  readonly #names: ReadonlySet<string>;

  constructor(robot: XmlElement) {
    this.#links = new Set(childrenNamed(robot, 'link').map(({ attributes }) => attributes.name ?? ''));
    const elements = childrenNamed(robot, 'joint');
    const joints = readJoints(robot);
    checkNames(
      joints.map(({ name }) => name),
      'joints',
    );
    this.#names = new Set(joints.map(({ name }) => name));
    for (const [index, joint] of joints.entries()) {
      if (!this.#links.has(joint.child)) {
        const [name, child] = [toMessageText(joint.name), toMessageText(joint.child)];
        throw new Unrenderable(`joint ${name} holds ${child}, which is not a link`);
      }
      if (this.#byChild.has(joint.child)) this.#loops.push(joint.name);
      else this.#byChild.set(joint.child, { joint, element: elements[index] as XmlElement });
    }
  }

  /** Whether nothing holds a link that could move. */
  isRoot(link: string): boolean {
    return link !== WORLD && !this.#byChild.has(link);
  }

  /** How a link is attached. A parent that is not a link is the world. */
  above(link: string): Attachment {
    const found = this.#byChild.get(link);
    if (found === undefined) return { parent: undefined, pose: IDENTITY, joints: [] };
    const { joint, element } = found;
    const { parent, origin: pose } = joint;
    const isInWorld = parent === WORLD || !this.#links.has(parent);
    return { parent: isInWorld ? undefined : parent, pose, joints: this.#motions(joint, element, isInWorld) };
  }

  get losses(): Loss[] {
    const losses = [
      { what: 'joint', names: this.#loops, why: 'it closes a loop: its link already hangs on another joint' },
      {
        what: 'limits',
        names: this.#withoutRange,
        why: 'the upper limit is not above the lower: moves without limits',
      },
      { what: 'mimic', names: this.#unknownMimics, why: 'the joint to follow does not exist' },
    ];
    return losses.filter(({ names }) => names.length > 0);
  }

  #motions(joint: RobotJoint, element: XmlElement, isInWorld: boolean): readonly Joint[] {
    const { name, axis } = joint;
    switch (element.attributes.type) {
      case 'revolute':
      case 'continuous':
        return [this.#single('hinge', joint, element)];
      case 'prismatic':
        return [this.#single('slide', joint, element)];
      case 'floating':
        return isInWorld
          ? [{ ...PLAIN_JOINT, name, type: 'free' }]
          : [...slides(name, X, Y, Z), { ...PLAIN_JOINT, name: `${name}_turn`, type: 'ball' }];
      case 'planar': {
        const normal = unit(axis);
        const across = unit(cross(normal, Math.abs(normal[0]) < 0.9 ? X : Y));
        return [
          ...slides(name, across, cross(normal, across)),
          { ...PLAIN_JOINT, name: `${name}_turn`, type: 'hinge', axis: normal },
        ];
      }
      default:
        return [];
    }
  }

  #single(type: 'hinge' | 'slide', joint: RobotJoint, element: XmlElement): Joint {
    const { name, axis, limits, mimics } = joint;
    const isKnown = mimics === undefined || this.#names.has(mimics.joint);
    if (!isKnown) this.#unknownMimics.push(name);
    const hasRange = limits === undefined || limits[0] < limits[1];
    const isLimited = hasRange && limits?.some((limit) => Math.abs(limit) < UNLIMITED);
    if (!hasRange) this.#withoutRange.push(name);
    const direction = unit(axis);
    const [dynamics, limit] = [childNamed(element, 'dynamics'), childNamed(element, 'limit')];
    const number = (of: XmlElement | undefined, attribute: string) =>
      numbersOf(of?.attributes[attribute], [0])[0] ?? 0;
    return {
      ...PLAIN_JOINT,
      name,
      type,
      axis: Math.hypot(...direction) === 0 ? X : direction,
      limits: isLimited ? limits : undefined,
      damping: Math.max(0, number(dynamics, 'damping')),
      friction: Math.max(0, number(dynamics, 'friction')),
      effort: limited(number(limit, 'effort')),
      velocity: limited(number(limit, 'velocity')),
      ...(isKnown && { mimics }),
    };
  }
}

/** From this on, a number that URDF wants stands for no limit. */
export const UNLIMITED = 1e9;

function limited(value: number): number | undefined {
  return value > 0 && value < UNLIMITED ? value : undefined;
}

const [X, Y, Z] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
] as const;

function slides(name: string, ...axes: Vector3[]): Joint[] {
  return axes.map((axis, index) => ({
    ...PLAIN_JOINT,
    name: `${name}_${'xyz'[index]}`,
    type: 'slide',
    axis,
  }));
}

/** What drives a joint that says how strong it is. */
export function motorOf({ name, effort, mimics }: Joint): Actuator[] {
  if (effort === undefined || mimics !== undefined) return [];
  const range = [-effort, effort] as const;
  return [{ name, joint: name, type: 'motor', range, forceRange: undefined, gear: 1, kp: 0, kv: 0 }];
}

/** @throws Unrenderable for two of the same name. */
export function checkNames(names: readonly string[], what: string): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw new Unrenderable(`two ${what} are called ${toMessageText(name || 'nothing')}`);
    seen.add(name);
  }
}
