import type { LoadContext } from '@bindery/formats/context';
import type { Picture } from '@bindery/formats/images/pixels';
import type { Scene } from '@bindery/formats/model/scene';
import { type LoadedModel, type ModelEntry, readModel } from '@bindery/formats/read';
import { drawScene, drawSplats } from './draw-scene.ts';
import { type ModelStatistics, splatStatistics, statisticsOf } from './statistics.ts';

/** A picture of a model, what it shows if that is a scene, and what the model consists of if it was read whole. */
export interface DrawnModel {
  readonly picture: Picture;
  readonly scene?: Scene;
  readonly statistics?: ModelStatistics | undefined;
}

/**
 * Draws a model of any kind.
 * @throws Unrenderable if it cannot be drawn
 */
export async function drawModel(model: ModelEntry, context: LoadContext): Promise<DrawnModel> {
  const loaded = await readModel(model, context);
  return {
    picture: pictureOf(loaded),
    statistics: measured(loaded, context),
    ...('scene' in loaded && { scene: loaded.scene }),
  };
}

/**
 * Like `drawModel`, but without drawing; undefined for a Blender file, and for a model without anything to count.
 * @throws Unrenderable if it cannot be read
 */
export async function measureModel(
  model: ModelEntry,
  context: LoadContext,
): Promise<ModelStatistics | undefined> {
  return measured(await readModel(model, context), context);
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
