import { Unrenderable } from '../../errors.ts';
import { toMessageText } from '../../files.ts';
import type { Budget } from '../../limits.ts';
import type { LoadContext } from '../../load/context.ts';
import { readRobot } from '../../load/urdf.ts';
import { originOf, type RobotJoint, readJoints } from '../../load/urdf-links.ts';
import { RobotShapes } from '../../load/urdf-shapes.ts';
import { childNamed, childrenNamed, numbersOf, type XmlElement } from '../../load/xml.ts';
import { cross, IDENTITY, unit, type Vector3 } from '../../matrix.ts';
import { movedInertial } from '../inertia.ts';
import type { Actuator, Body, Inertial, Joint, Loss, Mechanism, Shape } from '../mechanism.ts';
import { parentsFirst, rigidGroups, WORLD, withoutEmptyWorld } from '../tree.ts';
import { MechanismMeshes } from './meshes.ts';

/**
 * Reads a robot in URDF. A root that weighs something floats, unless it is called `world`. @throws Unrenderable for links
 * that are not a tree, and for masses that are not numbers.
 */
export async function readUrdfMechanism(entry: string, context: LoadContext): Promise<Mechanism> {
  const { robot } = await readRobot(entry, context);
  const shapes = await readShapes(robot, entry, context);
  const joints = new UrdfJoints(robot);
  const links = childrenNamed(robot, 'link').map((link): Body => {
    const { name = '' } = link.attributes;
    return { name, ...joints.above(name), inertial: inertialOf(link), shapes: shapes.get(name) ?? [] };
  });
  checkNames(
    links.map(({ name }) => name),
    'links',
  );
  const bodies = withFloatingRoots(parentsFirst(links, context.budget), (name) => joints.isRoot(name));
  return {
    name: robot.attributes.name ?? 'robot',
    bodies: withoutEmptyWorld(bodies),
    actuators: bodies.flatMap(({ joints }) => joints.flatMap(motorOf)),
    excluded: neighboursInWorld(bodies, context.budget),
    losses: [...joints.losses, ...extensionLosses(robot)],
  };
}

function checkNames(names: readonly string[], what: string): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw new Unrenderable(`two ${what} are called ${toMessageText(name || 'nothing')}`);
    seen.add(name);
  }
}

/** The shapes of each link. */
async function readShapes(
  robot: XmlElement,
  entry: string,
  context: LoadContext,
): Promise<Map<string, Shape[]>> {
  const meshes = new MechanismMeshes(context);
  const described = new RobotShapes(robot, entry, context);
  const shapes = new Map<string, Shape[]>();
  for (const role of ['visual', 'collision'] as const) {
    for (const { link, name, transform: pose, form: written, material } of await described.described(role)) {
      const form = written.type === 'mesh' ? await meshes.mesh({ ...written, from: entry }) : written;
      if (form === undefined) continue;
      const ofLink = shapes.get(link) ?? [];
      ofLink.push({ name: name || `${link}_${role}`, role, pose, form, material });
      shapes.set(link, ofLink);
    }
  }
  return shapes;
}

/** @throws Unrenderable for a number that is none, and for less than nothing. */
function inertialOf(link: XmlElement): Inertial | undefined {
  const element = childNamed(link, 'inertial');
  if (element === undefined) return undefined;
  const subject = toMessageText(link.attributes.name ?? '');
  const number = (of: XmlElement | undefined, name: string) => {
    const text = of?.attributes[name];
    const value = text === undefined || text.trim() === '' ? 0 : Number(text);
    if (!Number.isFinite(value))
      throw new Unrenderable(
        `${name === 'value' ? 'mass' : name} of ${subject} is not a number: ${toMessageText(text ?? '')}`,
      );
    return value;
  };
  const mass = number(childNamed(element, 'mass'), 'value');
  if (mass < 0) throw new Unrenderable(`the mass of ${subject} is negative: ${mass}`);
  const of = (name: string) => number(childNamed(element, 'inertia'), name);
  const inertia = [of('ixx'), of('iyy'), of('izz'), of('ixy'), of('ixz'), of('iyz')] as const;
  if (mass === 0 && inertia.every((moment) => moment === 0)) return undefined;
  return movedInertial({ mass, center: [0, 0, 0], inertia }, originOf(element));
}

