import {
  createLoadContext,
  drawingFrame,
  type JointedRobot,
  loadMesh,
  loadSdfRobot,
  loadSplats,
  loadUrdfRobot,
  type Matrix4,
  type Omissions,
  type Scene,
  type SplatCloud,
} from '@bindery/render/models';
import { browserImages } from './browser-images.ts';
import type { AssetOfWorker } from './messages.ts';
import { filesOf, serve } from './serve.ts';

export type ModelCall =
  | { readonly do: 'mesh'; readonly asset: AssetOfWorker }
  | { readonly do: 'splats'; readonly asset: AssetOfWorker }
  | {
      readonly do: 'robot';
      readonly asset: AssetOfWorker;
      readonly format: 'urdf' | 'sdf';
      readonly role?: 'collision';
    };

export interface ModelAnswers {
  readonly mesh: LoadedMesh;
  /** With Y up; undefined for a PLY file without splats. */
  readonly splats: SplatCloud | undefined;
  readonly robot: LoadedRobot;
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
  const context = createLoadContext(filesOf(call.asset), browserImages, limits);
  if (call.do === 'splats') return loadSplats(entry, context);
  if (call.do === 'robot') {
    const load = call.format === 'sdf' ? loadSdfRobot : loadUrdfRobot;
    const robot = await load(entry, context, call.role);
    const frame = drawingFrame({ up: 'z', front: robot.front, instances: [], points: [] });
    return { robot, frame, omissions: context.omissions.summary() };
  }
  const scene = await loadMesh(entry, context, true);
  return { scene, frame: drawingFrame(scene), omissions: context.omissions.summary() };
});
