import { ASSET_FOLDER, Unrenderable } from '@bindery/render/models';
import loadMujoco, { type MainModule } from '@mujoco/mujoco';

/** Starts MuJoCo from its compiled module. */
export async function startMujoco(module: WebAssembly.Module): Promise<MainModule> {
  const mujoco = await loadMujoco({
    print: () => {},
    printErr: () => {},
    locateFile: (name: string) => name,
    quit: (status: number) => {
      throw new Unrenderable(`MuJoCo stopped with status ${status}`);
    },
    instantiateWasm: (imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) => {
      WebAssembly.instantiate(module, imports).then(done);
      return {};
    },
  });
  mujoco.FS.mkdir(ASSET_FOLDER);
  return mujoco;
}