type Attachment = Pick<Body, 'parent' | 'pose' | 'joints'>;

/** The joints of a robot, by the links that they hold. */
class UrdfJoints {
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

/** A joint that does nothing but hold. */
export const PLAIN_JOINT: Omit<Joint, 'name' | 'type'> = {
  anchor: [0, 0, 0],
  axis: Z,
  reference: 0,
  limits: undefined,
  damping: 0,
  friction: 0,
  armature: 0,
  stiffness: 0,
  springReference: 0,
  effort: undefined,
  velocity: undefined,
};

function slides(name: string, ...axes: Vector3[]): Joint[] {
  return axes.map((axis, index) => ({
    ...PLAIN_JOINT,
    name: `${name}_${'xyz'[index]}`,
    type: 'slide',
    axis,
  }));
}

/** Roots that weigh something, with all that is fixed to them, can go anywhere. */
function withFloatingRoots(bodies: readonly Body[], isRoot: (name: string) => boolean): Body[] {
  const groups = new Map<string, string | undefined>();
  const heavy = new Set<string>();
  for (const { name, parent, joints, inertial } of bodies) {
    const root = isRoot(name)
      ? name
      : joints.length > 0 || parent === undefined
        ? undefined
        : groups.get(parent);
    groups.set(name, root);
    if (root !== undefined && inertial !== undefined) heavy.add(root);
  }
  return bodies.map((body) =>
    heavy.has(body.name) && isRoot(body.name)
      ? { ...body, joints: [{ ...PLAIN_JOINT, name: `${body.name}_free`, type: 'free' }] }
      : body,
  );
}

/** What drives a joint that says how strong it is. */
export function motorOf({ name, effort, mimics }: Joint): Actuator[] {
  if (effort === undefined || mimics !== undefined) return [];
  const range = [-effort, effort] as const;
  return [{ name, joint: name, type: 'motor', range, forceRange: undefined, gear: 1, kp: 0, kv: 0 }];
}

/**
 * Links on a joint overlap by design, so URDF's simulators let them. MuJoCo does that too, but not for what stands in
 * the world.
 */
function neighboursInWorld(bodies: readonly Body[], budget: Budget): [string, string][] {
  const groups = rigidGroups(bodies);
  const colliding = bodies.filter(({ shapes }) => shapes.some(({ role }) => role === 'collision'));
  const byGroup = Map.groupBy(colliding, ({ name }) => groups.get(name));
  const standing = byGroup.get(undefined) ?? [];
  const moving = bodies.filter(
    ({ parent, joints }) => joints.length > 0 && parent !== undefined && groups.get(parent) === undefined,
  );
  return moving.flatMap(({ name: group }) =>
    (byGroup.get(group) ?? []).flatMap(({ name }) =>
      standing.map(({ name: stand }): [string, string] => {
        budget.spend('nodes', 1);
        return [stand, name];
      }),
    ),
  );
}

/** What robots carry for programs other than a simulator of rigid bodies. */
function extensionLosses(robot: XmlElement): Loss[] {
  const extensions = childrenNamed(robot, 'gazebo');
  const inside = (name: string) => extensions.flatMap((element) => deepNamed(element, name));
  const nameOf = ({ attributes }: XmlElement) => attributes.name ?? attributes.filename ?? '';
  const found: readonly (readonly [string, readonly XmlElement[], string])[] = [
    ['plugin', inside('plugin'), 'it is a program of Gazebo'],
    ['sensor', [...inside('sensor'), ...childrenNamed(robot, 'sensor')], 'sensors are not converted'],
    ['transmission', childrenNamed(robot, 'transmission'), 'it describes a controller'],
    ['ros2_control', childrenNamed(robot, 'ros2_control'), 'it describes a controller'],
    ['safety_controller', jointsWith(robot, 'safety_controller'), 'it describes a controller'],
  ];
  return found
    .filter(([, elements]) => elements.length > 0)
    .map(([what, elements, why]) => ({ what, names: [...new Set(elements.map(nameOf))], why }));
}

function deepNamed(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => (child.name === name ? [child] : deepNamed(child, name)));
}

function jointsWith(robot: XmlElement, name: string): XmlElement[] {
  return childrenNamed(robot, 'joint').filter((joint) => childNamed(joint, name) !== undefined);
}
