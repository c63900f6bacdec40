import type { MainModule, MjData, MjModel } from '@mujoco/mujoco';
import type { LoadContext } from '../context.ts';
import { toMessageText } from '../reading/asset-files.ts';
import { Unrenderable } from '../reading/errors.ts';
import { ModelFiles } from './model-files.ts';

/** The model is only complete with code that is not part of MuJoCo's WebAssembly build. */
export class PluginNeeded extends Unrenderable {
  constructor(plugin: string) {
    super(`the model needs MuJoCo's plugin ${plugin}, which is not available here`);
  }
}

/** Compiles an XML file in MuJoCo's file system. @throws Unrenderable with MuJoCo's message. */
export function compileModel(mujoco: MainModule, path: string): MjModel {
  const vfs = new mujoco.MjVFS();
  let model: MjModel | null;
  try {
    model = mujoco.MjModel.from_xml_path(path, vfs);
  } catch (error) {
    const message = mujocoMessage(error);
    const plugin = /\bplugin '?([\w.]+)'? not found|unrecognized plugin '([\w.]+)'/i.exec(message);
    if (plugin !== null) throw new PluginNeeded(plugin[1] ?? plugin[2] ?? '');
    throw new Unrenderable(`MuJoCo cannot load the model: ${message}`);
  }
  vfs.delete();
  if (model === null) throw new Unrenderable('MuJoCo cannot load the model');
  return model;
}

/**
 * Compiles the model of an asset to be looked at: with white in place of missing textures, and without what plugins do
 * that are not available, which drive or sense and show nothing. @throws Unrenderable
 */
export async function compileShown(
  mujoco: MainModule,
  entry: string,
  context: LoadContext,
): Promise<MjModel> {
  const files = new ModelFiles(mujoco, context, 'white');
  const path = await files.copy(entry);
  try {
    return compileModel(mujoco, path);
  } catch (error) {
    if (!(error instanceof PluginNeeded)) throw error;
    files.leaveOutPlugins();
    try {
      return compileModel(mujoco, path);
    } catch {
      throw error;
    }
  }
}

/** Applies the first keyframe, which authors make the pose to show, else the reference pose. */
export function pose(mujoco: MainModule, model: MjModel, data: MjData): void {
  if (model.nkey > 0) mujoco.mj_resetDataKeyframe(model, data, 0);
  mujoco.mj_kinematics(model, data);
  if (model.nflex > 0) mujoco.mj_flex(model, data);
}

/** MuJoCo's message, on one line. */
export function mujocoMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return toMessageText(text.replace(/\s+/g, ' ').trim());
}
