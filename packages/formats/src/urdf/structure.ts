import { isPossibleInertia } from '../model/inertia.ts';
import type { Inertial } from '../model/mechanism.ts';
import { WORLD } from '../model/tree.ts';
import { named } from '../named.ts';
import { toMessageText } from '../reading/asset-files.ts';
import { childNamed, childrenNamed } from '../reading/xml-elements.ts';
import type { Fault } from '../verdicts.ts';
import type { RobotElement } from './document.ts';

/**
 * Says what keeps programs from opening a robot: what `urdfdom` refuses, which most of them read URDF with, and numbers
 * that no simulator takes.
 */
export function faultsOf(robot: RobotElement, entry: string): Fault[] {
  const structure = new Structure(entry);
  structure.robot(robot);
  return structure.faults;
}

/** More say nothing new. */
const MAX_FAULTS = 100;
const TYPES = ['revolute', 'continuous', 'prismatic', 'fixed', 'floating', 'planar', 'spherical'];
/** The numbers that the forms of URDF need. */
const MEASURES = named<Readonly<Record<string, number>>>({
  box: { size: 3 },
  cylinder: { radius: 1, length: 1 },
  capsule: { radius: 1, length: 1 },
  sphere: { radius: 1 },
  mesh: {},
});

class Structure {
  readonly faults: Fault[] = [];
  readonly #entry: string;

  constructor(entry: string) {
    this.#entry = entry;
  }

  robot(robot: RobotElement): void {
    if (!robot.attributes.name) this.#add(robot, 'the robot has no name');
    const [links, joints] = [childrenNamed(robot, 'link'), childrenNamed(robot, 'joint')];
    if (links.length === 0) this.#add(robot, 'the robot has no links');
    this.#unique(links, 'links');
    this.#unique(joints, 'joints');
    this.#unique(childrenNamed(robot, 'material'), 'materials');
    for (const link of links) this.#link(link);
    const names = new Set(links.map(nameOf));
    const jointNames = new Set(joints.map(nameOf));
    for (const joint of joints) this.#joint(joint, names, jointNames);
    this.#tree(robot, links, joints);
  }

