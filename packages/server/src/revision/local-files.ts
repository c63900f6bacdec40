/** Files on this machine, for workers. Every call blocks its thread. */
export interface LocalFiles {
  /** Reads the whole file. Throws `ENOENT` if it does not exist. */
  read(path: string): Uint8Array;
  open(path: string): OpenFile & Disposable;
  /** A file that the caller has opened and will close. */
  opened(descriptor: number): OpenFile;
  create(path: string): NewFile & Disposable;
}

export interface OpenFile {
  /** In bytes. */
  readonly size: number;
  /** Fills `target` from a position in the file, in bytes. Throws if the file is too short. */
  fill(target: Float32Array | Uint8Array, position: number): void;
}

export interface NewFile {
  append(bytes: Uint8Array): void;
}
