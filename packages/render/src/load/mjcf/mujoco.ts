import { readFile } from 'node:fs/promises';
import loadModule, { type MainModule } from '@mujoco/mujoco';
import { Unrenderable } from '../../errors.ts';
import { ASSET_FOLDER } from './model-files.ts';

interface Instance {
  readonly mujoco: MainModule;
  readonly memory: WebAssembly.Memory;
  /** What its memory begins with when it has just started; after that come zeros. */
  readonly firstBytes: Uint8Array;
  readonly folders: readonly string[];
}

/** Started, in nobody's hands, and as if it had just started. */
let spare: Instance | undefined;

/**
 * Lends MuJoCo as it is when it has just started, so that no asset meets what another left behind. What `use` creates
 * there it must delete before it returns: deleted later, it would harm the next asset. Where it throws, the next asset
 * gets another MuJoCo.
 */
export async function withMujoco<T>(use: (mujoco: MainModule) => Promise<T>): Promise<T> {
  const instance = spare ?? (await start());
  spare = undefined;
  const result = await use(instance.mujoco);
  if (renew(instance)) spare = instance;
  return result;
}

/** Four times what MuJoCo starts with. Memory of WebAssembly never shrinks, so an instance with more is left to be collected. */
const MAX_KEPT_BYTES = 64 * 2 ** 20;

/** Sets an instance back, for starting another takes a tenth of a thumbnail's time; false where it is to be left. */
function renew({ mujoco, memory, firstBytes, folders }: Instance): boolean {
  const bytes = new Uint8Array(memory.buffer);
  if (bytes.length > MAX_KEPT_BYTES) return false;
  bytes.set(firstBytes);
  bytes.fill(0, firstBytes.length);
  mujoco.FS.unmount(ASSET_FOLDER);
  mountAssetFolder(mujoco);
  return mujoco.FS.readdir('/').join() === folders.join();
}

async function start(): Promise<Instance> {
  const module = await compiledModule();
  let memory: WebAssembly.Memory | undefined;
  const instantiateWasm = (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ): object => {
    WebAssembly.instantiate(module, imports).then((instance) => {
      ({ memory } = instance.exports as { memory?: WebAssembly.Memory });
      done(instance);
    });
    return {};
  };
  const quit = (status: number): never => {
    throw new Unrenderable(`MuJoCo stopped with status ${status}`);
  };
  const mujoco = await loadModule({ instantiateWasm, quit, print: () => {}, printErr: () => {} });
  if (memory === undefined) throw new Error('MuJoCo started without memory');
  mujoco.FS.mkdir(ASSET_FOLDER);
  mountAssetFolder(mujoco);
  return { mujoco, memory, firstBytes: withoutLastZeros(memory), folders: mujoco.FS.readdir('/') };
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
