import type { LoadContext } from '../context.ts';
import { UnreadableFileError } from '../files/unreadable.ts';
import type { FormatReader } from '../format.ts';
import { IDENTITY, inverse, type Matrix4, multiply, scaling } from '../model/matrix.ts';
import type { Instance, Scene } from '../model/scene.ts';
import { TooLarge, Unrenderable } from '../reading/errors.ts';
import { countRobot, type JointedRobot } from '../urdf/links.ts';
import { bodiesAndJoints, type Mechanism, mechanismOf, stageFrame } from './physics.ts';
import type { OpenedStage } from './pictures.ts';
import { type Drawn, nothingDrawn, type Purpose, type Shown, StageDrawing } from './scene.ts';
import { readUsdFile, splitArchivePath } from './stage/archive.ts';
import { loadStage, type UsdStage } from './stage/stage.ts';
import type { UsdPrim } from './stage/stage-prim.ts';

/** Chosen variants by the path of their prim and the name of their set. */
export type VariantChoices = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const reader: FormatReader = {
  readScene: (entry, context) => loadUsd(entry, context),
  async readMesh(path, context) {
    const { up, instances, points, lines } = await loadUsd(path, context);
    return { instances, points, ...(lines && { lines }), isYUp: up === 'y', hasMaterials: true };
  },
};

/** Loads what a USD file shows, in metres: what is for pictures, or stands in for it if nothing is. */
export async function loadUsd(
  entry: string,
  context: LoadContext,
  variants: VariantChoices = {},
): Promise<Scene> {
  return refusingDamage(async () => sceneOf(await openUsd(entry, context, variants)));
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

async function sceneOf(opened: OpenedStage): Promise<Scene> {
  const { metersPerUnit, up } = opened.stage;
  const { instances, lines, points } = await drawnFor(
    opened,
    scaling(metersPerUnit, metersPerUnit, metersPerUnit),
  );
  // Robots face along X; what artists make with Z up faces them.
  const mechanism = mechanismOf(opened.stage);
  return {
    up,
    unit: 'm',
    front: mechanism === undefined ? '-y' : 'x',
    instances,
    lines,
    points,
    robot: mechanism && countRobot(mechanism),
  };
}

/** What the viewer shows of a USD file: a robot if joints connect bodies in it, else a scene. */
interface LoadedUsd {
  readonly model: { readonly scene: Scene } | { readonly robot: JointedRobot };
  readonly variants: readonly VariantSet[];
}

/** A choice that a file offers. */
export interface VariantSet {
  /** The path of the prim that has it. */
  readonly prim: string;
  readonly set: string;
  readonly choices: readonly string[];
  readonly selected: string;
}

/** Loads a USD file for the viewer. */
export async function loadUsdModel(
  entry: string,
  context: LoadContext,
  { variants = {}, role }: { variants?: VariantChoices; role?: 'collision' | undefined } = {},
): Promise<LoadedUsd> {
  return refusingDamage(async () => loadedFrom(await openUsd(entry, context, variants), role));
}

async function loadedFrom(opened: OpenedStage, role: 'collision' | undefined): Promise<LoadedUsd> {
  const { stage } = opened;
  const offered = { variants: variantSets(stage) };
  const mechanism = mechanismOf(stage);
  if (mechanism === undefined) return { model: { scene: await sceneOf(opened) }, ...offered };
  const frame = stageFrame(stage);
  const { instances } =
    role === 'collision'
      ? await new StageDrawing(opened, { purposes: [], isCollision: true, frame }).drawAll()
      : await drawnFor(opened, frame);
  const { links, joints, frames, mass, linkOf } = mechanism;
  const shapes = instances.map((instance) => {
    const link = linkOf(instance.names?.[0] ?? '');
    const toLink = inverse(frames.get(link) ?? IDENTITY);
    return { link, instance: { ...instance, transform: multiply(toLink, instance.transform) } };
  });
  const front = 'x';
  return { model: { robot: { links, joints, shapes, roots: frames, front, mass } }, ...offered };
}

/** What a stage says to a simulator, Z up, in metres. Instances are named by the paths of their prims. */
export interface SimulatedStage {
  readonly stage: UsdStage;
  readonly mechanism: Mechanism;
  readonly visuals: readonly Instance[];
  readonly collisions: readonly Instance[];
}

/** Reads a USD file for a conversion. */
export async function loadSimulatedStage(entry: string, context: LoadContext): Promise<SimulatedStage> {
  return refusingDamage(async () => {
    const opened = await openUsd(entry, context, {});
    const { stage } = opened;
    const draw = (shown: Omit<Shown, 'frame'>) =>
      new StageDrawing(opened, { ...shown, frame: stageFrame(stage) });
    const { instances: visuals } = await draw({ purposes: ['default', 'render'] }).drawAll();
    const colliding = await draw({ purposes: [], isCollision: true }).drawAll();
    const collisions = [...colliding.instances, ...colliding.planes];
    return { stage, mechanism: bodiesAndJoints(stage), visuals, collisions };
  });
}

const MAX_SETS = 30;

function variantSets(stage: UsdStage): VariantSet[] {
  const found: VariantSet[] = [];
  const visit = (prims: readonly UsdPrim[]) => {
    for (const prim of prims) {
      if (found.length >= MAX_SETS) return;
      for (const { set, choices, selected } of stage.variants(prim))
        if (choices.length > 1) found.push({ prim: prim.path, set, choices, selected });
      visit(prim.children);
    }
  };
  visit(stage.roots);
  return found.slice(0, MAX_SETS);
}

/** Composes the stage of a file; references that cannot be followed are reported as missing. */
async function openUsd(entry: string, context: LoadContext, variants: VariantChoices): Promise<OpenedStage> {
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
async function refusingDamage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnreadableFileError)
      throw new Unrenderable(`the file ${error.message}`, { cause: error });
    throw error;
  }
}
