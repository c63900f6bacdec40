import type { MainModule, MjData, MjModel } from '@mujoco/mujoco';
import { Unrenderable } from '../errors.ts';
import { shown } from '../files.ts';
import type { Scene } from '../scene.ts';
import type { LoadContext } from './context.ts';
import { mujocoScene } from './mjcf-scene.ts';
import { mujocoMessage, startMujoco } from './mujoco.ts';
import { checkPngSize } from './png.ts';

/** The folder of MuJoCo's own file system that holds the asset. */
const ROOT = '/asset';

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

/** Copies the XML files and, of the others, those whose names they mention. */
async function copyFiles(mujoco: MainModule, entry: string, { files, budget }: LoadContext): Promise<void> {
  if (!files.has(entry)) throw new Unrenderable(`no such file: ${shown(entry)}`);
  const mentioned = new Set<string>();
  for (const path of [...files.paths].filter((path) => path === entry || path.endsWith('.xml'))) {
    const bytes = await files.read(path);
    for (const name of mentionedNames(bytes)) mentioned.add(name);
    copy(mujoco, path, bytes);
  }
  for (const path of [...files.paths].filter((path) => !path.endsWith('.xml') && path !== entry)) {
    if (!mentioned.has(baseName(path))) continue;
    const bytes = await files.read(path);
    checkPngSize(bytes, budget);
    copy(mujoco, path, bytes);
  }
}

function copy(mujoco: MainModule, path: string, bytes: Uint8Array): void {
  const full = `${ROOT}/${path}`;
  mujoco.FS.mkdirTree(full.slice(0, full.lastIndexOf('/')), 0o777);
  mujoco.FS.writeFile(full, bytes);
}

/** The last parts of all paths in `file`, `fileup` and like attributes. */
function mentionedNames(xml: Uint8Array): string[] {
  const text = new TextDecoder('utf-8').decode(xml);
  return Array.from(text.matchAll(/\bfile\w*\s*=\s*["']([^"']*)["']/g), ([, path]) => baseName(path ?? ''));
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
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
