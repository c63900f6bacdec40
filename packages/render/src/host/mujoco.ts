import { readFile } from 'node:fs/promises';
import { ASSET_FOLDER } from '@bindery/formats/mjcf/model-files';
import { Unrenderable } from '@bindery/formats/reading/errors';
import loadModule, { type MainModule } from '@mujoco/mujoco';

interface Instance {
  readonly mujoco: MainModule;
  readonly memory: WebAssembly.Memory;
  /** The beginning of its memory right after it started; the rest is zeros. */
  readonly firstBytes: Uint8Array;
  readonly folders: readonly string[];
  /** Makes its stack empty: an error that leaves MuJoCo leaves the frames of its functions there. */
  readonly clearStack: () => void;
}

/** An instance that is not in use, in its initial state. */
let spare: Instance | undefined;

/**
 * Lends out MuJoCo in its initial state, so that no asset sees what another left behind. `use` must delete whatever it
 * creates there before it returns: a later delete would harm the next asset. If it throws, the next asset gets a new
 * instance.
 */
export async function withMujoco<T>(use: (mujoco: MainModule) => Promise<T>): Promise<T> {
  const instance = spare ?? (await start());
  spare = undefined;
  const result = await use(instance.mujoco);
  if (resetInstance(instance)) spare = instance;
  return result;
}

/** Four times what MuJoCo starts with. WebAssembly memory never shrinks, so larger instances are discarded. */
const MAX_KEPT_BYTES = 64 * 2 ** 20;

/** Resets an instance, as starting one takes a tenth of a thumbnail's time. Returns false if it must be discarded. */
function resetInstance({ mujoco, memory, firstBytes, folders, clearStack }: Instance): boolean {
  clearStack();
  const bytes = new Uint8Array(memory.buffer);
  if (bytes.length > MAX_KEPT_BYTES) return false;
  bytes.set(firstBytes);
  bytes.fill(0, firstBytes.length);
  mujoco.FS.unmount(ASSET_FOLDER);
  mountAssetFolder(mujoco);
  return mujoco.FS.readdir('/').join() === folders.join();
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

async function start(): Promise<Instance> {
  const module = await compiledModule();
  let exports: Exports = {};
  const instantiateWasm = (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ): object => {
    WebAssembly.instantiate(module, imports).then((instance) => {
      exports = instance.exports;
      done(instance);
    });
    return {};
  };
  const quit = (status: number): never => {
    throw new Unrenderable(`MuJoCo stopped with status ${status}`);
  };
  const mujoco = await loadModule({ instantiateWasm, quit, print: () => {}, printErr: () => {} });
  const { memory, malloc, _emscripten_stack_restore: moveStack } = exports;
  if (memory === undefined || malloc === undefined || moveStack === undefined)
    throw new Error('MuJoCo started without memory');
  const room = malloc(STACK_BYTES) + STACK_BYTES;
  const top = room - (room % STACK_ALIGNMENT);
  const clearStack = () => moveStack(top);
  clearStack();
  mujoco.FS.mkdir(ASSET_FOLDER);
  mountAssetFolder(mujoco);
  const folders = mujoco.FS.readdir('/');
  return { mujoco, memory, firstBytes: withoutLastZeros(memory), folders, clearStack };
}

let compiled: Promise<WebAssembly.Module> | undefined;

function compiledModule(): Promise<WebAssembly.Module> {
  compiled ??= readFile(new URL('mujoco.wasm', import.meta.resolve('@mujoco/mujoco'))).then((bytes) =>
    WebAssembly.compile(bytes),
  );
  return compiled;
}

function mountAssetFolder({ FS }: MainModule): void {
  FS.mount(FS.filesystems.MEMFS, {}, ASSET_FOLDER);
}

function withoutLastZeros({ buffer }: WebAssembly.Memory): Uint8Array {
  const words = new Uint32Array(buffer);
  let length = words.length;
  while (length > 0 && words[length - 1] === 0) length--;
  return new Uint8Array(buffer.slice(0, length * 4));
}
