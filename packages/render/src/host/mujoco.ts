import { readFile } from 'node:fs/promises';
import { ASSET_FOLDER } from '@bindery/formats/mjcf/model-files';
import { type StartedMujoco, startMujoco } from '@bindery/formats/mjcf/start';
import type { MainModule } from '@mujoco/mujoco';

interface Instance extends StartedMujoco {
  /** The beginning of its memory right after it started; the rest is zeros. */
  readonly firstBytes: Uint8Array;
  readonly folders: readonly string[];
}

/** An instance that is not in use, in its initial state. */
let spare: Instance | undefined;

/**
 * Lends out MuJoCo in its initial state, so that no asset sees what another left behind. `use` must delete whatever it
 * creates there before it returns: a later delete would harm the next asset. If it throws, the next asset gets a new
 * instance. `isLarge` says whether the memory of the instance has grown so much that another model belongs in a new one.
 */
export async function withMujoco<T>(
  use: (mujoco: MainModule, isLarge: () => boolean) => Promise<T>,
): Promise<T> {
  const instance = spare ?? (await start());
  spare = undefined;
  const result = await use(instance.mujoco, () => instance.memory.buffer.byteLength > LARGE_BYTES);
  if (resetInstance(instance)) spare = instance;
  return result;
}

/** A quarter of what a process may take, which has to be enough for the next model as well. */
const LARGE_BYTES = 512 * 2 ** 20;

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

async function start(): Promise<Instance> {
  const started = await startMujoco(await compiledModule());
  const { mujoco, memory } = started;
  mountAssetFolder(mujoco);
  return { ...started, firstBytes: withoutLastZeros(memory), folders: mujoco.FS.readdir('/') };
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
