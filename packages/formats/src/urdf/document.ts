import type { LoadContext } from '../context.ts';
import type { WantedParts } from '../format.ts';
import type { ModelParameter } from '../model/mechanism.ts';
import type { AssetFiles } from '../reading/asset-files.ts';
import { readable, Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { parseXml, type XmlElement } from '../reading/xml-elements.ts';
import { type ExpandedModel, type ExpansionGap, expandXacro } from '../xacro/expand.ts';

/** What a robot lacks because the library lacks a package is missing from pictures of it. */
function recordGaps(gaps: readonly ExpansionGap[], { omissions }: LoadContext): void {
  for (const { file, line, reason } of gaps) {
    omissions.count('meshes', `${file}:${line}`);
    omissions.omit('meshes', `${file}:${line}`, reason);
  }
}

type Expansion = Pick<WantedParts, 'given' | 'packages'>;

interface ReadRobot {
  readonly robot: RobotElement;
  readonly parameters: readonly ModelParameter[];
}

/** An element of a robot; those that macros made know the file that they were written in. */
export interface RobotElement extends XmlElement {
  readonly children: readonly RobotElement[];
  readonly file?: string;
}

/** Reads a robot, and expands its macros if its shapes or placements have some. */
export async function readRobot(
  entry: string,
  context: LoadContext,
  expansion: Expansion,
): Promise<ReadRobot> {
  const { files, budget } = context;
  await files.readPackageNames();
  const robot = parseXml(await files.read(entry), budget);
  if (robot.name !== 'robot') throw new Unrenderable('not a URDF: the root element is not <robot>');
  if (!hasMacros(robot)) return { robot, parameters: [] };
  const expanded = await expandRobot(entry, files, expansion);
  spendNodes(expanded.root, budget);
  recordGaps(expanded.gaps, context);
  const [gap] = expanded.gaps;
  if (gap !== undefined && !hasShapes(expanded.root))
    throw new Unrenderable(`${gap.file}:${gap.line}: ${gap.reason}`);
  return { robot: expanded.root, parameters: parametersOf(expanded) };
}

function hasShapes({ children }: XmlElement): boolean {
  return children.some(
    ({ name, children }) =>
      name === 'link' && children.some(({ name }) => name === 'visual' || name === 'collision'),
  );
}

/** The arguments of which it is known what they can be. */
function parametersOf({ arguments: used, choices }: ExpandedModel): ModelParameter[] {
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

/** Elements of xacro that do not affect the rest of the file. */
const HARMLESS: ReadonlySet<string> = new Set(['xacro:arg', 'xacro:property']);
const MEASURED: ReadonlySet<string> = new Set(['origin', 'box', 'cylinder', 'sphere', 'capsule', 'mesh']);

/** Whether shapes or placements are macros of xacro; names with `${…}` in them are drawn as they are. */
function hasMacros({ name, attributes, children }: XmlElement): boolean {
  if (name.startsWith('xacro:') && !HARMLESS.has(name)) return true;
  if (MEASURED.has(name) && Object.values(attributes).some((value) => /\$[{(]/.test(value))) return true;
  return children.some(hasMacros);
}
