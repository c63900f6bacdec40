import type { LoadContext } from '../context.ts';
import { UnreadableFileError } from '../files/unreadable.ts';
import type { FormatReader } from '../format.ts';
import { countMovable } from '../model/drawn-mechanism.ts';
import { type Matrix4, scaling } from '../model/matrix.ts';
import type { Shape } from '../model/mechanism.ts';
import type { Instance, RobotCounts, Scene } from '../model/scene.ts';
import { chainsOf, handsOf, type Link } from '../model/structure.ts';
import { TooLarge, Unrenderable } from '../reading/errors.ts';
import { bodiesAndJoints, type Mechanism, mechanismOf } from './physics.ts';
import type { OpenedStage } from './pictures.ts';
import { type Drawn, nothingDrawn, type Purpose, StageDrawing } from './scene.ts';
import { readUsdFile, splitArchivePath } from './stage/archive.ts';
import { loadStage, type UsdStage } from './stage/stage.ts';
import { stageFrame } from './transforms.ts';

/** Chosen variants by the path of their prim and the name of their set. */
export type VariantChoices = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const reader: FormatReader = {
  readScene: loadUsd,
  async readMesh(path, context) {
    const { up, instances, points, lines } = await loadUsd(path, context);
    return { instances, points, ...(lines && { lines }), isYUp: up === 'y', hasMaterials: true };
  },
};

/** Loads what a USD file shows, in metres: what is for pictures, or stands in for it if nothing is. */
export async function loadUsd(entry: string, context: LoadContext): Promise<Scene> {
  return refusingDamage(async () => sceneOf(await openUsd(entry, context)));
}

/** The purposes for which something is drawn: the first of these sets for which there is something. */
const PURPOSES: readonly (readonly Purpose[])[] = [['default', 'render'], ['default', 'proxy'], ['guide']];

async function drawnFor(opened: OpenedStage, frame: Matrix4): Promise<Drawn> {
  for (const purposes of PURPOSES) {
    const drawn = await new StageDrawing(opened, { purposes, frame }).drawAll();
    if (drawn.instances.length + drawn.lines.length + drawn.points.length > 0) return drawn;
    if (drawn.planes.length > 0) return { ...drawn, instances: drawn.planes };
  }
  return nothingDrawn();
}

export async function sceneOf(opened: OpenedStage): Promise<Scene> {
  const { metersPerUnit, up } = opened.stage;
  const { instances, lines, points } = await drawnFor(
    opened,
    scaling(metersPerUnit, metersPerUnit, metersPerUnit),
  );
  // Robots face along X; what artists make with Z up faces them.
  const mechanism = mechanismOf(opened.stage, opened.context.budget);
  return {
    up,
    unit: 'm',
    front: mechanism === undefined ? '-y' : 'x',
    instances,
    lines,
    points,
    ...(mechanism && robotOf(mechanism, instances)),
  };
}

/** What a robot consists of, and what its arms hold; instances are named by the paths of their prims. */
function robotOf(mechanism: Mechanism, instances: readonly Instance[]): Pick<Scene, 'robot' | 'hands'> {
  const hanging = linksOf(mechanism);
  const places = new Map(hanging.map(({ name }, place) => [name, place]));
  const drawn = instances.map((instance) => ({
    instance,
    link: places.get(mechanism.linkOf(instance.names?.[0] ?? '')) ?? -1,
  }));
  return { robot: countRobot(mechanism, hanging), hands: handsOf(hanging, drawn) };
}

function countRobot({ links, joints, mass }: Mechanism, hanging: readonly Link[]): RobotCounts {
  return {
    bodies: links.length,
    joints: countMovable(joints),
    mass,
    slides: countMovable(joints.filter(({ type }) => type === 'slide')),
    chains: chainsOf(hanging),
    names: links,
  };
}

/** Parents come before their children. */
function linksOf({ links, joints }: Mechanism): Link[] {
  const byChild = Map.groupBy(joints, ({ child }) => child);
  const carrierOf = new Map(joints.map(({ child, parent }) => [child, parent]));
  const depthOf = (link: string) => {
    let depth = 0;
    for (let at = carrierOf.get(link); at !== undefined && depth <= links.length; at = carrierOf.get(at))
      depth++;
    return depth;
  };
  const sorted = links
    .map((link) => ({ link, depth: depthOf(link) }))
    .sort((a, b) => a.depth - b.depth)
    .map(({ link }) => link);
  const places = new Map(sorted.map((link, place) => [link, place]));
  return sorted.map((name) => ({
    name,
    parent: places.get(carrierOf.get(name) ?? '') ?? -1,
    joints: countMovable(byChild.get(name) ?? []),
  }));
}

/** What a stage says to a simulator, Z up, in metres. Instances are named by the paths of their prims. */
export interface SimulatedStage {
  readonly stage: UsdStage;
  readonly mechanism: Mechanism;
  readonly visuals: readonly Instance[];
  readonly collisions: readonly Instance[];
}

/** Draws what a simulator sees of a stage. */
export async function simulatedStage(
  opened: OpenedStage,
  roles: readonly Shape['role'][],
): Promise<SimulatedStage> {
  const { stage } = opened;
  const frame = stageFrame(stage);
  const visuals = roles.includes('visual') ? (await drawnFor(opened, frame)).instances : [];
  const colliding = roles.includes('collision')
    ? await new StageDrawing(opened, { purposes: [], isCollision: true, frame }).drawAll()
    : nothingDrawn();
  return {
    stage,
    mechanism: bodiesAndJoints(stage, opened.context.budget),
    visuals,
    collisions: [...colliding.instances, ...colliding.planes],
  };
}

/** Composes the stage of a file; references that cannot be followed are reported as missing. */
export async function openUsd(
  entry: string,
  context: LoadContext,
  variants: VariantChoices = {},
): Promise<OpenedStage> {
  const { files, omissions } = context;
  const archives = new Map<string, Promise<Uint8Array>>();
  const readWhole = (path: string) => {
    if (!path.toLowerCase().endsWith('.usdz')) return files.read(path);
    const bytes = archives.get(path) ?? files.read(path);
    archives.set(path, bytes);
    return bytes;
  };
  const readLayer = async (path: string) => {
    try {
      return await readWhole(path);
    } catch (error) {
      if (path === entry || !(error instanceof Unrenderable) || error instanceof TooLarge) throw error;
      return new Uint8Array();
    }
  };
  const stage = await loadStage(entry, { index: files.index, read: readLayer }, { variants });
  for (const layer of stage.layers) omissions.count('meshes', layer);
  for (const { reference, reason } of stage.problems) {
    omissions.count('meshes', reference);
    omissions.omit('meshes', reference, reason);
  }
  return {
    stage,
    context,
    read: async (path) => readUsdFile(path, await readWhole(splitArchivePath(path).file)),
  };
}

/** Values are read when they are needed, so that damage shows late. */
export async function refusingDamage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnreadableFileError)
      throw new Unrenderable(`the file ${error.message}`, { cause: error });
    throw error;
  }
}
