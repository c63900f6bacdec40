import { isPossibleInertia } from '../model/inertia.ts';
import { named } from '../named.ts';
import { toMessageText } from '../reading/asset-files.ts';
import { childNamed, childrenNamed, type XmlElement } from '../reading/xml-elements.ts';
import type { Fault } from '../verdicts.ts';
import type { PlacedModel } from './models.ts';
import { isTrue } from './poses.ts';

/**
 * Says what keeps programs from opening a file: what `libsdformat` refuses, which most of them read SDFormat with, and
 * numbers that no simulator takes.
 */
export function faultsOf(root: XmlElement, models: readonly PlacedModel[], entry: string): Fault[] {
  const structure = new Structure(entry, Number(root.attributes.version?.split('.')[1] ?? 7));
  if (root.attributes.version === undefined)
    structure.add(root, 'it does not say which version of SDFormat it is');
  const known = new Set<XmlElement>();
  for (const model of models) {
    // A model that several places include is judged once.
    if (!known.has(model.model)) structure.model(model);
    known.add(model.model);
  }
  for (const part of [root, ...childrenNamed(root, 'world')])
    structure.unique(part, ['model', 'frame'], entry);
  for (const world of childrenNamed(root, 'world')) {
    structure.numbers(childNamed(world, 'gravity'), [3], entry);
    structure.numbers(childNamed(childNamed(world, 'physics'), 'max_step_size'), [1], entry);
  }
  return structure.faults;
}

/** More say nothing new. */
const MAX_FAULTS = 100;

const TYPES: ReadonlySet<string> = new Set([
  ...['ball', 'continuous', 'fixed', 'gearbox', 'prismatic', 'revolute', 'revolute2', 'screw', 'universal'],
]);

/** How many numbers elements have. */
const COUNTS: Readonly<Record<string, readonly number[]>> = named({
  ...{ mass: [1], density: [1] },
  ...{ ixx: [1], ixy: [1], ixz: [1], iyy: [1], iyz: [1], izz: [1] },
  ...{ radius: [1], length: [1], radii: [3], scale: [3], normal: [3] },
  ...{ xyz: [3], lower: [1], upper: [1], effort: [1], velocity: [1] },
  ...{
    damping: [1],
    friction: [1],
    spring_reference: [1],
    spring_stiffness: [1],
    multiplier: [1],
    offset: [1],
  },
  ...{
    mu: [1],
    mu2: [1],
    transparency: [1],
    ambient: [3, 4],
    diffuse: [3, 4],
    specular: [3, 4],
    emissive: [3, 4],
  },
});
/** What is inside of these is not read. */
const UNREAD: ReadonlySet<string> = new Set([
  ...['plugin', 'sensor', 'light', 'particle_emitter', 'projector', 'battery', 'gripper', 'model', 'include'],
  ...['audio_sink', 'audio_source', 'script', 'heightmap', 'physics', 'contact', 'bounce', 'velocity_decay'],
]);
const TRUTHS: ReadonlySet<string> = new Set(['static', 'self_collide', 'kinematic']);

class Structure {
  readonly faults: Fault[] = [];
  readonly #entry: string;
  readonly #minorVersion: number;

  constructor(entry: string, minorVersion: number) {
    this.#entry = entry;
    this.#minorVersion = minorVersion;
  }