  #link(link: RobotElement): void {
    const inertial = childNamed(link, 'inertial');
    if (inertial !== undefined) this.#inertial(inertial, link);
    for (const shape of link.children) {
      if (shape.name !== 'visual' && shape.name !== 'collision') continue;
      this.#origin(shape, link);
      const form = childNamed(shape, 'geometry')?.children[0];
      const measures = form && MEASURES[form.name];
      if (form === undefined) this.#add(shape, `a ${shape.name} of ${shown(link)} has no geometry`);
      else if (measures === undefined)
        this.#add(form, `${shown(link)} has a ${shape.name} of an unknown form: ${toMessageText(form.name)}`);
      for (const [name, count] of Object.entries(measures ?? {})) this.#numbers(form, name, count, link);
      if (form?.name === 'mesh') {
        if (!form.attributes.filename) this.#add(form, `a mesh of ${shown(link)} names no file`);
        if (form.attributes.scale !== undefined) this.#numbers(form, 'scale', 3, link);
      }
    }
  }

  #inertial(inertial: RobotElement, link: RobotElement): void {
    this.#origin(inertial, link);
    const mass = childNamed(inertial, 'mass');
    const [value] = this.#numbers(mass ?? inertial, mass ? 'value' : 'mass', 1, link, 'mass') ?? [];
    if (value !== undefined && value < 0)
      this.#add(mass ?? inertial, `the mass of ${shown(link)} is ${value}`, 'mass');
    const inertia = childNamed(inertial, 'inertia');
    if (inertia === undefined) {
      this.#add(inertial, `${shown(link)} has a mass, but no inertia`);
      return;
    }
    const moments = ['ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz'].flatMap(
      (name) => this.#numbers(inertia, name, 1, link) ?? [],
    );
    const [xx, yy, zz, xy, xz, yz] = moments;
    if (yz === undefined) return;
    if (!isPossibleInertia([xx, yy, zz, xy, xz, yz] as Inertial['inertia']))
      this.#add(inertia, `no body has the inertia of ${shown(link)}: ${moments.join(', ')}`, 'inertia');
  }

  #joint(joint: RobotElement, links: ReadonlySet<string>, joints: ReadonlySet<string>): void {
    const type = joint.attributes.type ?? '';
    this.#origin(joint, joint);
    if (!TYPES.includes(type))
      this.#add(joint, `${shown(joint)} has an unknown type: ${toMessageText(type)}`);
    for (const end of ['parent', 'child'] as const) {
      const element = childNamed(joint, end);
      const link = element?.attributes.link ?? '';
      if (link === '') this.#add(joint, `${shown(joint)} has no ${end}`);
      else if (!links.has(link))
        this.#add(
          element ?? joint,
          `the ${end} of ${shown(joint)} is not a link: ${toMessageText(link)}`,
          end === 'child' ? 'tree' : undefined,
        );
    }
    const axis = childNamed(joint, 'axis');
    if (axis?.attributes.xyz !== undefined && type !== 'fixed' && type !== 'floating') {
      const direction = this.#numbers(axis, 'xyz', 3, joint);
      if (direction?.every((part) => part === 0))
        this.#add(axis, `the axis of ${shown(joint)} has no length`);
    }
    this.#limit(joint, type);
    this.#motion(joint, joints);
  }

  #limit(joint: RobotElement, type: string): void {
    const limit = childNamed(joint, 'limit');
    if (limit === undefined) {
      if (type === 'revolute' || type === 'prismatic')
        this.#add(joint, `${shown(joint)} is ${type}, but has no limit`);
      return;
    }
    for (const name of ['effort', 'velocity']) this.#numbers(limit, name, 1, joint);
    const range = ['lower', 'upper'].map((name) =>
      limit.attributes[name] === undefined ? 0 : (this.#numbers(limit, name, 1, joint)?.[0] ?? Number.NaN),
    );
    const [lower = 0, upper = 0] = range;
    if (lower > upper)
      this.#add(limit, `the limits of ${shown(joint)} are reversed: ${lower} is above ${upper}`, 'limits');
  }

  #motion(joint: RobotElement, joints: ReadonlySet<string>): void {
    const dynamics = childNamed(joint, 'dynamics');
    const { damping, friction } = dynamics?.attributes ?? {};
    if (dynamics !== undefined && damping === undefined && friction === undefined)
      this.#add(dynamics, `the dynamics of ${shown(joint)} have neither damping nor friction`);
    for (const name of ['damping', 'friction']) {
      const [value] =
        (dynamics?.attributes[name] !== undefined && this.#numbers(dynamics, name, 1, joint)) || [];
      if (dynamics && value !== undefined && value < 0)
        this.#add(dynamics, `the ${name} of ${shown(joint)} is negative: ${value}`);
    }
    const mimic = childNamed(joint, 'mimic');
    if (mimic === undefined) return;
    const { joint: leader = '' } = mimic.attributes;
    if (!joints.has(leader))
      this.#add(mimic, `${shown(joint)} follows a joint that does not exist: ${toMessageText(leader)}`);
    for (const name of ['multiplier', 'offset'])
      if (mimic.attributes[name] !== undefined) this.#numbers(mimic, name, 1, joint);
  }

  /** Links must be one tree. */
  #tree(robot: RobotElement, links: readonly RobotElement[], joints: readonly RobotElement[]): void {
    const held = new Map<string, RobotElement>();
    for (const joint of joints) {
      const child = childNamed(joint, 'child')?.attributes.link ?? '';
      const first = held.get(child);
      if (first === undefined) held.set(child, joint);
      else
        this.#add(joint, `${toMessageText(child)} hangs on two joints: ${shown(first)} and ${shown(joint)}`);
    }
    const roots = links.filter((link) => !held.has(nameOf(link)));
    const [first, second] = roots;
    if (first === undefined && links.length > 0)
      this.#add(robot, 'no link is the root: they hang in a circle', 'tree');
    else if (first && second)
      this.#add(second, `the robot has ${roots.length} roots: ${roots.slice(0, 5).map(shown).join(', ')}`);
    if (first === undefined) return;
    const below = Map.groupBy(held, ([, joint]) => childNamed(joint, 'parent')?.attributes.link ?? '');
    const reached = new Set([WORLD, ...roots.map(nameOf)]);
    for (const name of reached) for (const [child] of below.get(name) ?? []) reached.add(child);
    const names = new Set(links.map(nameOf));
    const apart = links.find((link) => {
      const parent = childNamed(held.get(nameOf(link)), 'parent')?.attributes.link ?? '';
      return !reached.has(nameOf(link)) && names.has(parent);
    });
    if (apart !== undefined)
      this.#add(apart, `${shown(apart)} hangs on itself: its joints go round in a circle`, 'tree');
  }

  #unique(elements: readonly RobotElement[], what: string): void {
    const seen = new Set<string>();
    for (const element of elements) {
      const name = nameOf(element);
      if (name === '') this.#add(element, `one of the ${what} has no name`);
      else if (seen.has(name))
        this.#add(
          element,
          `two ${what} are called ${toMessageText(name)}`,
          what === 'materials' ? undefined : 'tree',
        );
      seen.add(name);
    }
  }

  #origin(element: RobotElement, owner: RobotElement): void {
    const origin = childNamed(element, 'origin');
    for (const [name, count] of [
      ['xyz', 3],
      ['rpy', 3],
      ['quat_xyzw', 4],
    ] as const)
      if (origin?.attributes[name] !== undefined) this.#numbers(origin, name, count, owner);
  }

  /** The numbers of an attribute; undefined, and a fault, if they are not as many, or something else. */
  #numbers(
    element: RobotElement | undefined,
    name: string,
    count: number,
    owner: RobotElement,
    what = name,
  ): number[] | undefined {
    if (element === undefined) return undefined;
    const text = element.attributes[name];
    const numbers = text?.trim().split(/\s+/).map(Number) ?? [];
    if (text?.trim() && numbers.length === count && numbers.every(Number.isFinite)) return numbers;
    const wanted = count === 1 ? 'a number' : `${count} numbers`;
    const found = text === undefined ? 'is missing' : `is not ${wanted}: ${toMessageText(text)}`;
    this.#add(element, `${what} of ${shown(owner)} ${found}`);
    return undefined;
  }

  #add({ file = this.#entry, line }: RobotElement, message: string, of?: Fault['of']): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push({ file, line, message, ...(of && { of }) });
  }
}

function nameOf({ attributes }: RobotElement): string {
  return attributes.name ?? '';
}

function shown(element: RobotElement): string {
  return toMessageText(nameOf(element) || element.name);
}
