import { Unrenderable } from '../../errors.ts';
import { toMessageText } from '../../files.ts';
import type { Budget } from '../../limits.ts';
import type { LoadContext } from '../../load/context.ts';
import { SdfMaterials } from '../../load/sdf/materials.ts';
import { isTrue, type PlacedModel, readModels } from '../../load/sdf/models.ts';
import { axisOf, limitsOf, poseOf } from '../../load/sdf/poses.ts';
import { meshOf, planeOf, primitiveOf } from '../../load/sdf/primitive.ts';
import { childNamed, childrenNamed, numbersOf, type XmlElement } from '../../load/xml.ts';
import {
  compose,
  cross,
  IDENTITY,
  inverse,
  type Matrix4,
  multiply,
  rotated,
  transformPoint,
  unit,
} from '../../matrix.ts';
import { movedInertial } from '../inertia.ts';
import { LossList } from '../losses.ts';
import type { Body, Form, Inertial, Joint, Mechanism, Shape } from '../mechanism.ts';
import { parentsFirst, rigidGroups } from '../tree.ts';
import { MechanismMeshes } from './meshes.ts';
import { motorOf, PLAIN_JOINT } from './urdf.ts';

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
    losses: losses.all,
  };
}

interface PlacedLink {
  readonly link: XmlElement;
  /** In the world. */
  readonly frame: Matrix4;
  readonly model: PlacedModel;
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

/** A link without a mass has that which SDFormat gives it: a kilogram. @throws Unrenderable for a number that is none. */
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

interface WrittenJoint {
  readonly element: XmlElement;
  readonly name: string;
  /** A link, or undefined for the world. */
  readonly parent: string | undefined;
  readonly scope: string;
  /** In the world. */
  readonly frame: Matrix4;
  /** In the frame of its model. */
  readonly inModel: Matrix4;
}

/** The joints of models, by the links that they hold. */
class SdfJoints {
  readonly #byChild = new Map<string, WrittenJoint>();
  readonly #links: ReadonlyMap<string, PlacedLink>;
  readonly #losses: LossList;

  constructor(models: readonly PlacedModel[], links: ReadonlyMap<string, PlacedLink>, losses: LossList) {
    this.#links = links;
    this.#losses = losses;
    for (const { model, scope, frames, transform } of models) {
      for (const element of childrenNamed(model, 'joint')) {
        const name = `${scope}${element.attributes.name ?? ''}`;
        const [parent, child] = [
          this.#linkOf(element, 'parent', model, scope),
          this.#linkOf(element, 'child', model, scope),
        ];
        if (child === undefined) {
          losses.add('joint', name, 'the link that it holds is not there');
          continue;
        }
        const inModel = frames.transformOf(element);
        const joint = { element, name, parent, scope, inModel, frame: multiply(transform, inModel) };
        if (this.#byChild.has(child))
          losses.add('joint', name, 'it closes a loop: its link already hangs on another joint');
        else this.#byChild.set(child, joint);
      }
    }
  }

  /** How a link is attached that stands at `frame` in the world. */
  above(link: string, frame: Matrix4, isStatic: boolean): Pick<Body, 'parent' | 'pose' | 'joints'> {
    if (isStatic) return { parent: undefined, pose: frame, joints: [] };
    const joint = this.#byChild.get(link);
    if (joint === undefined) {
      const free = { ...PLAIN_JOINT, name: `${link}_free`, type: 'free' as const };
      return { parent: undefined, pose: frame, joints: [free] };
    }
    const base = joint.parent === undefined ? IDENTITY : (this.#links.get(joint.parent)?.frame ?? IDENTITY);
    const pose = multiply(inverse(base), frame);
    return {
      parent: joint.parent,
      pose,
      joints: this.#motions(joint, multiply(inverse(frame), joint.frame)),
    };
  }

  /** The link at an end of a joint, which can also name a frame on it. */
  #linkOf(joint: XmlElement, end: 'parent' | 'child', model: XmlElement, scope: string): string | undefined {
    let name = childNamed(joint, end)?.text ?? '';
    for (let step = 0; step < MAX_FRAMES && !this.#links.has(`${scope}${name}`); step++) {
      const frame = model.children.find((child) => child.name === 'frame' && child.attributes.name === name);
      if (frame === undefined) break;
      name = frame.attributes.attached_to ?? '';
    }
    return this.#links.has(`${scope}${name}`) ? `${scope}${name}` : undefined;
  }

  #motions(joint: WrittenJoint, inLink: Matrix4): Joint[] {
    const { element, name } = joint;
    const anchor = transformPoint(inLink, [0, 0, 0]);
    const single = (type: 'hinge' | 'slide', axis: 'axis' | 'axis2'): Joint => ({
      ...PLAIN_JOINT,
      name: axis === 'axis' ? name : `${name}_2`,
      type,
      anchor,
      ...this.#axis(joint, axis, inLink),
    });
    switch (element.attributes.type) {
      case 'fixed':
        return [];
      case 'revolute':
      case 'continuous':
        return [single('hinge', 'axis')];
      case 'prismatic':
        return [single('slide', 'axis')];
      case 'universal':
      case 'revolute2':
        return [single('hinge', 'axis'), single('hinge', 'axis2')];
      case 'ball':
        return [{ ...PLAIN_JOINT, name, type: 'ball', anchor }];
      case 'screw':
        this.#losses.add('screw', name, 'it is kept as a hinge');
        return [single('hinge', 'axis')];
      default:
        this.#losses.add(
          'joint',
          name,
          `joints of type ${toMessageText(element.attributes.type ?? '')} are kept rigid`,
        );
        return [];
    }
  }

