import { loadStage, UnreadableFileError, type UsdStage } from '@bindery/formats';
import { TooLarge, Unrenderable } from '../../errors.ts';
import { AssetFiles } from '../../files.ts';
import type { Scene } from '../../scene.ts';
import type { LoadContext } from '../context.ts';
import { openZip } from '../zip.ts';
import { StageDrawing } from './scene.ts';

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

export async function sceneOf(stage: UsdStage, context: LoadContext): Promise<Scene> {
  for (const purposes of [['default', 'render'], ['default', 'proxy'], ['guide']] as const) {
    const { instances, lines, points } = await new StageDrawing(stage, context, purposes).drawAll();
    if (instances.length + lines.length + points.length > 0)
      return { up: stage.up, front: '-y', instances, lines, points };
  }
  return { up: stage.up, instances: [], points: [] };
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
