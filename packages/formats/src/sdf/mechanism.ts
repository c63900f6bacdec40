import type { MechanismReader } from '../format.ts';
import { LossList } from '../model/losses.ts';
import { multiply } from '../model/matrix.ts';
import { type Body, ON_EARTH, type Physics, ROLES } from '../model/mechanism.ts';
import { parentsFirst, rigidGroups } from '../model/tree.ts';
import { nameUnread } from '../model/vocabulary.ts';
import type { Budget } from '../reading/limits.ts';
import { childNamed, childrenNamed, numbersOf, type XmlElement } from '../reading/xml-elements.ts';
import { motorOf } from '../urdf/joints.ts';
import { automaticInertial, inertialOf } from './inertial.ts';
import { type PlacedLink, SdfJoints } from './joints.ts';
import { type PlacedModel, readModels } from './models.ts';
import { isTrue } from './poses.ts';
import { SdfShapes } from './shapes.ts';
import { faultsOf } from './structure.ts';
import { SDF } from './vocabulary.ts';

/** Reads the models of a file in SDFormat. Links of a model that is not static, and that no joint holds, are free. */
export const readSdfMechanism: MechanismReader = async (entry, context, { roles = ROLES } = {}) => {
  const { root, models } = await readModels(entry, context);
  const losses = new LossList();
  nameUnread(root, SDF.root, losses);
  for (const { model } of models) nameUnread(model, SDF.model, losses);
  const links = placedLinks(models);
  const joints = new SdfJoints(models, links, losses);
  const shapes = new SdfShapes(context);
  const inertial = async (link: XmlElement, name: string, path: string) => {
    if (!isTrue(childNamed(link, 'inertial')?.attributes.auto)) return inertialOf(link);
    const computed = automaticInertial(link, name, await shapes.of(link, name, path, ['collision']));
    if (computed === undefined) losses.add('inertial', name, 'nothing that collides encloses a volume');
    return computed;
  };
  const bodies: Body[] = [];
  for (const [name, { link, frame, model }] of links) {
    bodies.push({
      name,
      ...joints.above(name, frame, model.isStatic),
      inertial: model.isStatic ? undefined : await inertial(link, name, model.path),
      shapes: await shapes.of(link, name, model.path, roles),
    });
  }
  const sorted = parentsFirst(bodies, context.budget);
  return {
    name: models[0]?.model.attributes.name ?? 'model',
    bodies: sorted,
    actuators: sorted.flatMap((body) => body.joints.flatMap(motorOf)),
    excluded: notColliding(sorted, links, context.budget),
    physics: physicsOf(root),
    losses: losses.all,
    faults: faultsOf(root, models, entry),
  };
};

/** Of two links with one name, the first counts. */
function placedLinks(models: readonly PlacedModel[]): Map<string, PlacedLink> {
  const links = new Map<string, PlacedLink>();
  for (const model of models) {
    for (const link of childrenNamed(model.model, 'link')) {
      const name = `${model.scope}${link.attributes.name ?? ''}`;
      if (links.has(name)) continue;
      links.set(name, { link, frame: multiply(model.transform, model.frames.transformOf(link)), model });
    }
  }
  return links;
}

/** What the first world of the file says. */
function physicsOf(root: XmlElement): Physics {
  const world = childNamed(root, 'world');
  if (world === undefined) return ON_EARTH;
  const gravity = childNamed(world, 'gravity')?.text;
  const [x = 0, y = 0, z = 0] = numbersOf(gravity, gravity === undefined ? [0, 0, -9.8] : [0, 0, 0]);
  const [step = 0] = numbersOf(childNamed(childNamed(world, 'physics'), 'max_step_size')?.text, [0]);
  return { gravity: [x, y, z], timestep: step > 0 ? step : undefined };
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
