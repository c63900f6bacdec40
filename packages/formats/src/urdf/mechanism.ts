import type { MechanismReader } from '../format.ts';
import { movedInertial } from '../model/inertia.ts';
import { LossList } from '../model/losses.ts';
import { type Body, type Inertial, ON_EARTH, type Physics, PLAIN_JOINT, ROLES } from '../model/mechanism.ts';
import { parentsFirst, rigidGroups, withoutEmptyWorld } from '../model/tree.ts';
import { nameUnread } from '../model/vocabulary.ts';
import type { Budget } from '../reading/limits.ts';
import { childNamed, childrenNamed, numbersOf, type XmlElement } from '../reading/xml-elements.ts';
import { readRobot } from './document.ts';
import { gltfAxesOf, hasGltf } from './gltf-axes.ts';
import { motorOf, UrdfJoints } from './joints.ts';
import { originOf } from './origin.ts';
import { LinkShapes } from './shapes.ts';
import { faultsOf } from './structure.ts';
import { URDF } from './vocabulary.ts';

/** Reads a robot in URDF. A root that weighs something floats, unless it is called `world`. */
export const readUrdfMechanism: MechanismReader = async (
  entry,
  context,
  { roles = ROLES, ...expansion } = {},
) => {
  const { robot, parameters } = await readRobot(entry, context, expansion);
  const losses = new LossList();
  nameUnread(robot, URDF, losses);
  const joints = new UrdfJoints(robot, losses);
  const shapes = new LinkShapes(robot, entry, context);
  const found = hasGltf(robot) && roles.length > 0 ? await gltfAxesOf(robot, shapes.of.bind(shapes)) : 'y-up';
  if (found === 'unknown')
    losses.add('axes', 'meshes in glTF', 'nothing tells how they stand: Y is taken to be up, as glTF says');
  const axes = found === 'unknown' ? 'y-up' : found;
  const links = new Map<string, Body>();
  for (const link of childrenNamed(robot, 'link')) {
    const { name = '' } = link.attributes;
    const before = links.get(name);
    links.set(name, {
      ...(before ?? { name, ...joints.above(name), inertial: inertialOf(link) }),
      shapes: [...(before?.shapes ?? []), ...(await shapes.of(link, roles, axes))],
    });
  }
  const placed = parentsFirst([...links.values()], context.budget);
  const bodies = withFloatingRoots(placed, (name) => joints.isRoot(name));
  return {
    name: robot.attributes.name ?? 'robot',
    bodies: withoutEmptyWorld(bodies),
    actuators: bodies.flatMap(({ joints }) => joints.flatMap(motorOf)),
    excluded: neighboursInWorld(bodies, context.budget),
    physics: physicsOf(robot),
    losses: losses.all,
    faults: faultsOf(robot, entry),
    ...(parameters.length > 0 && { parameters }),
  };
};

function inertialOf(link: XmlElement): Inertial | undefined {
  const element = childNamed(link, 'inertial');
  if (element === undefined) return undefined;
  const number = (of: XmlElement | undefined, name: string) => {
    const text = of?.attributes[name];
    return text === undefined ? 0 : Number(text);
  };
  const mass = number(childNamed(element, 'mass'), 'value');
  const of = (name: string) => number(childNamed(element, 'inertia'), name);
  const inertia = [of('ixx'), of('iyy'), of('izz'), of('ixy'), of('ixz'), of('iyz')] as const;
  if (mass === 0 && inertia.every((moment) => moment === 0)) return undefined;
  return movedInertial({ mass, center: [0, 0, 0], inertia }, originOf(element));
}

/** What the block for MuJoCo says. */
function physicsOf(robot: XmlElement): Physics {
  const { gravity, timestep } = childNamed(childNamed(robot, 'mujoco'), 'option')?.attributes ?? {};
  const [x = 0, y = 0, z = 0] = numbersOf(gravity, ON_EARTH.gravity);
  const [step = 0] = numbersOf(timestep, [0]);
  return { gravity: [x, y, z], timestep: step > 0 ? step : undefined };
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
