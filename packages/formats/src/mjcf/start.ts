import loadModule, { type MainModule } from '@mujoco/mujoco';
import { Unrenderable } from '../reading/errors.ts';
import { ASSET_FOLDER } from './model-files.ts';

/** MuJoCo, with an empty folder for assets. */
export interface StartedMujoco {
  readonly mujoco: MainModule;
  readonly memory: WebAssembly.Memory;
  /** Makes its stack empty: an error that leaves MuJoCo leaves the frames of its functions there. */
  readonly clearStack: () => void;
}

interface Exports {
  readonly memory?: WebAssembly.Memory;
  readonly malloc?: (bytes: number) => number;
  readonly _emscripten_stack_restore?: (top: number) => void;
}

/**
 * Bodies within bodies are compiled by functions that call themselves. In the 64 KiB that MuJoCo is built with, those of 150
 * levels overwrite other memory; in these, there is room for all that its XML parser reads.
 */
const STACK_BYTES = 4 * 2 ** 20;
/** What compiled code relies on, and `malloc` does not give. */
const STACK_ALIGNMENT = 16;

/** Starts MuJoCo from its compiled module. */
export async function startMujoco(module: WebAssembly.Module): Promise<StartedMujoco> {
  let exports: Exports = {};
  const instantiateWasm = (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ): object => {
    WebAssembly.instantiate(module, imports).then((instance) => {
      exports = instance.exports as Exports;
      done(instance);
    });
    return {};
  };
  const quit = (status: number): never => {
    throw new Unrenderable(`MuJoCo stopped with status ${status}`);
  };
  const silent = { print: () => {}, printErr: () => {} };
  const before = new Set(Object.getOwnPropertyNames(globalThis));
  const mujoco = await loadModule({ ...silent, quit, instantiateWasm, locateFile: (name: string) => name });
  forgetGlobals(before);
  const { memory, malloc, _emscripten_stack_restore: moveStack } = exports;
  if (memory === undefined || malloc === undefined || moveStack === undefined)
    throw new Error('MuJoCo started without memory');
  const room = malloc(STACK_BYTES) + STACK_BYTES;
  const top = room - (room % STACK_ALIGNMENT);
  const clearStack = () => moveStack(top);
  clearStack();
  mujoco.FS.mkdir(ASSET_FOLDER);
  return { mujoco, memory, clearStack };
}

/** Deletes the hints at missing functions that MuJoCo defines for all: they would keep its first memory for good. */
function forgetGlobals(before: ReadonlySet<string>): void {
  for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(globalThis)))
    if (get !== undefined && !before.has(name)) Reflect.deleteProperty(globalThis, name);
}