  #axis({ element, scope, inModel }: WrittenJoint, which: 'axis' | 'axis2', inLink: Matrix4) {
    const axis = childNamed(element, which);
    const direction = unit(rotated(inLink, axisOf(axis, inModel)));
    const [dynamics, limit, mimic] = ['dynamics', 'limit', 'mimic'].map((part) => childNamed(axis, part));
    const number = (of: XmlElement | undefined, part: string, otherwise: number) =>
      numbersOf(childNamed(of, part)?.text, [otherwise])[0] ?? otherwise;
    const limits = limitsOf(axis);
    const given = (value: number) => (value > 0 ? value : undefined);
    const multiplier = number(mimic, 'multiplier', 1);
    return {
      axis: Math.hypot(...direction) === 0 ? ([0, 0, 1] as const) : direction,
      limits: limits !== undefined && limits[0] < limits[1] ? limits : undefined,
      damping: Math.max(0, number(dynamics, 'damping', 0)),
      friction: Math.max(0, number(dynamics, 'friction', 0)),
      stiffness: Math.max(0, number(dynamics, 'spring_stiffness', 0)),
      springReference: number(dynamics, 'spring_reference', 0),
      effort: given(number(limit, 'effort', -1)),
      velocity: given(number(limit, 'velocity', -1)),
      ...(mimic && {
        mimics: {
          joint: `${scope}${mimic.attributes.joint ?? ''}`,
          multiplier,
          offset: number(mimic, 'offset', 0) - multiplier * number(mimic, 'reference', 0),
        },
      }),
    };
  }
}

/** Frames on frames beyond this are a circle. */
const MAX_FRAMES = 64;

/** The shapes of links. */
class SdfShapes {
  readonly #losses: LossList;
  readonly #meshes: MechanismMeshes;
  readonly #materials: SdfMaterials;

  constructor(context: LoadContext, losses: LossList) {
    this.#losses = losses;
    this.#meshes = new MechanismMeshes(context);
    this.#materials = new SdfMaterials(context);
  }

  async of(link: XmlElement, linkName: string, path: string): Promise<Shape[]> {
    const shapes: Shape[] = [];
    for (const element of link.children) {
      if (element.name !== 'visual' && element.name !== 'collision') continue;
      const role = element.name;
      const name = `${linkName}_${element.attributes.name || role}`;
      const written = childNamed(element, 'geometry')?.children[0];
      if (written === undefined || written.name === 'empty') continue;
      const material = role === 'visual' ? await this.#materials.materialOf(element, path) : undefined;
      const form = await this.#formOf(written, path, material !== undefined);
      if (form === undefined) {
        if (written.name !== 'mesh')
          this.#losses.add('shape', name, `shapes of kind ${toMessageText(written.name)} are not converted`);
        continue;
      }
      const pose = form.type === 'plane' ? multiply(poseOf(element), facing(written)) : poseOf(element);
      const friction = role === 'collision' ? frictionOf(element) : undefined;
      shapes.push({ name, role, pose, form, material, ...(friction !== undefined && { friction }) });
    }
    return shapes;
  }

  async #formOf(written: XmlElement, from: string, isPainted: boolean): Promise<Form | undefined> {
    if (written.name === 'mesh') return this.#meshes.mesh({ ...meshOf(written), from, isPainted });
    return planeOf(written) === undefined ? primitiveOf(written) : { type: 'plane' };
  }
}

/** Turns Z to where a plane faces. */
function facing(plane: XmlElement): Matrix4 {
  const [x = 0, y = 0, z = 1] = numbersOf(childNamed(plane, 'normal')?.text, [0, 0, 1]);
  const normal = unit([x, y, z]);
  if (Math.hypot(...normal) === 0 || normal[2] > 0.999999) return IDENTITY;
  if (normal[2] < -0.999999) return compose([0, 0, 0], [1, 0, 0, 0], [1, 1, 1]);
  const [i, j, k] = cross([0, 0, 1], normal);
  const length = Math.hypot(i, j, k, 1 + normal[2]);
  return compose([0, 0, 0], [i / length, j / length, k / length, (1 + normal[2]) / length], [1, 1, 1]);
}

function frictionOf(collision: XmlElement): number | undefined {
  const ode = childNamed(childNamed(childNamed(collision, 'surface'), 'friction'), 'ode');
  const [mu = -1] = numbersOf(childNamed(ode, 'mu')?.text, [-1]);
  return mu >= 0 ? mu : undefined;
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
