import type { LoadContext } from '@bindery/formats/context';
import type { Picture } from '@bindery/formats/images/pixels';
import { ModelScene } from '@bindery/formats/mjcf/model-scene';
import { multiply, translation } from '@bindery/formats/model/matrix';
import type { Scene } from '@bindery/formats/model/scene';
import type { MainModule, MjModel } from '@mujoco/mujoco';
import { drawMoments } from '../draw-moments.ts';

/** Width and height in pixels. */
const SIZE = 192;

/** The value of mjtJoint. */
const FREE = 0;

/** Draws a model in one pose after the other. A robot that floats freely stays in the middle, wherever it goes. */
export function drawRun(
  mujoco: MainModule,
  model: MjModel,
  poses: readonly Float64Array[],
  context: LoadContext,
): Promise<Picture[]> {
  const data = new mujoco.MjData(model);
  try {
    const reader = new ModelScene(model, data, context);
    const [first] = poses;
    const isFollowed = isOneFreeRobot(model);
    const moments = poses.map((pose) => {
      (data.qpos as Float64Array).set(pose);
      mujoco.mj_kinematics(model, data);
      if (model.nflex > 0) mujoco.mj_flex(model, data);
      const scene = reader.read();
      return isFollowed && first !== undefined ? movedBack(scene, pose, first) : scene;
    });
    return drawMoments(moments, SIZE);
  } finally {
    data.delete();
  }
}

function isOneFreeRobot({ njnt, jnt_type, nbody, body_rootid }: MjModel): boolean {
  const roots = new Set(Array.from(body_rootid as ArrayLike<number>).slice(1, nbody));
  return njnt > 0 && (jnt_type as ArrayLike<number>)[0] === FREE && roots.size === 1;
}

/** Takes the way from the first pose to this one out of the scene. */
function movedBack(scene: Scene, pose: Float64Array, first: Float64Array): Scene {
  const [x = 0, y = 0, z = 0] = [0, 1, 2].map((axis) => (first[axis] ?? 0) - (pose[axis] ?? 0));
  const back = translation(x, y, z);
  const instances = scene.instances.map((instance) => ({
    ...instance,
    transform: multiply(back, instance.transform),
  }));
  return { ...scene, instances };
}