  model(placed: PlacedModel): void {
    const { model, path } = placed;
    const { canonical_link: canonical, placement_frame: placement } = model.attributes;
    if (!model.attributes.name) this.add(model, 'a model has no name', path);
    this.unique(model, ['link', 'joint', 'frame', 'model'], path);
    const links = childrenNamed(model, 'link');
    const hasModels = model.children.some(({ name }) => name === 'model' || name === 'include');
    if (links.length === 0 && !hasModels && !isTrue(childNamed(model, 'static')?.text))
      this.add(model, `${shown(model)} has no links`, path);
    for (const [what, name] of Object.entries({ 'canonical link': canonical, 'placement frame': placement }))
      if (name !== undefined && name !== '' && !this.#isKnown(name, placed))
        this.add(model, `the ${what} of ${shown(model)} is not in it: ${toMessageText(name)}`, path);
    for (const link of links) this.#link(link, path);
    for (const name of placed.frames.circular())
      this.add(
        model,
        `${toMessageText(name)} is placed relative to itself: its frames go round in a circle`,
        path,
      );
    for (const element of model.children) {
      if (['link', 'joint', 'frame'].includes(element.name)) this.#base(element, placed);
      if (element.name === 'joint') this.#joint(element, placed);
      if (!UNREAD.has(element.name)) this.#values(element, path, element.attributes.name ? element : model);
    }
  }

  #link(link: XmlElement, path: string): void {
    this.unique(link, ['visual'], path);
    this.unique(link, ['collision'], path);
    const inertial = childNamed(link, 'inertial');
    const mass = Number(childNamed(inertial, 'mass')?.text || 1);
    if (inertial && mass < 0) this.add(inertial, `the mass of ${shown(link)} is ${mass}`, path, 'mass');
    const inertia = childNamed(inertial, 'inertia');
    if (inertia === undefined) return;
    const of = (name: string, otherwise: number) => Number(childNamed(inertia, name)?.text || otherwise);
    const [xx, yy, zz] = [of('ixx', 1), of('iyy', 1), of('izz', 1)];
    const moments = [xx, yy, zz, of('ixy', 0), of('ixz', 0), of('iyz', 0)] as const;
    if (moments.every(Number.isFinite) && !isPossibleInertia(moments))
      this.add(inertia, `no body has the inertia of ${shown(link)}: ${moments.join(', ')}`, path, 'inertia');
  }

  #joint(joint: XmlElement, placed: PlacedModel): void {
    const { path } = placed;
    const type = joint.attributes.type ?? '';
    if (!TYPES.has(type))
      this.add(joint, `${shown(joint)} has an unknown type: ${toMessageText(type)}`, path);
    const [parent = '', child = ''] = ['parent', 'child'].map((end) => childNamed(joint, end)?.text);
    for (const [end, name] of Object.entries({ parent, child })) {
      if (name === '') this.add(joint, `${shown(joint)} has no ${end}`, path);
      else if (!(end === 'parent' && name === 'world') && !this.#isKnown(name, placed))
        this.add(joint, `the ${end} of ${shown(joint)} is not in its model: ${toMessageText(name)}`, path);
    }
    if (parent !== '' && parent === child)
      this.add(joint, `${shown(joint)} holds ${toMessageText(child)} to itself`, path);
    for (const axis of joint.children.filter(({ name }) => name === 'axis' || name === 'axis2'))
      this.#axis(axis, joint, path);
  }

