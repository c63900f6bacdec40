import type { Scene } from '../../scene.ts';
import type { LoadContext } from '../context.ts';
import { compileModel, pose } from './compile.ts';
import { copyModelFiles } from './model-files.ts';
import { ModelScene } from './model-scene.ts';
import { withMujoco } from './mujoco.ts';

/** Loads a model in MuJoCo's format, compiled and posed by MuJoCo itself. */
export function loadMjcf(entry: string, context: LoadContext): Promise<Scene> {
  return withMujoco(async (mujoco) => {
    const model = compileModel(mujoco, await copyModelFiles(mujoco, entry, context));
    try {
      const data = new mujoco.MjData(model);
      try {
        pose(mujoco, model, data);
        return new ModelScene(model, data, context).read();
      } finally {
        data.delete();
      }
    } finally {
      model.delete();
    }
  });
}
