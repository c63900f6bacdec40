import mujocoUrl from '@mujoco/mujoco/mujoco.wasm?url';
import { codeFile, type ReadCode } from '../code.ts';

/** Compiled here, because a worker cannot reach the app. The asset's files can load at the same time. */
export async function mujocoModule(readCode: ReadCode): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await codeFile(readCode, mujocoUrl));
}
