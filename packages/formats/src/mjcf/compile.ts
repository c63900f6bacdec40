import type { MainModule, MjData, MjModel } from '@mujoco/mujoco';
import { toMessageText } from '../reading/asset-files.ts';
import { Unrenderable } from '../reading/errors.ts';

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
