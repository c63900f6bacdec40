import type { LoadContext } from '../context.ts';
import { movedInertial } from '../model/inertia.ts';
import { LossList } from '../model/losses.ts';
import { IDENTITY, multiply } from '../model/matrix.ts';
import { type Body, type Inertial, type Mechanism, ON_EARTH } from '../model/mechanism.ts';
import { parentsFirst, rigidGroups } from '../model/tree.ts';
import { toMessageText } from '../reading/asset-files.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { childNamed, childrenNamed, type XmlElement } from '../reading/xml-elements.ts';
import { motorOf } from '../urdf/mechanism-joints.ts';
import { type PlacedLink, SdfJoints } from './mechanism-joints.ts';
import { SdfShapes } from './mechanism-shapes.ts';
import { isTrue, type PlacedModel, readModels } from './models.ts';
import { poseOf } from './poses.ts';

/**
 * Reads the models of a file in SDFormat. Links of a model that is not static, and that no joint holds, are free.
 * @throws Unrenderable for links that are not a tree, and for masses that are not numbers.
 */
export async function readSdfMechanism(entry: string, context: LoadContext): Promise<Mechanism> {
  const models = await readModels(entry, context);
  const losses = new LossList();
  const links = placedLinks(models);
  const joints = new SdfJoints(models, links, losses);
  const shapes = new SdfShapes(context, losses);
  const bodies: Body[] = [];
  for (const [name, { link, frame, model }] of links) {
    noteExtensions(link, name, losses);
    bodies.push({
      name,
      ...joints.above(name, frame, model.isStatic),
      inertial: model.isStatic ? undefined : inertialOf(link, name),
      shapes: await shapes.of(link, name, model.path),
    });
  }
  for (const { model, scope } of models)
    noteExtensions(model, `${scope}${model.attributes.name ?? ''}`, losses);
  const sorted = parentsFirst(bodies, context.budget);
  return {
    name: models[0]?.model.attributes.name ?? 'model',
    bodies: sorted,
    actuators: sorted.flatMap((body) => body.joints.flatMap(motorOf)),
    excluded: notColliding(sorted, links, context.budget),
    physics: ON_EARTH,
    faults: [],
    losses: losses.all,
  };
}

function placedLinks(models: readonly PlacedModel[]): Map<string, PlacedLink> {
  const links = new Map<string, PlacedLink>();
  for (const model of models) {
    for (const link of childrenNamed(model.model, 'link')) {
      const name = `${model.scope}${link.attributes.name ?? ''}`;
      if (links.has(name)) throw new Unrenderable(`two links are called ${toMessageText(name)}`);
      links.set(name, { link, frame: multiply(model.transform, model.frames.transformOf(link)), model });
    }
  }
  return links;
}

/** A link without a mass has that which SDFormat gives it: a kilogram. @throws Unrenderable for text that is not a number. */
function inertialOf(link: XmlElement, name: string): Inertial | undefined {
  const element = childNamed(link, 'inertial');
  const number = (of: XmlElement | undefined, part: string, otherwise: number) => {
    const text = childNamed(of, part)?.text?.trim();
    const value = text === undefined || text === '' ? otherwise : Number(text);
    if (Number.isFinite(value)) return value;
    throw new Unrenderable(`${part} of ${toMessageText(name)} is not a number: ${toMessageText(text ?? '')}`);
  };
  const mass = number(element, 'mass', 1);
  if (mass < 0) throw new Unrenderable(`the mass of ${toMessageText(name)} is negative: ${mass}`);
  const moments = childNamed(element, 'inertia');
  const of = (part: string, otherwise: number) => number(moments, part, otherwise);
  const inertia = [
    of('ixx', 1),
    of('iyy', 1),
    of('izz', 1),
    of('ixy', 0),
    of('ixz', 0),
    of('iyz', 0),
  ] as const;
  return movedInertial(
    { mass, center: [0, 0, 0], inertia },
    element === undefined ? IDENTITY : poseOf(element),
  );
}

/** Links of one model pass through each other, unless it says otherwise. */
function notColliding(
  bodies: readonly Body[],
  links: ReadonlyMap<string, PlacedLink>,
  budget: Budget,
): [string, string][] {
  const groups = rigidGroups(bodies);
  const colliding = bodies.filter(({ shapes }) => shapes.some(({ role }) => role === 'collision'));
  const byModel = Map.groupBy(colliding, ({ name }) => links.get(name)?.model);
  return [...byModel].flatMap(([placed, alike]) => {
    if (placed === undefined || isTrue(childNamed(placed.model, 'self_collide')?.text)) return [];
    return alike.flatMap(({ name }, at) => {
      const others = alike.slice(at + 1).filter((other) => groups.get(other.name) !== groups.get(name));
      budget.spend('nodes', others.length);
      return others.map((other): [string, string] => [name, other.name]);
    });
  });
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  plugin: 'it is a program of Gazebo',
  sensor: 'sensors are not converted',
  light: 'lights are not converted',
  particle_emitter: 'particle effects are not converted',
  gripper: 'it describes a controller',
  battery: 'it is for plugins of Gazebo',
};

/** Names what a link or a model has beside links and joints. */
function noteExtensions({ children }: XmlElement, owner: string, losses: LossList): void {
  for (const { name, attributes, text } of children) {
    const why = EXTENSIONS[name];
    if (why !== undefined) losses.add(name, attributes.name ?? owner, why);
    if (name === 'gravity' && !isTrue(text)) losses.add('gravity', owner, 'it is the same for all links');
  }
}
