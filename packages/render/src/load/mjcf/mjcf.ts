import { Unrenderable } from '../../errors.ts';
import type { Scene } from '../../scene.ts';
import type { LoadContext } from '../context.ts';
import { withFreshBudget } from '../renderer-context.ts';
import { compileModel, pose } from './compile.ts';
import { copyModelFiles } from './model-files.ts';
import { ModelScene } from './model-scene.ts';
import { withMujoco } from './mujoco.ts';
import { StandIns } from './stand-ins.ts';

/**
 * Loads a model in MuJoCo's format, compiled and posed by MuJoCo itself: with stand-ins for its meshes and textures or,
 * if that does not work, with the files themselves. Errors reported for the model are those of the latter attempt.
 */
export async function loadMjcf(entry: string, context: LoadContext): Promise<Scene> {
  const standIns = new StandIns(context.files.paths);
  try {
    return await loadWith(standIns, entry, context);
  } catch (error) {
    if (!(error instanceof Unrenderable) || !standIns.areUsed) throw error;
    return await loadWith(undefined, entry, withFreshBudget(context));
  }
}

function loadWith(standIns: StandIns | undefined, entry: string, context: LoadContext): Promise<Scene> {
  return withMujoco(async (mujoco) => {
    const path = await copyModelFiles(mujoco, entry, standIns, context);
    const model = compileModel(mujoco, path);
    try {
      const data = new mujoco.MjData(model);
      try {
        pose(mujoco, model, data);
        return await new ModelScene(model, data, standIns, context).read();
      } finally {
        data.delete();
      }
    } finally {
      model.delete();
    }
  });
}
