import { type ExpandedModel, expandXacro } from '@bindery/formats';
import { readable, Unrenderable } from '../errors.ts';
import type { AssetFiles } from '../files.ts';
import { box, capsule, cylinder, ellipsoid } from '../geometry/primitives.ts';
import type { Budget } from '../limits.ts';
import { type Matrix4, multiply } from '../matrix.ts';
import { srgbToLinear } from '../picture.ts';
import {
  DEFAULT_MATERIAL,
  type Geometry,
  type Instance,
  type Material,
  type Scene,
  type Texture,
} from '../scene.ts';
import type { LoadContext } from './context.ts';
import { frontOf, type MovableInstance } from './front.ts';
import { PartMeshes } from './part-meshes.ts';
import {
  type JointedRobot,
  type LinkShape,
  originOf,
  type PlacedLink,
  placeLinks,
  ROOT,
  type RobotParameter,
  readJoints,
} from './urdf-links.ts';
import { childNamed, childrenNamed, numbersOf, parseXml, type XmlElement } from './xml.ts';

/** Loads a robot in URDF with all joints at rest: the visuals of its links, or collision shapes if it has none. */
export async function loadUrdf(entry: string, context: LoadContext): Promise<Scene> {
  const { robot } = await readRobot(entry, context);
  const shapes = placed(await visibleShapes(robot, entry, context), placeLinks(robot, context.budget));
  return { up: 'z', front: frontOf(shapes), points: [], instances: shapes.map(({ instance }) => instance) };
}

/** The shapes that viewers show first: visuals, or collision shapes if there are none. */
async function visibleShapes(
  robot: XmlElement,
  entry: string,
  context: LoadContext,
): Promise<readonly LinkShape[]> {
  const loader = new RobotLoader(robot, entry, context);
  const visuals = await loader.shapes('visual');
  return visuals.length > 0 ? visuals : loader.shapes('collision');
}

/** Loads a robot whose joints can be moved; one in macros with the arguments that are `given`. */
export async function loadUrdfRobot(
  entry: string,
  context: LoadContext,
  role?: 'collision',
  given?: ReadonlyMap<string, string>,
): Promise<JointedRobot> {
  const { robot, parameters } = await readRobot(entry, context, given);
  const shapes = role
    ? await new RobotLoader(robot, entry, context).shapes(role)
    : await visibleShapes(robot, entry, context);
  const masses = childrenNamed(robot, 'link').map(
    (link) => numbersOf(childNamed(childNamed(link, 'inertial'), 'mass')?.attributes.value, [0])[0] ?? 0,
  );
  return {
    links: childrenNamed(robot, 'link').map(({ attributes }) => attributes.name ?? ''),
    joints: readJoints(robot),
    shapes,
    front: frontOf(placed(shapes, placeLinks(robot, context.budget))),
    mass: masses.reduce((sum, mass) => sum + mass, 0),
    ...(parameters.length > 0 && { parameters }),
  };
}

interface ReadRobot {
  readonly robot: XmlElement;
  readonly parameters: readonly RobotParameter[];
}

async function readRobot(
  entry: string,
  { files, budget }: LoadContext,
  given?: ReadonlyMap<string, string>,
): Promise<ReadRobot> {
  await files.readPackageNames();
  const robot = parseXml(await files.read(entry), budget);
  if (robot.name !== 'robot') throw new Unrenderable('not a URDF: the root element is not <robot>');
  if (!hasMacros(robot)) return { robot, parameters: [] };
  const expanded = await expandRobot(entry, files, given);
  spendNodes(expanded.root, budget);
  return { robot: expanded.root, parameters: parametersOf(expanded) };
}

/** The arguments of which it is known what they can be. */
function parametersOf({ arguments: used, choices }: ExpandedModel): RobotParameter[] {
  return [...used].flatMap(([name, value]) => {
    const values = choices.get(name) ?? SWITCHES.find((one) => one.includes(value));
    return values === undefined ? [] : [{ name, value, values }];
  });
}

const SWITCHES: readonly (readonly string[])[] = [
  ['false', 'true'],
  ['False', 'True'],
];

/** Expands a robot in xacro. Files are read one by one as they turn out to be needed, each time from the beginning. */
async function expandRobot(
  entry: string,
  files: AssetFiles,
  given?: ReadonlyMap<string, string>,
): Promise<ExpandedModel> {
  const read = new Map<string, Uint8Array>();
  for (;;) {
    let needed: string | undefined;
    try {
      const macros = {
        index: files.index,
        read: (path: string) => {
          const bytes = read.get(path);
          if (bytes !== undefined) return bytes;
          needed = path;
          throw new NotReadYet();
        },
      };
      return readable(() => expandXacro(entry, macros, given));
    } catch (error) {
      if (!(error instanceof NotReadYet) || needed === undefined) throw error;
      read.set(needed, await files.read(needed));
    }
  }
}

