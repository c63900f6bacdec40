import type { MainModule, MjData, MjModel } from '@mujoco/mujoco';
import { Unrenderable } from '../../errors.ts';
import type { Scene } from '../../scene.ts';
import { type LoadContext, renewed } from '../context.ts';
import { copyModelFiles } from './model-files.ts';
import { ModelScene } from './model-scene.ts';
import { mujocoMessage, withMujoco } from './mujoco.ts';
import { StandIns } from './stand-ins.ts';

/**
 * A model in MuJoCo's format, compiled and posed by MuJoCo itself: with stand-ins for its meshes and textures, and with
 * the files as they are where that does not do. What MuJoCo says of the latter is said of the model.
 */
export async function loadMjcf(entry: string, context: LoadContext): Promise<Scene> {
  const standIns = new StandIns(context.files.paths);
  try {
    return await loadWith(standIns, entry, context);
  } catch (error) {
    if (!(error instanceof Unrenderable) || !standIns.areUsed) throw error;
    return await loadWith(undefined, entry, renewed(context));
  }
}

function loadWith(standIns: StandIns | undefined, entry: string, context: LoadContext): Promise<Scene> {
  return withMujoco(async (mujoco) => {
    const path = await copyModelFiles(mujoco, entry, standIns, context);
    const model = compile(mujoco, path);
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

function compile(mujoco: MainModule, path: string): MjModel {
  const vfs = new mujoco.MjVFS();
  let model: MjModel | null;
  try {
    model = mujoco.MjModel.from_xml_path(path, vfs);
  } catch (error) {
    throw new Unrenderable(`MuJoCo cannot load the model: ${mujocoMessage(error)}`);
  }
  vfs.delete();
  if (model === null) throw new Unrenderable('MuJoCo cannot load the model');
  return model;
}

/** The first keyframe, which authors make the pose to show, else the reference pose. */
function pose(mujoco: MainModule, model: MjModel, data: MjData): void {
  if (model.nkey > 0) mujoco.mj_resetDataKeyframe(model, data, 0);
  mujoco.mj_kinematics(model, data);
  if (model.nflex > 0) mujoco.mj_flex(model, data);
}
