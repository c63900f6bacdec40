import {
  createLoadContext,
  drawingFrame,
  type JointedRobot,
  type LoadContext,
  loadMesh,
  loadSdfRobot,
  loadSplats,
  loadUrdfRobot,
  loadUsdModel,
  type Matrix4,
  type Omissions,
  readMesh,
  type Scene,
  type SplatCloud,
  type VariantChoices,
  type VariantSet,
} from '@bindery/render/models';
import { browserImages } from './browser-images.ts';
import type { AssetOfWorker } from './messages.ts';
import { filesOf, serve } from './serve.ts';

export type ModelCall =
  | { readonly do: 'mesh'; readonly asset: AssetOfWorker }
  | { readonly do: 'splats'; readonly asset: AssetOfWorker }
  | {
      readonly do: 'usd';
      readonly asset: AssetOfWorker;
      readonly variants?: VariantChoices;
      readonly role?: 'collision';
    }
  | {
      readonly do: 'robot';
      readonly asset: AssetOfWorker;
      readonly format: 'urdf' | 'sdf';
      readonly role?: 'collision';
      /** Of a robot in macros: the arguments that were chosen, by name. */
      readonly given?: ReadonlyMap<string, string>;
    };

export interface ModelAnswers {
  readonly mesh: LoadedMesh;
  /** With Y up; undefined for a PLY file without splats. */
  readonly splats: SplatCloud | undefined;
  readonly robot: LoadedRobot;
  readonly usd: (LoadedMesh | LoadedRobot) & { readonly variants: readonly VariantSet[] };
}

export interface LoadedMesh {
  readonly scene: Scene;
  /** Maps the scene's own frame to one with Y up. */
  readonly frame: Matrix4;
  readonly omissions: Omissions | undefined;
}

export interface LoadedRobot {
  readonly robot: JointedRobot;
  /** Maps the robot's frame to one with Y up. */
  readonly frame: Matrix4;
  readonly omissions: Omissions | undefined;
}

serve(async (call: ModelCall): Promise<ModelAnswers[keyof ModelAnswers]> => {
  const { entry, limits } = call.asset;
  const context = createLoadContext(filesOf(call.asset), { images: browserImages, readMesh }, limits);
  if (call.do === 'splats') return loadSplats(entry, context);
  if (call.do === 'robot') {
    const load = call.format === 'sdf' ? loadSdfRobot : loadUrdfRobot;
    return ofRobot(await load(entry, context, call.role, call.given), context);
  }
  if (call.do === 'usd') {
    const { model, variants } = await loadUsdModel(entry, context, call);
    return {
      ...('scene' in model ? ofScene(model.scene, context) : ofRobot(model.robot, context)),
      variants,
    };
  }
  return ofScene(await loadMesh(entry, context, true), context);
});

function ofRobot(robot: JointedRobot, { omissions }: LoadContext): LoadedRobot {
  const frame = drawingFrame({ up: 'z', front: robot.front, instances: [], points: [] });
  return { robot, frame, omissions: omissions.summary() };
}

function ofScene(scene: Scene, { omissions }: LoadContext): LoadedMesh {
  return { scene, frame: drawingFrame(scene), omissions: omissions.summary() };
}
