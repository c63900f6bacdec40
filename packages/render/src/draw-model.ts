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
import type { Scene, SplatCloud } from './scene.ts';
import { type ModelStatistics, splatStatistics, statisticsOf } from './statistics.ts';

/** A model as its loader returns it; of a Blender file, the preview that it carries. */
type LoadedModel = { readonly scene: Scene } | { readonly cloud: SplatCloud } | { readonly preview: Picture };

/** A picture of a model, and what the model consists of if it was read whole. */
export interface DrawnModel {
  readonly picture: Picture;
  readonly statistics?: ModelStatistics | undefined;
}

/** The kind of a model, and the file that a viewer opens. */
interface ModelEntry {
  readonly kind: string;
  readonly entry: string;
}

/** MuJoCo starts in another way in browsers, so its loader is given. */
type MjcfLoader = (entry: string, context: LoadContext) => Promise<Scene>;

/**
 * Draws a model of any kind.
 * @throws Unrenderable if it cannot be drawn
 */
export async function drawModel(
  model: ModelEntry,
  context: LoadContext,
  loadMjcf: MjcfLoader,
): Promise<DrawnModel> {
  const loaded = await loadModel(model, context, loadMjcf);
  return { picture: pictureOf(loaded), statistics: measured(loaded, context) };
}

/**
 * Like `drawModel`, but without drawing; undefined for a Blender file, and for a model without anything to count.
 * @throws Unrenderable if it cannot be read
 */
export async function measureModel(
  model: ModelEntry,
  context: LoadContext,
  loadMjcf: MjcfLoader,
): Promise<ModelStatistics | undefined> {
  return measured(await loadModel(model, context, loadMjcf), context);
}

async function loadModel(
  { kind, entry }: ModelEntry,
  context: LoadContext,
  loadMjcf: MjcfLoader,
): Promise<LoadedModel> {
  if (/^(?:step|stp)$/.test(extension(entry))) return { scene: await loadMesh(entry, context) };
  if (extension(entry) === 'blend') {
    return { preview: await blendPreview(await context.files.read(entry), context.budget) };
  }
  switch (kind) {
    case 'usd':
    case 'mesh':
      return { scene: await loadMesh(entry, context) };
    case 'mjcf':
      return { scene: await loadMjcf(entry, context) };
    case 'urdf':
      return { scene: await loadUrdf(entry, context) };
    case 'sdf':
      return { scene: await loadSdf(entry, context) };
    case 'splat': {
      // An asset of this kind can be any PLY file; one without splats has a mesh or points.
      const cloud = await loadSplats(entry, context);
      return cloud === undefined ? { scene: await loadMesh(entry, context) } : { cloud };
    }
    default:
      throw new Unrenderable(`no thumbnails for assets of kind ${toMessageText(kind)}`);
  }
}

function pictureOf(loaded: LoadedModel): Picture {
  if ('preview' in loaded) return loaded.preview;
  return 'scene' in loaded ? drawScene(loaded.scene) : drawSplats(loaded.cloud);
}

function measured(loaded: LoadedModel, { omissions }: LoadContext): ModelStatistics | undefined {
  if ('preview' in loaded) return undefined;
  const missing = omissions.summary();
  const statistics =
    'scene' in loaded ? statisticsOf(loaded.scene, missing) : splatStatistics(loaded.cloud, missing);
  return Object.keys(statistics).length === 0 ? undefined : statistics;
}
