import {
  contextOf,
  drawingFrame,
  IDENTITY,
  type JointedRobot,
  loadMesh,
  loadUrdfRobot,
  type Matrix4,
  type Omissions,
  type Scene,
} from '@bindery/render/models';
import { browserImages } from './browser-images.ts';
import type { AssetOfWorker } from './messages.ts';
import { filesOf, serve } from './serve.ts';

export type ModelCall =
  | { readonly do: 'mesh'; readonly asset: AssetOfWorker }
  | {
      readonly do: 'robot';
      readonly asset: AssetOfWorker;
      readonly format: 'urdf' | 'sdf';
      readonly role?: 'collision';
    };

export interface ModelAnswers {
  readonly mesh: LoadedMesh;
  readonly robot: LoadedRobot;
}

export interface LoadedMesh {
  readonly scene: Scene;
  /** From the scene's own frame to one with Y up. */
  readonly frame: Matrix4;
  readonly omissions: Omissions | undefined;
}

export interface LoadedRobot {
  readonly robot: JointedRobot;
  /** From the robot's frame to one with Y up. */
  readonly frame: Matrix4;
  readonly omissions: Omissions | undefined;
  /** Sentences about what the format has and this viewer has not. */
  readonly notShown?: readonly string[];
}

serve(async (call: ModelCall): Promise<LoadedMesh | LoadedRobot> => {
  const { entry, limits } = call.asset;
  const context = contextOf(filesOf(call.asset), browserImages, limits);
  const isRobot = call.do === 'robot';
  if (isRobot) {
    const robot = await loadUrdfRobot(entry, context, call.role);
    const frame = drawingFrame({ up: 'z', front: robot.front, instances: [], points: [] });
    return { robot, frame, omissions: context.omissions.summary() };
  }
  const scene = await loadMesh(entry, context);
  return { scene, frame: drawingFrame(scene) ?? IDENTITY, omissions: context.omissions.summary() };
});
