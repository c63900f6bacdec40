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

/**
 * Draws a model of any kind; of a Blender file, the preview that it carries. MuJoCo starts in another way in browsers, so its loader is given.
 * @throws Unrenderable if it cannot be drawn
 */
export async function drawModel(
  { kind, entry }: { readonly kind: string; readonly entry: string },
  context: LoadContext,
  loadMjcf: (entry: string, context: LoadContext) => Promise<Scene>,
): Promise<Picture> {
  if (/^(?:step|stp)$/.test(extension(entry))) return drawScene(await loadMesh(entry, context));
  if (extension(entry) === 'blend') return blendPreview(await context.files.read(entry), context.budget);
  switch (kind) {
    case 'usd':
    case 'mesh':
      return drawScene(await loadMesh(entry, context));
    case 'mjcf':
      return drawScene(await loadMjcf(entry, context));
    case 'urdf':
      return drawScene(await loadUrdf(entry, context));
    case 'sdf':
      return drawScene(await loadSdf(entry, context));
    case 'splat':
      return drawSplatAsset(entry, context);
    default:
      throw new Unrenderable(`no thumbnails for assets of kind ${toMessageText(kind)}`);
  }
}

/** An asset of this kind can be any PLY file; one without splats is drawn as the mesh or the points that it holds. */
async function drawSplatAsset(entry: string, context: LoadContext): Promise<Picture> {
  const cloud = await loadSplats(entry, context);
  return cloud === undefined ? drawScene(await loadMesh(entry, context)) : drawSplats(cloud);
}
