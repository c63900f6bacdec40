import { loadStage, UnreadableFileError, type UsdPrim, type UsdStage } from '@bindery/formats';
import { TooLarge, Unrenderable } from '../../errors.ts';
import { AssetFiles } from '../../files.ts';
import { IDENTITY, inverse, type Matrix4, multiply, scaling } from '../../matrix.ts';
import type { Scene } from '../../scene.ts';
import type { LoadContext } from '../context.ts';
import type { JointedRobot } from '../urdf-links.ts';
import { openZip } from '../zip.ts';
import { mechanismOf, stageFrame } from './physics.ts';
import { type Drawn, type Purpose, StageDrawing } from './scene.ts';

/** Chosen variants by the path of their prim and the name of their set. */
export type VariantChoices = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Loads what a USD file shows, in metres: what is for pictures, or stands in for it if nothing is. */
export async function loadUsd(
  entry: string,
  context: LoadContext,
  variants: VariantChoices = {},
): Promise<Scene> {
  const { stage, inner } = await openUsd(entry, context, variants);
  return sceneOf(stage, inner);
}

/** The purposes for which something is drawn: the first of these sets for which there is something. */
const PURPOSES: readonly (readonly Purpose[])[] = [['default', 'render'], ['default', 'proxy'], ['guide']];

async function drawnFor(stage: UsdStage, context: LoadContext, frame: Matrix4): Promise<Drawn> {
  for (const purposes of PURPOSES) {
    const drawn = await new StageDrawing(stage, context, { purposes, frame }).drawAll();
    if (drawn.instances.length + drawn.lines.length + drawn.points.length > 0) return drawn;
  }
  return { instances: [], lines: [], points: [] };
}

async function sceneOf(stage: UsdStage, context: LoadContext): Promise<Scene> {
  const { metersPerUnit, up } = stage;
  const drawn = await drawnFor(stage, context, scaling(metersPerUnit, metersPerUnit, metersPerUnit));
  // Robots face along X; what artists make with Z up faces them.
  return { up, front: mechanismOf(stage) === undefined ? '-y' : 'x', ...drawn };
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
  const { stage, inner } = await openUsd(entry, context, variants);
  const offered = { variants: variantSets(stage) };
  const mechanism = mechanismOf(stage);
  if (mechanism === undefined) return { model: { scene: await sceneOf(stage, inner) }, ...offered };
  const frame = stageFrame(stage);
  const { instances } =
    role === 'collision'
      ? await new StageDrawing(stage, inner, { purposes: [], isCollision: true, frame }).drawAll()
      : await drawnFor(stage, inner, frame);
  const { links, joints, frames, mass, linkOf } = mechanism;
  const shapes = instances.map((instance) => {
    const link = linkOf(instance.names?.[0] ?? '');
    const toLink = inverse(frames.get(link) ?? IDENTITY);
    return { link, instance: { ...instance, transform: multiply(toLink, instance.transform) } };
  });
  const front = 'x';
  return { model: { robot: { links, joints, shapes, roots: frames, front, mass } }, ...offered };
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
export async function openUsd(
  entry: string,
  context: LoadContext,
  variants: VariantChoices,
): Promise<{ stage: UsdStage; inner: LoadContext }> {
  const packed = entry.toLowerCase().endsWith('.usdz') ? await unpacked(entry, context) : undefined;
  const inner = packed?.context ?? context;
  const { files, omissions } = inner;
  const root = packed?.root ?? entry;
  try {
    const read = async (path: string) => {
      try {
        return await files.read(path);
      } catch (error) {
        if (path === root || !(error instanceof Unrenderable) || error instanceof TooLarge) throw error;
        return new Uint8Array();
      }
    };
    const stage = await loadStage(root, { index: files.index, read }, { variants });
    for (const layer of stage.layers) omissions.count('meshes', layer);
    for (const { reference, reason } of stage.problems) {
      omissions.count('meshes', reference);
      omissions.omit('meshes', reference, reason);
    }
    return { stage, inner };
  } catch (error) {
    if (error instanceof UnreadableFileError)
      throw new Unrenderable(`the file ${error.message}`, { cause: error });
    throw error;
  }
}

/** The files of a package, of which the first is the one to open. */
async function unpacked(
  entry: string,
  context: LoadContext,
): Promise<{ context: LoadContext; root: string }> {
  const files = new AssetFiles(openZip(await context.files.read(entry)), context.budget);
  const root = [...files.paths].find((path) => /\.usd[ac]?$/i.test(path));
  if (root === undefined) throw new Unrenderable('the USDZ package has no USD file');
  return { context: { ...context, files, textures: context.textures.withFiles(files) }, root };
}
