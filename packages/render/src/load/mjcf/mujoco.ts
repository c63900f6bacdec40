import { readFile } from 'node:fs/promises';
import loadModule, { type MainModule } from '@mujoco/mujoco';
import { Unrenderable } from '../../errors.ts';
import { shown } from '../../files.ts';

let compiled: Promise<WebAssembly.Module> | undefined;

/**
 * A fresh instance of MuJoCo, so that no asset meets what another left behind and all its memory goes with it.
 * Its file system is in memory and empty; nothing of the machine's is mounted.
 */
export async function startMujoco(): Promise<MainModule> {
  compiled ??= readFile(new URL('mujoco.wasm', import.meta.resolve('@mujoco/mujoco'))).then((bytes) =>
    WebAssembly.compile(bytes),
  );
  const module = await compiled;
  const instantiateWasm = (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ): object => {
    WebAssembly.instantiate(module, imports).then(done);
    return {};
  };
  const quit = (status: number): never => {
    throw new Unrenderable(`MuJoCo stopped with status ${status}`);
  };
  return loadModule({ instantiateWasm, quit, print: () => {}, printErr: () => {} });
}

/** What MuJoCo said, on one line. */
export function mujocoMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return shown(text.replace(/\s+/g, ' ').trim());
}
