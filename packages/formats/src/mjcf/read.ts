import type { MainModule } from '@mujoco/mujoco';
import type { LoadContext } from '../context.ts';
import type { FormatReader } from '../format.ts';
import type { Scene } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import { compileShown, pose } from './compile.ts';
import { ModelScene } from './model-scene.ts';

export const reader: FormatReader = { readScene: loadMjcf };

/** Loads a model in MuJoCo's format, compiled and posed by MuJoCo itself. @throws Unrenderable */
export function loadMjcf(entry: string, context: LoadContext): Promise<Scene> {
  return mujocoOf(context)((mujoco) => readModel(mujoco, entry, context));
}

/** @throws Unrenderable where there is no MuJoCo */
export function mujocoOf({ withMujoco }: LoadContext): NonNullable<LoadContext['withMujoco']> {
  if (withMujoco === undefined) throw new Unrenderable('MuJoCo is needed to read it');
  return withMujoco;
}

/** Reads a model in the pose that its author shows it in, and frees it again in MuJoCo. */
async function readModel(mujoco: MainModule, entry: string, context: LoadContext): Promise<Scene> {
  const model = await compileShown(mujoco, entry, context);
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
