import type { LoadContext } from '../context.ts';
import { movedInertial } from '../model/inertia.ts';
import {
  type Body,
  type Inertial,
  type Mechanism,
  ON_EARTH,
  PLAIN_JOINT,
  type Shape,
} from '../model/mechanism.ts';
import { parentsFirst, rigidGroups, withoutEmptyWorld } from '../model/tree.ts';
import { MechanismMeshes } from '../parts/mechanism-meshes.ts';
import { toMessageText } from '../reading/asset-files.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { childNamed, childrenNamed, type XmlElement } from '../reading/xml-elements.ts';
import type { Loss } from '../verdicts.ts';
import { originOf } from './links.ts';
import { checkNames, motorOf, UrdfJoints } from './mechanism-joints.ts';
import { readRobot } from './read.ts';
import { RobotShapes } from './shapes.ts';

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
    physics: ON_EARTH,
    faults: [],
    losses: [...joints.losses, ...extensionLosses(robot)],
  };
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

/** @throws Unrenderable for text that is not a number, and for negative numbers. */
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
