import type { Simulation } from '@bindery/formats';
import { memoryFiles } from '../files.ts';
import { compileModel } from '../load/mjcf/compile.ts';
import { copyModelFiles } from '../load/mjcf/model-files.ts';
import { withMujoco } from '../load/mjcf/mujoco.ts';
import { createRendererContext } from '../load/sharp-images.ts';
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
