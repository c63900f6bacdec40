import { closeSync, fstatSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import type { LocalFiles, NewFile, OpenFile } from '../../revision/local-files.ts';

export const localFiles: LocalFiles = {
  read: (path) => readFileSync(path),
  opened: openFile,
  open(path) {
    const descriptor = openSync(path, 'r');
    return Object.assign(openFile(descriptor), closing(descriptor));
  },
  create(path) {
    const descriptor = openSync(path, 'w');
    const file: NewFile = { append: (bytes) => writeFileSync(descriptor, bytes) };
    return Object.assign(file, closing(descriptor));
  },
};

function openFile(descriptor: number): OpenFile {
  return {
    get size() {
      return fstatSync(descriptor).size;
    },
    fill: (target, position) => fill(descriptor, target, position),
  };
}

function fill(descriptor: number, target: Float32Array | Uint8Array, position: number): void {
  const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
  for (let filled = 0; filled < bytes.length; ) {
    const count = readSync(descriptor, bytes, filled, bytes.length - filled, position + filled);
    if (count === 0) throw new Error('A file became shorter while it was read.');
    filled += count;
  }
}

function closing(descriptor: number): Disposable {
  return { [Symbol.dispose]: () => closeSync(descriptor) };
}