  #axis(axis: XmlElement, joint: XmlElement, path: string): void {
    const xyz = childNamed(axis, 'xyz');
    if (xyz?.text && numbersIn(xyz.text).every((part) => part === 0))
      this.add(xyz, `the axis of ${shown(joint)} has no length`, path);
    const [limit, dynamics] = [childNamed(axis, 'limit'), childNamed(axis, 'dynamics')];
    const [lower = Number.NaN, upper = Number.NaN] = ['lower', 'upper'].map((end) =>
      Number(childNamed(limit, end)?.text || Number.NaN),
    );
    if (limit && lower > upper)
      this.add(
        limit,
        `the limits of ${shown(joint)} are reversed: ${lower} is above ${upper}`,
        path,
        'limits',
      );
    for (const name of ['damping', 'friction', 'spring_stiffness']) {
      const element = childNamed(dynamics, name);
      if (element && Number(element.text) < 0)
        this.add(element, `the ${name} of ${shown(joint)} is negative: ${element.text}`, path);
    }
  }

  /** What an element is placed relative to must be there, and not be placed relative to it. */
  #base(element: XmlElement, placed: PlacedModel): void {
    const { path } = placed;
    const { attached_to: attached = '', name = '' } = element.attributes;
    const { relative_to: relative = '' } = childNamed(element, 'pose')?.attributes ?? {};
    for (const base of [attached, relative]) {
      if (base === '' || base === '__model__') continue;
      if (base === name) this.add(element, `${shown(element)} is placed relative to itself`, path);
      else if (!this.#isKnown(base, placed))
        this.add(
          element,
          `${shown(element)} is placed relative to ${toMessageText(base)}, which is not in its model`,
          path,
        );
    }
  }

  /** Numbers must be numbers, and as many as they should. */
  #values(element: XmlElement, path: string, owner: XmlElement): void {
    if (element.name === 'pose') {
      this.numbers(
        element,
        element.attributes.rotation_format === 'quat_xyzw' ? [7, 0] : [6, 0],
        path,
        owner,
      );
    } else if (element.name === 'box' || element.name === 'plane') {
      this.numbers(childNamed(element, 'size'), [element.name === 'box' ? 3 : 2], path, owner);
    } else if (COUNTS[element.name] && element.children.length === 0) {
      this.numbers(element, COUNTS[element.name] ?? [], path, owner);
    } else if (
      TRUTHS.has(element.name) &&
      !['', 'true', 'false', '1', '0'].includes(element.text.trim().toLowerCase())
    ) {
      this.add(
        element,
        `${element.name} of ${shown(owner)} is neither true nor false: ${toMessageText(element.text)}`,
        path,
      );
    }
    for (const child of element.children)
      if (!UNREAD.has(child.name)) this.#values(child, path, child.attributes.name ? child : owner);
  }

  numbers(element: XmlElement | undefined, counts: readonly number[], path: string, owner = element): void {
    if (element === undefined || owner === undefined) return;
    const numbers = numbersIn(element.text);
    if (element.text.trim() === '' || (counts.includes(numbers.length) && numbers.every(isNumber))) return;
    const wanted = counts[0] === 1 ? 'a number' : `${counts[0]} numbers`;
    this.add(
      element,
      `${element.name} of ${shown(owner)} is not ${wanted}: ${toMessageText(element.text)}`,
      path,
    );
  }

  /** Elements of these kinds need a name of their own among each other, which is not one that SDFormat reserves. */
  unique({ children }: Pick<XmlElement, 'children'>, kinds: readonly string[], path: string): void {
    // Before version 1.7 elements of different kinds could share a name.
    if (kinds.length > 1 && this.#minorVersion < 7) {
      for (const kind of kinds) this.unique({ children }, [kind], path);
      return;
    }
    const seen = new Set<string>();
    for (const element of children) {
      if (!kinds.includes(element.name)) continue;
      const { name = '' } = element.attributes;
      if (name === '') this.add(element, `a ${element.name} has no name`, path);
      else if (seen.has(name)) this.add(element, `two elements are called ${toMessageText(name)}`, path);
      else if (name === 'world' || /^__.*__$/.test(name))
        this.add(element, `${toMessageText(name)} is a name that SDFormat keeps for itself`, path);
      seen.add(name);
    }
  }

  /** Whether a name means something in a model; any can, if it includes a model that is not there. */
  #isKnown(name: string, { model, frames }: PlacedModel): boolean {
    return (
      name === '__model__' ||
      frames.transformOfNamed(name) !== undefined ||
      model.children.some((child) => child.name === 'include')
    );
  }

  add({ line }: XmlElement, message: string, file = this.#entry, of?: Fault['of']): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push({ file, line, message, ...(of && { of }) });
  }
}

function numbersIn(text: string): number[] {
  return text.trim().split(/\s+/).map(Number);
}

/** Limits may be infinite. */
function isNumber(value: number): boolean {
  return !Number.isNaN(value);
}

function shown({ name, attributes }: XmlElement): string {
  return toMessageText(attributes.name || name);
}
