/** The files of a library, for the macros of one of them. */
export interface MacroFiles {
  /** Returns the file that a reference in another one means; undefined if there is none. */
  resolve(from: string, reference: string): string | undefined;
  read(path: string): Uint8Array;
}

/** The files of a library, with what was read of them. */
export class ReadFiles {
  readonly paths = new Set<string>();
  readonly #files: MacroFiles;

  constructor(files: MacroFiles) {
    this.#files = files;
  }

  /** As `MacroFiles.resolve`. `$(find package)` can follow `file://`, as it does in front of a path. */
  resolve(from: string, reference: string): string | undefined {
    return this.#files.resolve(from, reference.replace(/^file:\/\/(?=package:\/\/)/, ''));
  }

  read(path: string): Uint8Array {
    this.paths.add(path);
    return this.#files.read(path);
  }
}
