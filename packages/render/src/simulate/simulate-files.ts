import type { Simulation } from '@bindery/formats';
import { compileModel } from '@bindery/formats/mjcf/compile';
import { copyModelFiles } from '@bindery/formats/mjcf/model-files';
import { memoryFiles } from '@bindery/formats/reading/asset-files';
import type { MainModule, MjModel } from '@mujoco/mujoco';
import { withMujoco } from '../host/mujoco.ts';
import { createRendererContext } from '../host/renderer-context.ts';
import { simulateModel } from './simulate.ts';

/** Compiles a model in MJCF and simulates it. @throws Unrenderable if MuJoCo refuses it. */
export function simulateFiles(files: ReadonlyMap<string, Uint8Array>, entry: string): Promise<Simulation> {
  return withModelOf(files, entry, (mujoco, model) => simulateModel(mujoco, model));
}

/** Compiles a model in MJCF for as long as it is used. @throws Unrenderable if MuJoCo refuses it. */
export function withModelOf<T>(
  files: ReadonlyMap<string, Uint8Array>,
  entry: string,
  use: (mujoco: MainModule, model: MjModel) => T,
): Promise<T> {
  return withMujoco(async (mujoco) => {
    const context = createRendererContext(memoryFiles(files));
    const model = compileModel(mujoco, await copyModelFiles(mujoco, entry, context));
    try {
      return use(mujoco, model);
    } finally {
      model.delete();
    }
  });
}
