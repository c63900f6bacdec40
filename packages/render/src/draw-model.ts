import { blendPreview } from '@bindery/formats/blend/preview';
import type { LoadContext } from '@bindery/formats/context';
import type { Picture } from '@bindery/formats/images/srgb';
import { loadMjcf } from '@bindery/formats/mjcf/read';
import type { Scene, SplatCloud } from '@bindery/formats/model/scene';
import { extension, loadMesh } from '@bindery/formats/read-mesh';
import { toMessageText } from '@bindery/formats/reading/asset-files';
import { Unrenderable } from '@bindery/formats/reading/errors';
import { loadSdf } from '@bindery/formats/sdf/read';
import { loadSplats } from '@bindery/formats/splats/read';
import { loadUrdf } from '@bindery/formats/urdf/read';
import { drawScene, drawSplats } from './draw-scene.ts';
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

/**
 * Draws a model of any kind.
 * @throws Unrenderable if it cannot be drawn
 */
export async function drawModel(model: ModelEntry, context: LoadContext): Promise<DrawnModel> {
  const loaded = await loadModel(model, context);
  return { picture: pictureOf(loaded), statistics: measured(loaded, context) };
}

/**
 * Like `drawModel`, but without drawing; undefined for a Blender file, and for a model without anything to count.
 * @throws Unrenderable if it cannot be read
 */
export async function measureModel(
  model: ModelEntry,
  context: LoadContext,
): Promise<ModelStatistics | undefined> {
  return measured(await loadModel(model, context), context);
}

async function loadModel({ kind, entry }: ModelEntry, context: LoadContext): Promise<LoadedModel> {
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
