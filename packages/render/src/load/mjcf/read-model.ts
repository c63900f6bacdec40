import type { MainModule } from '@mujoco/mujoco';
import type { Scene } from '../../scene.ts';
import type { LoadContext } from '../context.ts';
import { compileModel, pose } from './compile.ts';
import { copyModelFiles } from './model-files.ts';
import { ModelScene } from './model-scene.ts';

/** Reads a model in the pose that its author shows it in, and frees it again in MuJoCo. */
export async function readModel(mujoco: MainModule, entry: string, context: LoadContext): Promise<Scene> {
  const model = compileModel(mujoco, await copyModelFiles(mujoco, entry, context, 'white'));
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
}
