import type { MainModule, MjData, MjModel } from '@mujoco/mujoco';
import { Unrenderable } from '../errors.ts';
import type { AssetFiles } from '../files.ts';
import type { Scene } from '../scene.ts';
import type { LoadContext } from './context.ts';
import { mujocoScene } from './mjcf-scene.ts';
import { mujocoMessage, startMujoco } from './mujoco.ts';
import { checkPngSize } from './png.ts';

/** The folder of MuJoCo's own file system that holds the asset. */
const ROOT = '/asset';
const READABLE = /\.(xml|mjcf|urdf|stl|obj|msh|png|ktx|hf|bin|skn|mtl)$/i;

/** A model in MuJoCo's format, compiled and posed by MuJoCo itself. */
export async function loadMjcf(entry: string, context: LoadContext): Promise<Scene> {
  const mujoco = await startMujoco();
  await copyFiles(mujoco, entry, context);
  const model = compile(mujoco, entry);
  try {
    const data = new mujoco.MjData(model);
    try {
      pose(mujoco, model, data);
      return mujocoScene(model, data, context.budget);
    } finally {
      data.delete();
    }
  } finally {
    model.delete();
  }
}

async function copyFiles(mujoco: MainModule, entry: string, { files, budget }: LoadContext): Promise<void> {
  if (!files.has(entry)) throw new Unrenderable(`no such file: ${entry}`);
  for (const path of modelFiles(files, entry)) {
    const bytes = await files.read(path);
    checkPngSize(bytes, budget);
    const folder = path.split('/').slice(0, -1).join('/');
    mujoco.FS.mkdirTree(`${ROOT}/${folder}`, 0o777);
    mujoco.FS.writeFile(`${ROOT}/${path}`, bytes);
  }
}

/** What MuJoCo may ask for: files of its formats, without the pictures beside the model. */
function modelFiles(files: AssetFiles, entry: string): string[] {
  const folder = entry.slice(0, entry.lastIndexOf('/') + 1);
  return [...files.paths].filter(
    (path) => path === entry || (READABLE.test(path) && path.startsWith(folder)),
  );
}

function compile(mujoco: MainModule, entry: string): MjModel {
  const vfs = new mujoco.MjVFS();
  let model: MjModel | null;
  try {
    model = mujoco.MjModel.from_xml_path(`${ROOT}/${entry}`, vfs);
  } catch (error) {
    throw new Unrenderable(`MuJoCo cannot load the model: ${mujocoMessage(error)}`);
  }
  if (model === null) throw new Unrenderable('MuJoCo cannot load the model');
  return model;
}

/** The first keyframe, which authors make the pose to show, else the reference pose. */
function pose(mujoco: MainModule, model: MjModel, data: MjData): void {
  if (model.nkey > 0) mujoco.mj_resetDataKeyframe(model, data, 0);
  mujoco.mj_kinematics(model, data);
}
