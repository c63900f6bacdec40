import type { LoadContext } from '../context.ts';
import type { FormatReader } from '../format.ts';
import { frontOf, type MovableInstance } from '../model/front.ts';
import { multiply } from '../model/matrix.ts';
import type { Scene } from '../model/scene.ts';
import type { AssetFiles } from '../reading/asset-files.ts';
import { readable, Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { childNamed, childrenNamed, numbersOf, parseXml, type XmlElement } from '../reading/xml-elements.ts';
import { type ExpandedModel, type ExpansionGap, expandXacro } from '../xacro/expand.ts';
import {
  countRobot,
  type JointedRobot,
  type LinkShape,
  type PlacedLink,
  placeLinks,
  ROOT,
  type RobotParameter,
  readJoints,
} from './links.ts';
import { RobotShapes } from './shapes.ts';

export const reader: FormatReader = { readScene: loadUrdf };

/** Loads a robot in URDF with all joints at rest: the visuals of its links, or collision shapes if it has none. */
export async function loadUrdf(entry: string, context: LoadContext): Promise<Scene> {
  const { robot, gaps } = await readRobot(entry, context, { packages: 'absent' });
  recordGaps(gaps, context);
  const [gap] = gaps;
  if (gap !== undefined && !hasShapes(robot))
    throw new Unrenderable(`${gap.file}:${gap.line}: ${gap.reason}`);
  const shapes = placed(await visibleShapes(robot, entry, context), placeLinks(robot, context.budget));
  return {
    up: 'z',
    unit: 'm',
    front: frontOf(shapes),
    points: [],
    instances: shapes.map(({ instance }) => instance),
    robot: countRobot({ links: linksOf(robot), joints: readJoints(robot), mass: massOf(robot) }),
  };
}

/** The shapes that viewers show first: visuals, or collision shapes if there are none. */
async function visibleShapes(
  robot: XmlElement,
  entry: string,
  context: LoadContext,
): Promise<readonly LinkShape[]> {
  const shapes = new RobotShapes(robot, entry, context);
  const visuals = await shapes.instances('visual');
  return visuals.length > 0 ? visuals : shapes.instances('collision');
}

/** Loads a robot whose joints can be moved; one in macros with the arguments that are `given`. */
export async function loadUrdfRobot(
  entry: string,
  context: LoadContext,
  role?: 'collision',
  given?: ReadonlyMap<string, string>,
): Promise<JointedRobot> {
  const { robot, parameters, gaps } = await readRobot(entry, context, { given, packages: 'absent' });
  recordGaps(gaps, context);
  const shapes = role
    ? await new RobotShapes(robot, entry, context).instances(role)
    : await visibleShapes(robot, entry, context);
  return {
    links: linksOf(robot),
    joints: readJoints(robot),
    shapes,
    front: frontOf(placed(shapes, placeLinks(robot, context.budget))),
    mass: massOf(robot),
    ...(parameters.length > 0 && { parameters }),
  };
}

function hasShapes(robot: XmlElement): boolean {
  return childrenNamed(robot, 'link').some(({ children }) =>
    children.some(({ name }) => name === 'visual' || name === 'collision'),
  );
}

function linksOf(robot: XmlElement): string[] {
  return childrenNamed(robot, 'link').map(({ attributes }) => attributes.name ?? '');
}

function massOf(robot: XmlElement): number {
  const masses = childrenNamed(robot, 'link').map(
    (link) => numbersOf(childNamed(childNamed(link, 'inertial'), 'mass')?.attributes.value, [0])[0] ?? 0,
  );
  return masses.reduce((sum, mass) => sum + mass, 0);
}

/** What a robot lacks because the library lacks a package is missing from pictures of it. */
function recordGaps(gaps: readonly ExpansionGap[], { omissions }: LoadContext): void {
  for (const { file, line, reason } of gaps) {
    omissions.count('meshes', `${file}:${line}`);
    omissions.omit('meshes', `${file}:${line}`, reason);
  }
}

interface ReadRobot {
  readonly robot: XmlElement;
  readonly parameters: readonly RobotParameter[];
  readonly gaps: readonly ExpansionGap[];
}

interface Expansion {
  /** Arguments of the macros. */
  readonly given?: ReadonlyMap<string, string> | undefined;
  /** Whether what the macros use of packages that are not there is left out; otherwise they cannot be expanded. */
  readonly packages?: 'present' | 'absent';
}

/** Reads a robot, and expands its macros if its shapes or placements have some. */
export async function readRobot(
  entry: string,
  { files, budget }: LoadContext,
  expansion: Expansion = {},
): Promise<ReadRobot> {
  await files.readPackageNames();
  const robot = parseXml(await files.read(entry), budget);
  if (robot.name !== 'robot') throw new Unrenderable('not a URDF: the root element is not <robot>');
  if (!hasMacros(robot)) return { robot, parameters: [], gaps: [] };
  const expanded = await expandRobot(entry, files, expansion);
  spendNodes(expanded.root, budget);
  return { robot: expanded.root, parameters: parametersOf(expanded), gaps: expanded.gaps };
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
  { given, packages }: Expansion,
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
      return readable(() => expandXacro(entry, macros, given, packages));
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
