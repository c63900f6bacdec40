import type { Simulation } from '@bindery/formats';
import { compileModel } from '@bindery/formats/mjcf/compile';
import { copyModelFiles } from '@bindery/formats/mjcf/model-files';
import { memoryFiles } from '@bindery/formats/reading/asset-files';
import { withMujoco } from '../host/mujoco.ts';
import { createRendererContext } from '../host/renderer-context.ts';
import { simulateModel } from './simulate.ts';

/** Compiles a model in MJCF and simulates it. @throws Unrenderable if MuJoCo refuses it. */
export function simulateFiles(files: ReadonlyMap<string, Uint8Array>, entry: string): Promise<Simulation> {
  return withMujoco(async (mujoco) => {
    const context = createRendererContext(memoryFiles(files));
    const model = compileModel(mujoco, await copyModelFiles(mujoco, entry, context));
    try {
      return simulateModel(mujoco, model);
    } finally {
      model.delete();
    }
  });
}