class NotReadYet extends Error {}

function spendNodes({ children }: XmlElement, budget: Budget): void {
  budget.spend('nodes', 1);
  for (const child of children) spendNodes(child, budget);
}

function placed(shapes: readonly LinkShape[], links: ReadonlyMap<string, PlacedLink>): MovableInstance[] {
  return shapes.map(({ link, instance }) => {
    const { transform, part, joints } = links.get(link) ?? ROOT;
    return { part, joints, instance: { ...instance, transform: multiply(transform, instance.transform) } };
  });
}

/** Elements of xacro that do not affect the rest of the file. */
const HARMLESS: ReadonlySet<string> = new Set(['xacro:arg', 'xacro:property']);
const MEASURED: ReadonlySet<string> = new Set(['origin', 'box', 'cylinder', 'sphere', 'capsule', 'mesh']);

/** Whether shapes or placements are macros of xacro; names with `${…}` in them are drawn as they are. */
function hasMacros({ name, attributes, children }: XmlElement): boolean {
  if (name.startsWith('xacro:') && !HARMLESS.has(name)) return true;
  if (MEASURED.has(name) && Object.values(attributes).some((value) => /\$[{(]/.test(value))) return true;
  return children.some(hasMacros);
}

class RobotLoader {
  readonly #robot: XmlElement;
  readonly #entry: string;
  readonly #context: LoadContext;
  readonly #meshes: PartMeshes;

  constructor(robot: XmlElement, entry: string, context: LoadContext) {
    this.#robot = robot;
    this.#entry = entry;
    this.#context = context;
    this.#meshes = new PartMeshes(context);
  }

  async shapes(role: 'visual' | 'collision'): Promise<LinkShape[]> {
    const shapes: LinkShape[] = [];
    for (const { attributes, children } of childrenNamed(this.#robot, 'link')) {
      for (const shape of children.filter((child) => child.name === role)) {
        const instances = await this.#shape(shape, originOf(shape));
        shapes.push(...instances.map((instance) => ({ link: attributes.name ?? '', instance })));
      }
    }
    return shapes;
  }

  async #shape(shape: XmlElement, transform: Matrix4): Promise<Instance[]> {
    const form = childNamed(shape, 'geometry')?.children[0];
    if (form === undefined) return [];
    const material = await this.#material(childNamed(shape, 'material'));
    if (form.name === 'mesh') {
      const { filename, uri = '', scale } = form.attributes;
      const [uniform = 1] = numbersOf(scale, [1]);
      const [x = 1, y = 1, z = 1] = numbersOf(scale, [uniform, uniform, uniform]);
      return this.#meshes.place({
        reference: filename ?? uri,
        from: this.#entry,
        scale: [x, y, z],
        transform,
        material,
        keepsOwnMaterials: true,
      });
    }
    const geometry = primitive(form);
    if (geometry === undefined) return [];
    return [{ geometry, material: material ?? DEFAULT_MATERIAL, transform }];
  }

  async #material(element: XmlElement | undefined): Promise<Material | undefined> {
    if (element === undefined) return undefined;
    const named = childrenNamed(this.#robot, 'material').find(
      (one) => one.attributes.name === element.attributes.name,
    );
    const color = childNamed(element, 'color') ?? childNamed(named, 'color');
    const file = childNamed(element, 'texture') ?? childNamed(named, 'texture');
    if (color === undefined && file === undefined) return undefined;
    const [red = 1, green = 1, blue = 1, alpha = 1] = numbersOf(color?.attributes.rgba, [1, 1, 1, 1]);
    return {
      ...DEFAULT_MATERIAL,
      baseColor: [srgbToLinear(red), srgbToLinear(green), srgbToLinear(blue), alpha],
      baseColorTexture: file && (await this.#texture(file.attributes.filename ?? '')),
      alphaMode: alpha < 0.999 ? 'blend' : 'opaque',
    };
  }

  #texture(reference: string): Promise<Texture | undefined> {
    const { files, textures } = this.#context;
    return textures.loadReferenced(reference, files.resolve(this.#entry, reference));
  }
}

function primitive(form: XmlElement): Geometry | undefined {
  const { attributes } = form;
  const [radius = 0, length = 0] = [
    ...numbersOf(attributes.radius, [0]),
    ...numbersOf(attributes.length, [0]),
  ];
  switch (form.name) {
    case 'box': {
      const [x = 0, y = 0, z = 0] = numbersOf(attributes.size, [0, 0, 0]);
      return box(x / 2, y / 2, z / 2);
    }
    case 'sphere':
      return ellipsoid(radius, radius, radius);
    case 'cylinder':
      return cylinder(radius, length / 2);
    case 'capsule':
      return capsule(radius, length / 2);
    default:
      return undefined;
  }
}
