import type { LossList } from '../model/losses.ts';
import { cross, IDENTITY, unit, type Vector3 } from '../model/matrix.ts';
import { type Actuator, type Body, type Joint, PLAIN_JOINT } from '../model/mechanism.ts';
import { CIRCLE, circular, WORLD } from '../model/tree.ts';
import { childNamed, childrenNamed, numbersOf, type XmlElement } from '../reading/xml-elements.ts';
import { originOf } from './origin.ts';

type Attachment = Pick<Body, 'parent' | 'pose' | 'joints'>;

/** The joints of a robot, by the links that they hold. A link that two joints hold keeps the first. */
export class UrdfJoints {
  readonly #byChild = new Map<string, XmlElement>();
  readonly #links: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;
  readonly #losses: LossList;

  constructor(robot: XmlElement, losses: LossList) {
    this.#losses = losses;
    const joints = childrenNamed(robot, 'joint');
    this.#links = new Set(childrenNamed(robot, 'link').map(nameOf));
    this.#names = new Set(joints.map(nameOf));
    for (const joint of joints) {
      const child = linkAt(joint, 'child');
      if (!this.#links.has(child)) losses.add('joint', nameOf(joint), 'the link that it holds is not there');
      else if (this.#byChild.has(child))
        losses.add('joint', nameOf(joint), 'it closes a loop: its link already hangs on another joint');
      else this.#byChild.set(child, joint);
    }
    const parents = new Map([...this.#byChild].map(([child, joint]) => [child, linkAt(joint, 'parent')]));
    for (const child of circular(parents)) {
      losses.add('joint', nameOf(this.#byChild.get(child)), CIRCLE);
      this.#byChild.delete(child);
    }
  }

  /** Whether nothing holds a link that could move. */
  isRoot(link: string): boolean {
    return link !== WORLD && !this.#byChild.has(link);
  }

  /** How a link is attached. A parent that is not a link is the world. */
  above(link: string): Attachment {
    const joint = this.#byChild.get(link);
    if (joint === undefined) return { parent: undefined, pose: IDENTITY, joints: [] };
    const parent = linkAt(joint, 'parent');
    const isInWorld = parent === WORLD || !this.#links.has(parent);
    return {
      parent: isInWorld ? undefined : parent,
      pose: originOf(joint),
      joints: this.#motions(joint, isInWorld),
    };
  }

  #motions(joint: XmlElement, isInWorld: boolean): readonly Joint[] {
    const name = nameOf(joint);
    switch (joint.attributes.type) {
      case 'revolute':
      case 'continuous':
        return [this.#single('hinge', joint)];
      case 'prismatic':
        return [this.#single('slide', joint)];
      case 'floating':
        return isInWorld
          ? [{ ...PLAIN_JOINT, name, type: 'free' }]
          : [...slides(name, X, Y, Z), { ...PLAIN_JOINT, name: `${name}_turn`, type: 'ball' }];
      case 'planar': {
        const normal = axisOf(joint);
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

  #single(type: 'hinge' | 'slide', joint: XmlElement): Joint {
    const name = nameOf(joint);
    const [dynamics, limit, mimic] = ['dynamics', 'limit', 'mimic'].map((part) => childNamed(joint, part));
    const number = (of: XmlElement | undefined, attribute: string, otherwise = 0) =>
      numbersOf(of?.attributes[attribute], [otherwise])[0] ?? otherwise;
    const leader = mimic?.attributes.joint ?? '';
    const isKnown = mimic === undefined || this.#names.has(leader);
    if (!isKnown) this.#losses.add('mimic', name, 'the joint to follow does not exist');
    return {
      ...PLAIN_JOINT,
      name,
      type,
      axis: axisOf(joint),
      limits: this.#limits(joint, [number(limit, 'lower'), number(limit, 'upper')]),
      damping: Math.max(0, number(dynamics, 'damping')),
      friction: Math.max(0, number(dynamics, 'friction')),
      effort: limited(number(limit, 'effort')),
      velocity: limited(number(limit, 'velocity')),
      ...(mimic &&
        isKnown && {
          mimics: {
            joint: leader,
            multiplier: number(mimic, 'multiplier', 1),
            offset: number(mimic, 'offset'),
          },
        }),
    };
  }

  #limits(joint: XmlElement, limits: readonly [number, number]): Joint['limits'] {
    if (joint.attributes.type === 'continuous') return undefined;
    if (limits[0] < limits[1])
      return limits.some((limit) => Math.abs(limit) < UNLIMITED) ? limits : undefined;
    this.#losses.add('limits', nameOf(joint), 'the upper limit is not above the lower: moves without limits');
    return undefined;
  }
}

/** From this on, a number that URDF wants stands for no limit. */
export const UNLIMITED = 1e9;

function limited(value: number): number | undefined {
  return value > 0 && value < UNLIMITED ? value : undefined;
}

function nameOf(element: XmlElement | undefined): string {
  return element?.attributes.name ?? '';
}

function linkAt(joint: XmlElement, end: 'parent' | 'child'): string {
  return childNamed(joint, end)?.attributes.link ?? '';
}

const [X, Y, Z] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
] as const;

/** In the frame of the joint. */
function axisOf(joint: XmlElement): Vector3 {
  const [x = 1, y = 0, z = 0] = numbersOf(childNamed(joint, 'axis')?.attributes.xyz, [1, 0, 0]);
  return Math.hypot(x, y, z) === 0 ? X : unit([x, y, z]);
}

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
