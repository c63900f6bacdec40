import { drawScene, drawSplats } from './draw-scene.ts';
import { Unrenderable } from './errors.ts';
import { toMessageText } from './files.ts';
import { blendPreview } from './load/blend.ts';
import type { LoadContext } from './load/context.ts';
import { extension, loadMesh } from './load/mesh.ts';
import { loadSdf } from './load/sdf/sdf.ts';
import { loadSplats } from './load/splats/splats.ts';
import { loadUrdf } from './load/urdf.ts';
import type { Picture } from './picture.ts';
import type { Scene } from './scene.ts';
import { type ModelStatistics, splatStatistics, statisticsOf } from './statistics.ts';

/** A picture of a model, and what the model consists of if it was read whole. */
export interface DrawnModel {
  readonly picture: Picture;
  readonly statistics?: ModelStatistics;
}

/**
 * Draws a model of any kind; of a Blender file, the preview that it carries. MuJoCo starts in another way in browsers, so its loader is given.
 * @throws Unrenderable if it cannot be drawn
 */
export async function drawModel(
  { kind, entry }: { readonly kind: string; readonly entry: string },
  context: LoadContext,
  loadMjcf: (entry: string, context: LoadContext) => Promise<Scene>,
): Promise<DrawnModel> {
  if (/^(?:step|stp)$/.test(extension(entry))) return drawn(await loadMesh(entry, context), context);
  if (extension(entry) === 'blend') {
    return { picture: await blendPreview(await context.files.read(entry), context.budget) };
  }
  switch (kind) {
    case 'usd':
    case 'mesh':
      return drawn(await loadMesh(entry, context), context);
    case 'mjcf':
      return drawn(await loadMjcf(entry, context), context);
    case 'urdf':
      return drawn(await loadUrdf(entry, context), context);
    case 'sdf':
      return drawn(await loadSdf(entry, context), context);
    case 'splat':
      return drawSplatAsset(entry, context);
    default:
      throw new Unrenderable(`no thumbnails for assets of kind ${toMessageText(kind)}`);
  }
}

function drawn(scene: Scene, { omissions }: LoadContext): DrawnModel {
  return { picture: drawScene(scene), statistics: statisticsOf(scene, omissions.summary()) };
}

/** An asset of this kind can be any PLY file; one without splats is drawn as the mesh or the points that it holds. */
async function drawSplatAsset(entry: string, context: LoadContext): Promise<DrawnModel> {
  const cloud = await loadSplats(entry, context);
  if (cloud === undefined) return drawn(await loadMesh(entry, context), context);
  return { picture: drawSplats(cloud), statistics: splatStatistics(cloud, context.omissions.summary()) };
}
