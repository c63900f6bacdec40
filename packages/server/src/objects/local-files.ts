/** Files on this machine, as workers read and write them. Every call blocks its thread. */
export interface LocalFiles {
  /** The whole file. Throws `ENOENT` where there is none. */
  read(path: string): Uint8Array;
  open(path: string): OpenFile & Disposable;
  /** A file that somebody else opened and will close. */
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
